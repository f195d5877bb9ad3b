"""Measures, prints ratios, and writes results.json, RESULTS.md, the charts and the README's table.
Called by Scripts/bench, which builds bench-row first."""

import argparse
import json
import pathlib
import re
import sys

import charts
import instructions
import measure
import rust_plist
import setup
import tables

BENCHMARKS = pathlib.Path(__file__).resolve().parent.parent
README = BENCHMARKS.parent / "README.md"
RESULTS = BENCHMARKS / "results" / "results.json"
GIST = re.compile(r"(<!-- benchmarks -->\n).*?(<!-- /benchmarks -->)", re.DOTALL)


def main():
    options = arguments()
    if options.render:
        return render(json.loads(RESULTS.read_text()))
    if options.instructions or options.update:
        return instructions.run(options.bench_row, options.rows, update=options.update)
    plan = plan_of(options)
    plan.scale = options.scale or plan.scale
    plan.rounds = options.rounds or plan.rounds
    rust = rust_plist.build(measure.say)
    bench = measure.Bench(options.bench_row, rust)
    made_with = setup.describe(rust)
    if is_whole(options):
        measure.say(f"The load of this machine is {made_with['load at the start']}; "
                    "other work makes the results slower and less certain.")
    results, agreed = measure.measure(bench, plan, options.rows, options.only)
    if options.smoke:
        print(f"{len(results)} rows, all with the same results." if agreed else "Results differ.")
        return 0 if agreed else 1
    print(tables.terminal(results))
    report = {"setup": made_with, "results": results}
    if is_whole(options):
        write(RESULTS, json.dumps(report, indent=1) + "\n")
        render(report)
    else:
        write(BENCHMARKS / ".build" / "results.json", json.dumps(report, indent=1) + "\n")
    return 0 if agreed else 1


def plan_of(options):
    if options.smoke:
        return measure.Plan.smoke()
    return measure.Plan.quick() if options.quick else measure.Plan.full()


def is_whole(options):
    return not (
        options.smoke or options.quick or options.rows or options.only or options.scale or options.rounds)


def render(report):
    write(BENCHMARKS / "RESULTS.md", tables.results_page(report))
    for name, chart in charts.all_charts(report):
        write(BENCHMARKS / "results" / f"{name}.svg", chart)
    readme = README.read_text()
    if GIST.search(readme):
        write(README, GIST.sub(lambda m: m[1] + tables.gist(report) + m[2], readme))
    return 0


def write(path, content):
    """Replaces a file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_text(content)
    new.replace(path)
    measure.say(f"wrote {path.relative_to(BENCHMARKS.parent)}")


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/bench", description=__doc__)
    parser.add_argument("--bench-row", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="small inputs, a minute or two; leaves the recorded results unchanged")
    parser.add_argument("--smoke", action="store_true", help="tiny inputs: only checks that all results agree")
    parser.add_argument("--rows", metavar="REGEX", help="only these rows; leaves the recorded results unchanged")
    parser.add_argument("--only", metavar="NAME", nargs="+", help="only these implementations; leaves the recorded results unchanged")
    parser.add_argument("--scale", type=float, help="inputs of another size; leaves the recorded results unchanged")
    parser.add_argument("--rounds", type=int, help="turns of each implementation; leaves the recorded results unchanged")
    parser.add_argument("--render", action="store_true", help="rewrites tables and charts from results.json")
    parser.add_argument("--instructions", action="store_true", help="compares instruction counts with instructions.tsv")
    parser.add_argument("--update", action="store_true", help="updates instructions.tsv")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
