"""A window and a page of the same live picture: both show the pixels of `deepfield render`, either
of them leads, and a page that stands still delays nobody.

usage: serve_window.py PROGRAM FOLDER
"""
import os

import browser
from serve_page import EXACT, exact_rgb, same_as_render, settle
from service import Service

# The window: it obeys the page, then its own hand takes the lead back.
SCRIPT = """wait until palette is fire
wait until limit-asked = 3000
key tab
key plus
settle
expect same-as-render
wait until palette is ice
"""
STOPPED = 75  # in the last line, by a signal


def lead_of(page):
    page.until("!document.getElementById('lead').hidden")
    page.click("#lead")
    page.until("deepfield.view.leads")


def seen(page, act, state):
    """Acts, and waits for the exact picture in a state that it causes."""
    act()
    page.until(f"{EXACT} && {state}", 120)


def zoom(page):
    return page.evaluate("document.getElementById('zoom').textContent")


def main(program, folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "window.script")
    with open(path, "w", encoding="ascii") as file:
        file.write(SCRIPT)
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    service = Service(program, "--window", "--size", "320x240", "--script", path, "-j", "1")
    window = browser.Browser()
    try:
        still = service.connect(service.watch)  # confirms no frame
        page = window.page(320, 240)
        page.go(service.page)
        same_as_render(page, program, folder, "begin")
        if page.evaluate("deepfield.view.leads"):
            raise SystemExit("a page leads beside a window without having asked")
        lead_of(page)
        page.mouse("mouseWheel", 200, 80, deltaX=0, deltaY=-240)
        page.mouse("mouseWheel", 220, 80, deltaX=0, deltaY=-240)
        page.until("deepfield.view.number > 0")
        settle(page, page.evaluate("deepfield.view.number"))
        same_as_render(page, program, folder, "moved")
        moved = zoom(page)
        page.evaluate("deepfield.send('no such word')")  # the connection ends
        page.until("!deepfield.view.connected")
        page.until(f"deepfield.view.leads && {EXACT}", 120)  # it leads again, since the window rests
        page.evaluate("deepfield.send('set look.palette fire')")
        seen(page, lambda: page.key("Home"), f"document.getElementById('zoom').textContent !== {moved!r}")
        seen(page, lambda: page.key("Backspace"),
             f"document.getElementById('zoom').textContent === {moved!r}")
        seen(page, lambda: page.evaluate("deepfield.send('go elephant')"),
             "/elephant/i.test(document.title)")
        same_as_render(page, program, folder, "elephant")
        page.evaluate("deepfield.send('step contrast-less')")  # the window obeys it as its own key
        page.until("Math.abs(deepfield.facts.look.contrast - 0.7) < 1e-9")
        # The script's keys in the window follow.
        seen(page, lambda: page.evaluate("deepfield.send('set view.limit 3000')"),
             "!deepfield.view.leads && !/elephant/i.test(document.title)")
        same_as_render(page, program, folder, "window")
        page.evaluate("deepfield.send('set look.palette ice')")  # it does not lead any more
        page.click("#lead")
        page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))")
        if not service.alive():
            raise SystemExit(f"the window has ended: {service.process.stderr.read()}")
        code = service.end()
        browser.complaints_none((page,))
        still.close()
    finally:
        window.close()
        if service.alive():
            service.end()
    if code != STOPPED:
        raise SystemExit(f"SIGTERM ends it with {code}")


if __name__ == "__main__":
    browser.run(main)
