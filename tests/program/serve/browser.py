"""Headless Chromium over the DevTools protocol."""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from websocket import WebSocket


def program():
    """Path of Chromium, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def run(main):
    """Runs a test that needs it with the words of its command."""
    if program() is None:
        print("skipped: no Chromium here")
        sys.exit(77)
    main(*sys.argv[1:])


def complaints_none(pages, words=("WebSocket",)):
    """No page complains but in these words, which are of sockets that tests cut."""
    errors = [e for page in pages for e in page.errors if not any(word in e for word in words)]
    if errors:
        raise SystemExit(f"the browser complains: {errors}")


class Browser:
    def __init__(self, *words):
        self.folder = tempfile.mkdtemp(prefix="deepfield-browser-")
        environment = dict(os.environ, HOME=self.folder)
        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--remote-debugging-port=0", f"--user-data-dir={self.folder}", *words, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        path = os.path.join(self.folder, "DevToolsActivePort")
        until_s = time.monotonic() + 60
        while True:
            try:
                with open(path, encoding="ascii") as file:
                    self.port = int(file.readline())
                break
            except (OSError, ValueError):
                if self.process.poll() is not None or time.monotonic() > until_s:
                    raise SystemExit("the browser does not start") from None
                time.sleep(0.05)

    def _get(self, path, method="GET"):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/{path}", method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def window(self, width=1280, height=720, scale=1):
        """A page in a window of its own, which is drawn while others are, too; others are tabs."""
        browser = Page.__new__(Page)
        browser.socket, browser.number, browser.errors = \
            WebSocket(self._get("version")["webSocketDebuggerUrl"]), 0, []
        made = browser.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        browser.socket.close()
        return Page(next(t for t in self._get("list") if t["id"] == made)["webSocketDebuggerUrl"],
                    width, height, scale, False)

    def page(self, width=1280, height=720, scale=1, touch=False):
        target = self._get("new?about:blank", "PUT")
        return Page(target["webSocketDebuggerUrl"], width, height, scale, touch)

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    def __init__(self, url, width, height, scale, touch):
        self.socket = WebSocket(url)
        self.number = 0
        self.errors = []
        self.call("Runtime.enable")
        self.call("Log.enable")
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=touch)
        if touch:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True)

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.receive(60))
            if message.get("id") == self.number:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message: # else the answer to a post
                self._event(message)

    def post(self, method, **parameters):
        """The same without waiting for an answer."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))

    def _event(self, message):
        if message["method"] == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(message["params"]["exceptionDetails"])[:600])
        elif message["method"] == "Log.entryAdded":
            entry = message["params"]["entry"]
            if entry["level"] == "error":
                self.errors.append(entry["text"] + " " + entry.get("url", ""))

    def evaluate(self, text):
        result = self.call("Runtime.evaluate", expression=text, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{text}: {json.dumps(result['exceptionDetails'])[:600]}")
        return result["result"].get("value")

    def go(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && window.deepfield !== undefined")

    def until(self, text, timeout_s=60):
        until_s = time.monotonic() + timeout_s
        while not self.evaluate(text):
            if time.monotonic() > until_s:
                raise SystemExit(f"the page never was: {text}; errors: {self.errors}")
            time.sleep(0.03)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        box = self.evaluate(f"(function (e) {{ e.scrollIntoView({{block: 'nearest'}}); const b = "
                            f"e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; "
                            f"}}(document.querySelector({json.dumps(selector)})))")
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, box[0], box[1], button="left", clickCount=1)

    def key(self, key, code=None, text=None, modifiers=0):
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or key,
                  modifiers=modifiers, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key,
                  modifiers=modifiers)

    def touch(self, kind, points):
        self.call("Input.dispatchTouchEvent", type=kind,
                  touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def shot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.call("Page.close")
        self.socket.close()
