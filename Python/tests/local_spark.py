# This source file is part of swift-keyed-archive
# SPDX-License-Identifier: Apache-2.0
"""A Spark session on this machine, for the tests and the benchmark."""

import os
import sys


def local_session(workers, **settings):
    """Starts a session whose workers are processes of one core each. Settings are named without the prefix `spark.`."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = (
        SparkSession.builder.master(f"local-cluster[{workers},1,1024]").appName("keyedarchive")
        .config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", os.pathsep.join(filter(None, sys.path))))
    for name, setting in settings.items():
        builder = builder.config(f"spark.{name}", setting)
    return builder.getOrCreate()
