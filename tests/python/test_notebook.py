"""The view of a notebook in a browser without a screen: it shows, zooms and settles."""

import asyncio
import base64
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import unittest
import urllib.request

from support import Case, need

need("numpy")
need("notebook")
websocket = need("tornado.websocket")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
if BROWSER is None:
    raise unittest.SkipTest("no chromium")

CELL = """import deepfield
view = deepfield.View("seahorse", (480, 270))
view"""
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "cells": [{"cell_type": "code", "id": "one", "metadata": {}, "outputs": [],
               "execution_count": None, "source": CELL},
              {"cell_type": "code", "id": "two", "metadata": {}, "outputs": [],
               "execution_count": None, "source": "print('zoom', float(view.place.zoom))"}]}


class Page:
    """A page of the browser, by its debugging protocol."""

    def __init__(self, connection):
        self.socket, self.number = connection, 0

    async def call(self, method, **words):
        self.number += 1
        await self.socket.write_message(
            json.dumps({"id": self.number, "method": method, "params": words}))
        while True:
            message = json.loads(await self.socket.read_message())
            if message.get("id") == self.number:
                return message.get("result", {})

    async def value(self, script):
        result = await self.call("Runtime.evaluate", expression=script, returnByValue=True)
        return result.get("result", {}).get("value")

    async def until(self, script, seconds=90):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = await self.value(script)
            if value:
                return value
            await asyncio.sleep(0.1)
        raise AssertionError(f"{script} did not become true in {seconds} s")


# Most pixels of the canvas are not of its background; what the cells have printed.
COLOURED = """(() => { const canvas = document.querySelector('canvas[id^="deepfield"]');
if (!canvas) return 0;
const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
let n = 0;
for (let i = 0; i < data.length; i += 4) n += data[i] != 32 || data[i + 1] != 32;
return n > 100000; })()"""
PRINTED = """[...document.querySelectorAll('.output_text pre')].map(e => e.textContent).join('')"""


class Notebook(Case):
    def start(self, words, pattern):
        log = open(self.path("log-" + os.path.basename(words[0])), "w+")
        process = subprocess.Popen(
            words, stdout=log, stderr=subprocess.STDOUT, cwd=self.folder,
            env={**os.environ, "HOME": self.folder, "JUPYTER_ALLOW_INSECURE_WRITES": "1"})
        self.addCleanup(log.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        end = time.monotonic() + 120
        while time.monotonic() < end and process.poll() is None:
            with open(log.name, encoding="utf-8", errors="replace") as file:
                for line in file:
                    if pattern in line:
                        return line.split(pattern)[1].split("/")[0].strip()
            time.sleep(0.1)
        with open(log.name, encoding="utf-8", errors="replace") as file:
            self.fail(f"{words[0]} did not start: {file.read()[-2000:]}")

    def test_a_view_is_shown_and_zooms(self):
        with open(self.path("n.ipynb"), "w", encoding="utf-8") as file:
            json.dump(NOTEBOOK, file)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        token = secrets.token_hex()
        self.start([
            sys.executable, "-m", "notebook", "--no-browser", "--ip=127.0.0.1", f"--port={port}",
            "--port-retries=0", "--allow-root", f"--NotebookApp.token={token}"],
            "http://127.0.0.1:")
        debug = self.start([
            BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
            "--remote-allow-origins=*", f"--user-data-dir={self.path('browser')}",
            "--window-size=1100,900", f"http://127.0.0.1:{port}/notebooks/n.ipynb?token={token}"],
            "ws://127.0.0.1:")
        asyncio.run(self.drive(debug))

    async def drive(self, port):
        while True:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                pages = [page for page in json.load(answer) if page["type"] == "page"]
            if pages:
                break
            await asyncio.sleep(0.2)
        page = Page(await websocket.websocket_connect(
            pages[0]["webSocketDebuggerUrl"], max_message_size=1 << 28))
        await page.until("!!(window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel"
                         " && Jupyter.notebook.kernel.is_connected())")
        await page.value("Jupyter.notebook.get_cell(0).execute()")
        await page.until(COLOURED)
        x, y = await page.until("""(() => { const box = document.querySelector(
            'canvas[id^="deepfield"]').getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2]; })()""")
        for _ in range(3):
            await page.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0,
                            deltaY=-120)
        await page.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left",
                        clickCount=1)
        await page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + 60, y=y + 20,
                        button="left")
        await page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + 60, y=y + 20,
                        button="left", clickCount=1)
        await asyncio.sleep(1)
        await page.value("Jupyter.notebook.get_cell(1).execute()")
        told = await page.until(PRINTED)
        self.assertAlmostEqual(float(told.split()[-1]), 4e5 * 1.25**3, delta=1)
        await page.until(COLOURED)
        picture = await page.call("Page.captureScreenshot")
        folder = os.environ.get("DEEPFIELD_SCREENSHOTS")
        if folder:
            with open(os.path.join(folder, "notebook.png"), "wb") as file:
                file.write(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    unittest.main()
