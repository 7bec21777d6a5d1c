"""Headless Firefox over Marionette, its protocol for tests, with the calls of browser.py: messages
are JSON behind their length, as 12:[0,1,"...",{}]."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

PREFERENCES = {
    "marionette.port": 0, "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0, "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False, "browser.aboutwelcome.enabled": False,
    "dom.w3c_touch_events.enabled": 1, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "extensions.update.enabled": False,
    "services.settings.server": "", "browser.tabs.remote.autostart": True,
    "dom.disable_open_during_load": False, "ui.prefersReducedMotion": 1,
}
KEYS = {"Backspace": "\ue003", "Enter": "\ue007", "Shift": "\ue008", "Control": "\ue009",
        "Escape": "\ue00c", "PageUp": "\ue00e", "PageDown": "\ue00f", "Home": "\ue011",
        "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}
BUTTONS = {"left": 0, "middle": 1, "right": 2}
MODIFIERS = {2: "Control", 8: "Shift"}


def program():
    """Path of Firefox, or None."""
    for name in ("firefox-esr", "firefox"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    def __init__(self, *words):
        self.folder = tempfile.mkdtemp(prefix="deepfield-firefox-")
        with open(os.path.join(self.folder, "user.js"), "w", encoding="ascii") as file:
            for name, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            [program(), "--headless", "--no-remote", "--marionette", "--remote-allow-system-access",
             "--profile", self.folder, *words],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=self.folder, MOZ_CRASHREPORTER_DISABLE="1"))
        self.buffer, self.number, self.current = b"", 0, None
        try:
            self.socket = socket.create_connection(("127.0.0.1", self._port()), 60)
            self._receive()  # its greeting
            self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        except BaseException:
            self.process.kill()
            raise

    def _port(self):
        path = os.path.join(self.folder, "MarionetteActivePort")
        until_s = time.monotonic() + 120
        while time.monotonic() < until_s and self.process.poll() is None:
            try:
                with open(path, encoding="ascii") as file:
                    return int(file.read())
            except (OSError, ValueError):
                time.sleep(0.1)
        raise SystemExit("the browser does not start")

    def _receive(self):
        while b":" not in self.buffer:
            self.buffer += self._more()
        length, self.buffer = self.buffer.split(b":", 1)
        while len(self.buffer) < int(length):
            self.buffer += self._more()
        text, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(text)

    def _more(self):
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise SystemExit("the browser has closed the connection")
        return piece

    def call(self, method, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, method, parameters]).encode()
        self.socket.settimeout(120)
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, number, error, result = self._receive()
        if error or number != self.number:
            raise SystemExit(f"{method}: {json.dumps(error)[:600]}")
        return result.get("value", result) if isinstance(result, dict) else result

    def page(self, width=1280, height=720, scale=1, touch=False):
        del scale
        return Page(self, width, height, touch)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    """A window; the browser's calls are for the one that was switched to last."""

    def __init__(self, browser, width, height, touch):
        self.browser, self.is_touched, self.held = browser, touch, 0
        self.fingers = []
        self.handle = browser.call("WebDriver:NewWindow", type="window", focus=True)["handle"]
        self._use()
        outer = {"width": width, "height": height}
        for _ in range(2):
            browser.call("WebDriver:SetWindowRect", **outer)
            inner = self.evaluate("[innerWidth, innerHeight]")
            outer = {"width": outer["width"] + width - inner[0], "height": outer["height"] + height - inner[1]}

    def _use(self):
        if self.browser.current != self.handle:
            self.browser.call("WebDriver:SwitchToWindow", handle=self.handle, focus=True)
        self.browser.current = self.handle

    def evaluate(self, text):
        self._use()
        return self.browser.call("WebDriver:ExecuteScript", script=f"return ({text})", args=[],
                                 newSandbox=False, sandbox=None)

    def go(self, url):
        self._use()
        self.browser.call("WebDriver:Navigate", url=url)
        self.until("document.readyState === 'complete' && window.deepfield !== undefined")

    def until(self, text, timeout_s=60):
        until_s = time.monotonic() + timeout_s
        while not self.evaluate(text):
            if time.monotonic() > until_s:
                raise SystemExit(f"the page never was: {text}; errors: {self.errors}")
            time.sleep(0.03)

    @property
    def errors(self):
        """What the console of the browser, of all pages, has of scripts of ours, as errors."""
        self.browser.call("Marionette:SetContext", value="chrome")
        found = self.browser.call(
            "WebDriver:ExecuteScript", args=[], newSandbox=True, sandbox="default", script="""
            return Services.console.getMessageArray().filter(function (one) {
                return one instanceof Ci.nsIScriptError && !(one.flags & 1) &&
                    /^https?:..(localhost|127)/.test(one.sourceName);
            }).map(function (one) { return one.errorMessage + " " + one.sourceName; });""")
        self.browser.call("Marionette:SetContext", value="content")
        return found

    # ---- input ----

    def _perform(self, *sources):
        self._use()
        self.browser.call("WebDriver:PerformActions", actions=list(sources))

    @staticmethod
    def _keys(*steps):
        return {"type": "key", "id": "keys",
                "actions": [{"type": kind, "value": KEYS.get(key, key)} for kind, key in steps]}

    def _modify(self, modifiers):
        """Holds these keys, and no others."""
        for bit, name in MODIFIERS.items():
            if (modifiers ^ self.held) & bit:
                self._perform(self._keys(("keyDown" if modifiers & bit else "keyUp", name)))
        self.held = modifiers

    def mouse(self, kind, x, y, button="left", modifiers=0, **more):
        move = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0, "origin": "viewport"}
        if kind == "mouseWheel":
            self._perform({"type": "wheel", "id": "wheel", "actions": [
                {"type": "scroll", "x": round(x), "y": round(y), "deltaX": more["deltaX"],
                 "deltaY": more["deltaY"], "duration": 0, "origin": "viewport"}]})
            return
        self._modify(modifiers)
        press = {"mousePressed": "pointerDown", "mouseReleased": "pointerUp"}.get(kind)
        steps = [move] + ([{"type": press, "button": BUTTONS[button]}] if press else [])
        self._perform({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                       "actions": steps})
        if kind == "mouseReleased":
            self._modify(0)

    def click(self, selector):
        box = self.evaluate(f"(function (e) {{ e.scrollIntoView({{block: 'nearest'}}); const b = "
                            f"e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; "
                            f"}}(document.querySelector({json.dumps(selector)})))")
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, box[0], box[1])

    def key(self, key, code=None, text=None, modifiers=0):
        del code, text
        self._modify(modifiers)
        self._perform(self._keys(("keyDown", key), ("keyUp", key)))
        self._modify(0)

    def touch(self, kind, points):
        if kind == "touchEnd":
            points = self.fingers
        sources = []
        for i, (x, y) in enumerate(points):
            steps = [{"type": "pointerMove", "x": x, "y": y, "duration": 0, "origin": "viewport"}]
            if kind != "touchMove":
                steps.append({"type": "pointerDown" if kind == "touchStart" else "pointerUp", "button": 0})
            sources.append({"type": "pointer", "id": f"finger{i}", "parameters": {"pointerType": "touch"},
                            "actions": steps})
        self.fingers = points
        self._perform(*sources)

    def shot(self, path):
        import base64  # pylint: disable=import-outside-toplevel
        self._use()
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.browser.call("WebDriver:TakeScreenshot", full=False)))

    def close(self):
        self._use()
        self.browser.current = self.browser.call("WebDriver:CloseWindow")[0]
        self.browser.call("WebDriver:SwitchToWindow", handle=self.browser.current, focus=True)
