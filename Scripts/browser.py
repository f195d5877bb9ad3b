"""Runs headless Chromium through its DevTools protocol over two pipes, for Scripts/explorer."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome"]


def find():
    """Returns the path of the browser; None if there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """A browser with one page. `messages` collects its console messages, exceptions, network requests, dialogs and
    new windows."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="explorer-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def use_pipes():
            # The browser reads from descriptor 3 and writes to 4.
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        arguments = [
            find(), "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
            "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--hide-scrollbars", f"--user-data-dir={self.profile}", "about:blank"]
        if os.geteuid() == 0:
            # As root, Chromium refuses to start with its sandbox.
            arguments.insert(1, "--no-sandbox")
        self.process = subprocess.Popen(
            arguments, preexec_fn=use_pipes, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session = b"", 0, None
        self.messages, self.events = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"]:
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.call("Browser.close")
        except (OSError, EOFError, BrokenPipeError):
            pass
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # The protocol

    def call(self, method, timeout=120, **parameters):
        """Calls a method and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        deadline = time.monotonic() + timeout
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self, deadline):
        """Returns the next message. Events are stored as well."""
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.input, 1 << 20)
            if not data:
                raise EOFError("the browser has ended")
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(line)
        if "method" in message:
            self.take(message["method"], message["params"])
        return message

    def take(self, method, parameters):
        if method == "Runtime.consoleAPICalled":
            texts = [str(item.get("value", item.get("description"))) for item in parameters["args"]]
            self.messages.append(f"console.{parameters['type']}: {' '.join(texts)}")
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            text = details.get("exception", {}).get("description", details["text"])
            self.messages.append(f"exception: {text}")
        elif method == "Log.entryAdded":
            self.messages.append(f"{parameters['entry']['level']}: {parameters['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            address = parameters["request"]["url"]
            if not address.startswith(("file:", "data:", "blob:", "about:")):
                self.messages.append(f"request: {address}")
        elif method in ("Page.javascriptDialogOpening", "Page.windowOpen"):
            self.messages.append(f"{method}: {parameters}")
        self.events.append(method)

    # The page

    def open(self, path, fragment=""):
        """Opens a file, and returns the seconds until its script has finished."""
        self.navigate("about:blank")
        self.messages = []
        start = time.monotonic()
        self.navigate(f"file://{os.path.abspath(path)}{fragment}")
        return time.monotonic() - start

    def navigate(self, address):
        self.events = []
        self.call("Page.navigate", url=address)
        while "Page.loadEventFired" not in self.events:
            self.receive(time.monotonic() + 120)

    def run(self, script):
        """Returns the value of an expression, which may be a promise."""
        result = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def wait(self, seconds):
        """Lets the page run for a while."""
        self.run(f"new Promise(done => setTimeout(done, {seconds * 1000}))")

    def press(self, key, modifiers=0):
        """Presses a key, such as `ArrowDown` or `a`."""
        text = key if len(key) == 1 else {"Enter": "\r"}.get(key, "")
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35}
        code = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text if kind == "keyDown" else "",
                      modifiers=modifiers, windowsVirtualKeyCode=code)

    def click(self, x, y):
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def look(self, width, height, theme):
        """Sets the size of the window and the light or dark scheme."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": theme}])

    def picture(self, path):
        """Saves a screenshot of the window as PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
