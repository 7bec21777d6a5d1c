"""A wall of 2x2 pages: together they are the exact picture, none is more than one frame ahead of
another at any time, a lost screen comes back by itself, and screens may have any density of pixels.

usage: serve_wall.py PROGRAM FOLDER
"""
import base64
import os
import subprocess
import time

import browser
from serve_page import png_rgb
from service import Service

WIDTH, HEIGHT = 322, 244  # parts of 161 x 122: cells cross their edges
SCREENS = [(column, row) for row in (1, 2) for column in (1, 2)]
MOTIONS = 25  # of a flight
EXACT = "deepfield.view.exact"


def rows_of(screen, timeout_s=120):
    """Width and rows of the pixels that a screen shows, once they are exact."""
    screen.until(EXACT, timeout_s)
    width, text = screen.evaluate("""(function () {
        const canvas = deepfield.canvas;
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let text = "";
        for (let i = 0; i < pixels.length; i += 4)
            text += String.fromCharCode(pixels[i], pixels[i + 1], pixels[i + 2]);
        return [canvas.width, btoa(text)];
    }())""")
    pixels = base64.b64decode(text)
    return [pixels[i:i + 3 * width] for i in range(0, len(pixels), 3 * width)]


def exact_everywhere(screens):
    """All are exact at the same time: none that was asked first has moved on meanwhile."""
    while True:
        for screen in screens:
            screen.until(EXACT, 120)
        if all(screen.evaluate(EXACT) for screen in screens):
            return


def whole(screens):
    """The parts put together, as one string of bytes."""
    parts = [rows_of(screen) for screen in screens]
    rows = [left + right for left, right in zip(parts[0], parts[1])]
    rows += [left + right for left, right in zip(parts[2], parts[3])]
    return b"".join(rows)


def same_as_render(screens, program, folder, place, name):
    path = os.path.join(folder, name)
    with open(path + ".ini", "w", encoding="utf-8") as file:
        file.write(place)
    subprocess.run([program, "render", path + ".ini", "-q", "-f", "-o", path + ".png"], check=True,
                   stdout=subprocess.DEVNULL)
    exact_everywhere(screens)
    made, shown = png_rgb(path + ".png"), whole(screens)
    if made != shown:
        differ = sum(a != b for a, b in zip(made, shown))
        raise SystemExit(f"{name}: {differ} of {len(made)} samples differ, {len(shown)} are shown")


def place_of(hand):
    hand.send("place")
    hand.place = None
    hand.until(lambda c: c.place)
    return hand.place["ini"]


def apart(screens):
    """Largest distance of the frames of two screens at any time, and how many times there were. Not
    while one was left behind, as on a machine that is too busy, and had not come back."""
    events, behind = [], set()
    for number, screen in enumerate(screens):
        for frame, at_ms, late in screen.evaluate("deepfield.view.shown"):
            events.append((at_ms, number, frame))
            if late:
                behind.add(frame)
    now = [None] * len(screens)
    most = times = 0
    for _, number, frame in sorted(events):
        now[number] = frame
        if None not in now and not behind & {min(now), max(now), max(now) - 1}:
            most = max(most, max(now) - min(now))
            times += 1
    return most, times, len(behind)


def fly(hand, number):
    """The hand moves the picture for a while."""
    for i in range(MOTIONS):
        hand.send(f"move {number + i} 3 2 3 2 1.04 0 1")
        until_s = time.monotonic() + 0.03
        while time.monotonic() < until_s:
            if hand.socket.waits(0.005):
                hand.take()
    hand.send("rest")
    hand.until(lambda c: c.exact and c.motion >= number + MOTIONS - 1, 120)


def main(program, folder):
    os.makedirs(folder, exist_ok=True)
    service = Service(program, "--wall", "2x2", "--size", f"{WIDTH}x{HEIGHT}", "-j", "1", "--samples", "2")
    window = browser.Browser()
    try:
        hand = service.connect()
        hand.until(lambda c: c.facts and c.facts["leads"])
        hand.send("size 640 480")  # a wall keeps its own
        screens = []
        for i, (column, row) in enumerate(SCREENS):
            screen = window.window(161 + 40 * i, 122 + 20 * i, 1 + i / 2)  # of any density
            screen.go(service.screens + f"&screen={column},{row}")
            if screen.evaluate("document.hidden"):
                raise SystemExit("a page is not drawn")
            screens.append(screen)
        same_as_render(screens, program, folder, place_of(hand), "begin")
        fly(hand, 1)
        most, times, late = apart(screens)
        print("frames apart: at most", most, "at", times, "times; with a late screen:", late)
        if most > 1 or (times < 20 and not late):
            raise SystemExit(f"screens were {most} frames apart, at {times} times")
        same_as_render(screens, program, folder, place_of(hand), "flown")
        # A screen is lost, and the others go on; it comes back to its place by itself.
        screens[3].close()
        fly(hand, 1000)
        place = place_of(hand)
        for screen in screens[:3]:
            screen.until(EXACT, 120)
        screens[3] = window.window(400, 300)
        screens[3].go(service.screens.split("?")[0] + "?screen=2,2")
        same_as_render(screens, program, folder, place, "back")
        # A connection that ends is opened again.
        screens[0].evaluate("deepfield.send('no such word')")
        screens[0].until("!deepfield.view.connected")
        screens[0].until("deepfield.view.connected", 30)
        same_as_render(screens, program, folder, place, "again")
        chooser = window.page(640, 480)
        chooser.go(service.screens)
        chooser.until("!document.getElementById('choice').hidden && "
                      "document.querySelectorAll('#places .taken').length === 4")
        chooser.shot(os.path.join(folder, "choice.png"))
        chooser.evaluate("document.querySelectorAll('#places button')[1].click()")
        chooser.until(f"{EXACT} && /screen=2,1/.test(location.search)", 120)
        screens[1].until("!document.getElementById('choice').hidden")  # it gives its place away
        browser.complaints_none(screens[:1] + screens[2:])
    finally:
        window.close()
        code = service.end()
    if code != 0:
        raise SystemExit(f"SIGTERM ends it with {code}")


if __name__ == "__main__":
    browser.run(main)
