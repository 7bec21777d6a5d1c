"""The stand as a page: it invites, obeys fingers and buttons, changes its language, shows a code,
and fits any screen.

usage: serve_kiosk.py PROGRAM FOLDER
"""
import os

import browser
from serve_page import EXACT
from service import Service

WORDS = ("--size", "320x240", "--kiosk", "--language", "en", "--set", "stand.idle_s=60", "-j", "1")
LANGUAGES = ("de", "fr", "es", "pl", "en")
SCREENS = ((360, 640, 1), (360, 640, 3), (640, 360, 1), (1280, 720, 1), (3840, 2160, 1))


def label(name):
    return f"Array.from(document.querySelectorAll('nav button')).find((b) => b.dataset.number === '{name}')"


def press(page, number):
    page.until(f"{label(number)} && !{label(number)}.disabled")
    page.evaluate(f"{label(number)}.click()")


def fits(page, width, height, scale):
    """All buttons are on the screen, and large enough for a finger; no text runs out."""
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
              deviceScaleFactor=scale, mobile=width < 500)
    page.until(f"innerWidth === {width}")
    wrong = page.evaluate("""(function () {
        const wrong = [];
        document.querySelectorAll("nav:not([hidden]) button").forEach(function (one) {
            const box = one.getBoundingClientRect();
            if (box.width < 40 || box.height < 44 || box.left < 0 || box.right > innerWidth ||
                box.top < 0 || box.bottom > innerHeight)
                wrong.push(one.textContent + " " + JSON.stringify(box));
            const label = one.lastChild;
            if (label.scrollWidth > label.clientWidth + 1)
                wrong.push(one.textContent + " is cut");
        });
        document.querySelectorAll("#title, #caption, #sentence").forEach(function (one) {
            const box = one.getBoundingClientRect();
            if (!one.hidden && (box.left < 0 || box.right > innerWidth + 1))
                wrong.push(one.id + " " + JSON.stringify(box));
        });
        return wrong;
    }())""")
    if wrong:
        raise SystemExit(f"{width}x{height}: {wrong}")


def accessible(page):
    """What is on the screen has a name; signs are decoration."""
    wrong = page.evaluate("""(function () {
        const wrong = [];
        document.querySelectorAll("button, input, canvas, nav, aside").forEach(function (one) {
            const label = one.getAttribute("aria-label") || one.textContent.trim() || one.title;
            if (!label && !one.closest("[hidden]"))
                wrong.push(one.outerHTML);
        });
        if (!document.documentElement.lang || !document.title)
            wrong.push("no language or title");
        return wrong;
    }())""")
    if wrong:
        raise SystemExit(f"controls without a name: {wrong}")


def unguarded_motion(page):
    """The page moves no picture by itself, whose flashes nobody would have measured."""
    moved = page.evaluate("""(function () {
        const canvas = deepfield.canvas, paint = canvas.getContext("2d");
        const pixels = function () {
            return paint.getImageData(0, 0, canvas.width, canvas.height).data.join();
        };
        const send = WebSocket.prototype.send, before = pixels();
        WebSocket.prototype.send = function () { }; // the program does not learn of it
        const moved = deepfield.move(3, 10, 10, 0, 0, true);
        return new Promise(function (resolve) {
            requestAnimationFrame(function () {
                requestAnimationFrame(function () {
                    WebSocket.prototype.send = send;
                    resolve([moved, before === pixels()]);
                });
            });
        });
    }())""")
    if moved != [True, True]:
        raise SystemExit(f"a page of a stand moves its picture by itself: {moved}")


def languages(page, folder):
    seen = set()
    for language in LANGUAGES:
        press(page, 5)
        page.until(f"document.documentElement.lang === '{language}'")
        texts = page.evaluate("Array.from(document.querySelectorAll('nav span')).map((s) => s.textContent)")
        if not all(texts) or tuple(texts) in seen:
            raise SystemExit(f"{language}: {texts}")
        seen.add(tuple(texts))
        for width, height, scale in SCREENS if language == "de" else SCREENS[:1]:
            fits(page, width, height, scale)
            page.shot(os.path.join(folder, f"{language}-{width}x{height}@{scale}.png"))
    page.call("Emulation.setDeviceMetricsOverride", width=320, height=240, deviceScaleFactor=1,
              mobile=True)


def main(program, folder):
    os.makedirs(folder, exist_ok=True)
    service = Service(program, *WORDS)
    window = browser.Browser()
    try:
        page = window.page(320, 240, touch=True)
        page.go(service.page)
        page.until("!document.getElementById('title').hidden")  # it invites
        page.until("deepfield.view.frames > 2")  # and moves by itself
        page.shot(os.path.join(folder, "attract.png"))
        page.touch("touchStart", [(160, 60)])
        page.touch("touchEnd", [])
        page.until("document.getElementById('title').hidden")
        page.until(EXACT, 120)
        accessible(page)
        before = page.evaluate("deepfield.view.number")
        page.touch("touchStart", [(150, 80)])  # held, it flies
        page.until(f"deepfield.view.number > {before} + 3")
        page.touch("touchEnd", [])
        page.until(f"deepfield.view.shown >= deepfield.view.number && {EXACT}", 120)
        unguarded_motion(page)
        press(page, 6)
        page.until("!document.getElementById('second').hidden")
        languages(page, folder)
        press(page, 6)
        page.until("!document.getElementById('second').hidden")
        if page.evaluate(f"Boolean({label(7)})"):
            press(page, 7)
            page.until("!document.getElementById('code').hidden")
            page.shot(os.path.join(folder, "code.png"))
            page.evaluate("document.getElementById('code-close').click()")
            page.until("document.getElementById('code').hidden")
        staff = window.page(1280, 720)
        staff.go(service.staff)
        staff.until("!document.getElementById('staff').hidden")
        accessible(staff)
        staff.shot(os.path.join(folder, "staff.png"))
        for _ in range(2):
            staff.evaluate("document.getElementById('staff-end').click()")
        code = service.process.wait(60)
        browser.complaints_none((page, staff))
    finally:
        window.close()
        if service.alive():
            service.end()
    if code != 0:
        raise SystemExit(f"staff ends it with {code}")


if __name__ == "__main__":
    browser.run(main)
