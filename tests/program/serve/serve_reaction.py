"""Reaction of the served page beside that of the window, on one machine in one run: from an input to
the first frame that shows it. Both get the same drags, 60 moves a second at 1280x720, in turn.

usage: serve_reaction.py PROGRAM [ROUNDS]

The window's is `reaction` of its report, with SDL's dummy display, which waits for no screen. The
page's is measured in headless Chromium: from the time of the event, which the browser gives it, to
the end of the frame that it is drawn in; frames come 60 times a second there. The browser's own is
that of a page that draws nothing.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import browser
from service import Service

DRAGS = ((640, 300, 840, 300), (640, 420, 440, 420), (600, 360, 700, 460))  # from x y to x y
SECONDS, MOVES_PER_S, WIDTH, HEIGHT, WITHIN_MS = 2, 60, 1280, 720, 10

MEASURE = """(function () {
    window.reactions = [];
    addEventListener("pointermove", function (event) {
        if (!event.buttons || deepfield.view.exact) // a press that may become a click moves nothing yet
            return;
        const all = event.getCoalescedEvents(); // those since the frame before
        requestAnimationFrame(function () {
            const now = performance.now();
            all.forEach(function (one) { window.reactions.push(now - one.timeStamp); });
        });
    });
}())"""


def figures(delays_ms):
    ordered = sorted(delays_ms)
    return ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], len(ordered)


def of_window(program):
    with tempfile.NamedTemporaryFile("w", suffix=".script") as script:
        script.write("settle\n" + "".join(f"drag {' '.join(map(str, one))} over {SECONDS}\n" for one in DRAGS))
        script.flush()
        done = subprocess.run([program, "view", "seahorse", "--size", f"{WIDTH}x{HEIGHT}", "--script", script.name,
                               "--report"], check=True, capture_output=True, text=True,
                              env=dict(os.environ, SDL_VIDEODRIVER="dummy"))
    found = json.loads(done.stdout.splitlines()[-1])["reaction"]
    return found["p50_ms"], found["p99_ms"], found["count"]


def drag(page, x, y, to_x, to_y):
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    begun_s, moves = time.monotonic(), SECONDS * MOVES_PER_S
    for i in range(1, moves + 1):
        time.sleep(max(0, begun_s + i / MOVES_PER_S - time.monotonic()))
        page.post("Input.dispatchMouseEvent", type="mouseMoved", x=x + (to_x - x) * i / moves,
                  y=y + (to_y - y) * i / moves, button="left", buttons=1)
    page.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)


def of_drags(page):
    page.evaluate(MEASURE)
    for one in DRAGS:
        drag(page, *one)
    return figures(page.evaluate("window.reactions"))


def of_page(program):
    service, window = Service(program), browser.Browser()
    try:
        page = window.page(WIDTH, HEIGHT)
        page.go(service.page)
        page.until("deepfield.view.leads && deepfield.view.exact", 120)
        return of_drags(page)
    finally:
        window.close()
        service.end()


def of_browser(_program):
    window = browser.Browser()
    with tempfile.NamedTemporaryFile("w", suffix=".html") as nothing: # a secure context, which data: is not
        nothing.write("<script>var deepfield = {view: {exact: false}}</script>")
        nothing.flush()
        try:
            page = window.page(WIDTH, HEIGHT)
            page.go("file://" + nothing.name)
            return of_drags(page)
        finally:
            window.close()


def main(program, rounds="3"):
    found = {"window": [], "page": [], "browser": []}
    for _ in range(int(rounds)):
        for name, measure in (("window", of_window), ("page", of_page), ("browser", of_browser)):
            found[name].append(measure(program))
            p50, p99, count = found[name][-1]
            print(f"{name}: reaction p50 {p50:.1f} ms, p99 {p99:.1f} ms, of {count} inputs", flush=True)
    most = {name: statistics.median(one[1] for one in all_) for name, all_ in found.items()}
    apart_ms = most["page"] - most["window"]
    print(f"medians of {rounds}: p99 of the window {most['window']:.1f} ms, of the page {most['page']:.1f} ms, "
          f"of a page that draws nothing {most['browser']:.1f} ms; page and window are "
          f"{apart_ms:+.1f} ms apart: {'within' if apart_ms <= WITHIN_MS else 'not within'} {WITHIN_MS} ms")


if __name__ == "__main__":
    browser.run(main)
