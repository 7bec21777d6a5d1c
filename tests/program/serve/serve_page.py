"""The served page in a browser: it shows the pixels of `deepfield render`, obeys hands, and comes
back after a lost connection.

usage: serve_page.py PROGRAM FOLDER [firefox]
"""
import base64
import os
import struct
import subprocess
import sys
import time
import zlib

import accessible
import browser
import firefox
from service import Relay, Service

WIDTH, HEIGHT = 320, 240
EXACT = "deepfield.view.exact"


def png_rgb(path):
    """Rows of a PNG of 8 bits RGB as one string of bytes."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack_from(">IIBB", body)
            assert (bits, colour) == (8, 2)
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, stride, rows = zlib.decompress(packed), 3 * width, []
    before = bytearray(stride)
    for y in range(height):
        kind = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left = row[x - 3] if x >= 3 else 0
            above, corner = before[x], before[x - 3] if x >= 3 else 0
            if kind == 1:
                row[x] = (row[x] + left) & 255
            elif kind == 2:
                row[x] = (row[x] + above) & 255
            elif kind == 3:
                row[x] = (row[x] + (left + above) // 2) & 255
            elif kind == 4:
                p = left + above - corner
                near = min((abs(p - left), 0, left), (abs(p - above), 1, above),
                           (abs(p - corner), 2, corner))[2]
                row[x] = (row[x] + near) & 255
        rows.append(bytes(row))
        before = row
    return b"".join(rows)


def canvas_rgb(page):
    """Pixels that the browser shows; None while they are not the exact ones."""
    text = page.evaluate("""(function () {
        if (!deepfield.view.exact)
            return null;
        const canvas = deepfield.canvas;
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let text = "";
        for (let i = 0; i < pixels.length; i += 4)
            text += String.fromCharCode(pixels[i], pixels[i + 1], pixels[i + 2]);
        return btoa(text);
    }())""")
    return base64.b64decode(text) if text else None


def exact_rgb(page):
    shown = None
    while shown is None:
        page.until(EXACT, 120)
        shown = canvas_rgb(page)
    return shown


def place_of(page):
    return page.evaluate("""new Promise(function (resolve) {
        deepfield.listen("place", function (value) { resolve(value.ini); });
        deepfield.send("place");
    })""")


def same_as_render(page, program, folder, name):
    shown, ini = exact_rgb(page), place_of(page)
    path = os.path.join(folder, name)
    with open(path + ".ini", "w", encoding="utf-8") as file:
        file.write(ini)
    subprocess.run([program, "render", path + ".ini", "-q", "-f", "-o", path + ".png"], check=True,
                   stdout=subprocess.DEVNULL)
    made = png_rgb(path + ".png")
    if made != shown:
        differ = sum(a != b for a, b in zip(made, shown))
        raise SystemExit(f"{name}: {differ} of {len(made)} samples differ from deepfield render")


def saved(page, program, folder):
    """The PNG that the page saves has its place inside, and its pixels are the same."""
    page.until(EXACT, 120)
    data = page.evaluate("""new Promise(function (resolve) {
        deepfield.listen("place", function (value) {
            deepfield.base.toBlob(function (blob) {
                blob.arrayBuffer().then(function (png) {
                    const reader = new FileReader();
                    reader.onload = function () { resolve(reader.result.split(",")[1]); };
                    reader.readAsDataURL(deepfield.withPlace(png, value.ini));
                });
            }, "image/png");
        });
        deepfield.send("place");
    })""")
    path = os.path.join(folder, "saved.png")
    with open(path, "wb") as file:
        file.write(base64.b64decode(data))
    again = os.path.join(folder, "again.png")
    subprocess.run([program, "render", path, "-q", "-f", "-o", again], check=True,
                   stdout=subprocess.DEVNULL)
    if png_rgb(again) != exact_rgb(page):
        raise SystemExit("the picture that was saved has another place inside")


def settle(page, number):
    """Waits until the picture of a motion is there."""
    page.until(f"deepfield.view.shown >= {number} && {EXACT}", 120)


def hands(page):
    """Wheel, drag, keys, double click: each becomes motions, and the picture of the last comes."""
    before = page.evaluate("deepfield.view.number")
    page.mouse("mouseWheel", 60, 90, deltaX=0, deltaY=-240)
    page.until(f"deepfield.view.number > {before}")
    before = page.evaluate("deepfield.view.number")
    page.mouse("mousePressed", 100, 100, button="left", clickCount=1)
    for x in (104, 110, 120):
        page.mouse("mouseMoved", x, 106, button="left", buttons=1)
    page.mouse("mouseReleased", 120, 106, button="left", clickCount=1)
    page.until(f"deepfield.view.number > {before}")
    before = page.evaluate("deepfield.view.number")
    page.mouse("mousePressed", 150, 90, button="left", clickCount=1)  # held, it flies
    page.until(f"deepfield.view.number > {before} + 3")
    page.mouse("mouseReleased", 150, 90, button="left", clickCount=1)
    before = page.evaluate("deepfield.view.number")
    page.key("ArrowLeft")
    page.key("+", "Equal", "+")
    page.until(f"deepfield.view.number > {before}")
    settle(page, page.evaluate("deepfield.view.number"))


def keys(page):
    """Back, home, and a panel by keys."""
    zoom = "document.getElementById('zoom').textContent"
    moved = page.evaluate(zoom)
    page.key("Home")
    page.until(f"{zoom} !== {moved!r} && {EXACT}", 120)
    page.key("Backspace")
    page.until(f"{zoom} === {moved!r} && {EXACT}", 120)
    page.key("g", "KeyG", "g")
    page.until("!document.getElementById('places').hidden && "
               "document.activeElement.id !== 'picture'")
    page.key("Escape")
    page.until("document.getElementById('panel').hidden")


def one_picture(page):
    """Whenever the page says that a place is exact, it shows the same pixels: those of that place, and
    not those before it. Facts of a place come before its frames."""
    page.evaluate("""(function () {
        window.exact = {};
        for (const kind of ["facts", "frame", "drawn"])
            deepfield.listen(kind, function () {
                if (!deepfield.view.exact)
                    return;
                const canvas = deepfield.canvas;
                const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
                const sum = pixels.reduce(function (all, byte) { return (all * 31 + byte) % 16777213; }, 1);
                (window.exact[deepfield.facts.zoom] = window.exact[deepfield.facts.zoom] || new Set()).add(sum);
            });
    }())""")
    for place in ("elephant", "seahorse", "elephant", "seahorse"):
        was = page.evaluate("deepfield.facts.zoom")
        page.evaluate(f"deepfield.send('go {place}')")
        page.until(f"deepfield.facts.zoom !== '{was}' && {EXACT}", 120)
    seen = page.evaluate("Object.values(window.exact).map((sums) => sums.size)")
    if len(seen) < 2 or max(seen) > 1:
        raise SystemExit(f"'exact' was said of so many pictures of each place: {seen}")


def turned(page, degrees):
    """Waits until the view is turned so far; what the hand does is no number with few digits."""
    page.until(f"Math.abs(deepfield.facts.rotation - ({degrees})) < 1e-4 && {EXACT}", 120)


def pressed(page, key, degrees, modifiers=0):
    """Presses a key by which the view is turned so far."""
    page.key(key, "Key" + key.upper(), key, modifiers)
    turned(page, degrees)


def turns(page):
    """Keys turn, mirror and set upright; Ctrl and a drag turn, Shift and a drag draw a box."""
    hurry_not(page)
    page.until(f"deepfield.view.leads && {EXACT}", 120)
    for key, degrees in (("e", 15), ("e", 30), ("q", 15), ("n", 0)):
        pressed(page, key, degrees)
    for mirror in ("true", "false"):
        pressed(page, "N", 0, 8)
        page.until(f"deepfield.facts.mirror === {mirror} && {EXACT}", 120)
    x, y = page.evaluate("[innerWidth / 2, innerHeight / 2]")
    for modifiers, kind, at, to in ((2, "turn", (x + 80, y), (x, y + 80)),
                                    (8, "box", (x - 80, y - 60), (x + 80, y + 60))):
        before = page.evaluate("deepfield.view.number")
        page.mouse("mousePressed", *at, button="left", clickCount=1, modifiers=modifiers)
        page.mouse("mouseMoved", *to, button="left", buttons=1, modifiers=modifiers)
        page.mouse("mouseReleased", *to, button="left", clickCount=1, modifiers=modifiers)
        page.until(f"deepfield.view.number > {before}")
        settle(page, page.evaluate("deepfield.view.number"))
        if kind == "turn":
            turned(page, 90)
    zoom = float(page.evaluate("deepfield.facts.zoom"))
    for number, (button, factor) in enumerate((("right", 0.5), ("middle", 1))):
        before = page.evaluate("deepfield.view.number")
        page.mouse("mousePressed", 100, 90, button=button, clickCount=1)
        page.mouse("mouseReleased", 100, 90, button=button, clickCount=1)
        page.until(f"deepfield.view.number > {before}")
        zoom *= factor
        page.until(f"Math.abs(deepfield.facts.zoom / {zoom} - 1) < 1e-9 && {EXACT}", 120)
    pressed(page, "n", 0)


def one_alone(service):
    """Waits until the picture was computed by one rank: clicked before, it has no time."""
    watcher = service.connect(service.watch)
    watcher.until(lambda w: w.facts and w.facts["picture"] and
                  w.facts["picture"]["picture_one_s"] > 0, 250)
    watcher.close()


def ranks(page, service):
    """A rank is left out by its box and comes back, by which no pixel changes; then there is a
    factor of speed, and a chart."""
    boxes = "document.querySelectorAll('#ranks input')"
    before = exact_rgb(page)
    page.key("h", "KeyH", "h")
    page.until(f"{boxes}.length === 2 && {boxes}[1].checked && !{boxes}[0].disabled")
    page.evaluate(f"{boxes}[1].click()")
    page.until(f"!{boxes}[1].checked && {boxes}[0].disabled && {EXACT}", 120)
    page.until("document.getElementById('faster').textContent === ''")
    one_alone(service)
    page.evaluate(f"{boxes}[1].click()")
    page.until(f"{boxes}[1].checked && /as fast as one/.test("
               "document.getElementById('faster').textContent)", 250)
    page.until("document.getElementById('times').height > 50")
    page.until(EXACT, 120)
    if exact_rgb(page) != before:
        raise SystemExit("pixels change with the ranks")
    page.key("Escape")


def reconnect(page):
    """A server that closes the connection is found again, with the same view."""
    page.evaluate("deepfield.send('no such word')")
    page.until("!deepfield.view.connected")
    page.until(f"deepfield.view.connected && deepfield.view.leads && {EXACT}", 120)


def link(window, service):
    """A link that was lost is found within 2 s, with the same view: by the first attempt that begins
    when it is there again, and pauses between attempts are of 1 s at most. The clock is judged with
    what timers of the page are late by, as on a busy machine."""
    relay = Relay(service.port)
    page = window.page(WIDTH, HEIGHT)
    page.go(service.page.replace(f":{service.port}/", f":{relay.port}/"))
    page.until(f"deepfield.view.leads && {EXACT}", 120)
    page.evaluate("deepfield.act('in')")
    settle(page, page.evaluate("deepfield.view.number"))
    before, place = exact_rgb(page), place_of(page)
    page.evaluate("""(function () {
        let due = Date.now() + 50;
        window.late = 0;
        setInterval(function () {
            window.late = Math.max(window.late, Date.now() - due);
            due = Date.now() + 50;
        }, 50);
        deepfield.listen("connected", function () { window.changedMs = Date.now(); });
    }())""")
    first = page.evaluate("deepfield.view.attempts")
    relay.cut()
    page.until(f"!deepfield.view.connected && deepfield.view.attempts >= {first} + 6")
    wait_ms = page.evaluate("deepfield.view.wait")
    begun_ms = time.time() * 1000
    relay.restore()
    least = page.evaluate("deepfield.view.attempts")
    page.until("deepfield.view.connected")
    attempts, opened_ms, late_ms = page.evaluate(
        "[deepfield.view.attempts, window.changedMs, window.late]")
    took_ms = opened_ms - begun_ms
    print(f"the link is found after {took_ms:.0f} ms, by attempt {attempts - least} after it was there;"
          f" pauses of at most {wait_ms} ms; timers are late by {late_ms} ms")
    if attempts > least + 1 or wait_ms > 1000 or took_ms > 2000 + 3 * late_ms:
        raise SystemExit("a link that is there again is found late")
    page.until(f"deepfield.view.leads && {EXACT}", 120)
    if exact_rgb(page) != before or place_of(page) != place:
        raise SystemExit("after a lost link there is another view")
    page.close()


def steps(page, program, folder):
    """Keys of the look, as in the window: the picture is that of its settings, and is undone."""
    look = "deepfield.facts.look"
    begin = page.evaluate(look)
    for key, code, text, modifiers, name, more in (
            (".", "Period", ".", 0, "density", 1), (",", "Comma", ",", 0, "density", -1),
            (".", "Period", ".", 0, "density", 1), ("]", "BracketRight", "]", 0, "offset", 1),
            ("V", "KeyV", "V", 8, "contrast", -1), ("x", "KeyX", "x", 0, "relief", 1)):
        was = page.evaluate(f"{look}.{name}")
        page.key(key, code, text, modifiers)
        page.until(f"({look}.{name} - {was}) * {more} > 0 && {EXACT}", 120)
        page.until("!document.getElementById('note').hidden")
    same_as_render(page, program, folder, "look")
    for kind in ("period", "distance", "colour"):
        page.key("k", "KeyK", "k")
        page.until(f"{look}.interior === '{kind}'")
    page.until("deepfield.facts.back && deepfield.facts.settled", 120)
    page.evaluate("deepfield.act('look')")
    page.evaluate("document.getElementById('steps').open = true")
    page.evaluate("document.querySelector('[data-step=contrast-more]').click()")
    page.until(f"Math.abs({look}.contrast - {begin['contrast']}) < 1e-9 && "
               "/0.8/.test(document.querySelector('[data-look=contrast] output').textContent)")
    page.key("Escape")
    zoom = page.evaluate("deepfield.facts.zoom")
    page.key("Home")
    page.until(f"deepfield.facts.zoom !== '{zoom}' && "
               f"deepfield.facts.settled && {EXACT}", 120)


def words(page):
    """What the page says, it says in the language that it is asked for, with its marks filled in."""
    for language, back, key in (("de", "Zurück", "Rücktaste"), ("en", "Back", "Backspace")):
        page.evaluate(f"deepfield_words.fill('{language}')")
        said = page.evaluate("[document.documentElement.lang, document.querySelector('[data-do=back]').title, "
                             "deepfield_words.say('HUD_SMOOTHING', 3, 16)]")
        if said[:2] != [language, f"{back} ({key})"] or "3" not in said[2] or "%" in said[2]:
            raise SystemExit(f"the page says {said} in {language}")
    empty = page.evaluate("Array.from(document.querySelectorAll('[data-text], kbd')).filter("
                          "(one) => !one.textContent.trim()).map((one) => one.outerHTML)")
    if empty:
        raise SystemExit(f"without a text: {empty}")


def pad(page):
    """A gamepad, as browsers tell of one: sticks and triggers move, buttons are keys."""
    page.evaluate("""(function () {
        const button = function () { return {pressed: false, value: 0}; };
        window.pad = {connected: true, mapping: "standard", axes: [0, 0, 0, 0],
                      buttons: Array.from({length: 17}, button)};
        navigator.getGamepads = function () { return [null, window.pad]; };
        window.dispatchEvent(new Event("gamepadconnected"));
    }())""")
    page.until("!document.getElementById('cross').hidden")
    zoom = page.evaluate("Number(deepfield.facts.zoom)")
    page.evaluate("window.pad.axes[2] = 1")
    page.until("parseFloat(document.getElementById('cross').style.left) > 60")
    page.evaluate("window.pad.axes[2] = 0, window.pad.axes[0] = 1, window.pad.buttons[7].value = 1")
    page.until(f"Number(deepfield.facts.zoom) > 1.2 * {zoom}")
    page.evaluate("window.pad.axes[0] = 0, window.pad.buttons[7].value = 0")
    settle(page, page.evaluate("deepfield.view.number"))
    zoom = page.evaluate("deepfield.facts.zoom")
    page.evaluate("window.pad.buttons[8].pressed = true")
    page.until(f"deepfield.facts.zoom !== '{zoom}'")
    page.evaluate("window.pad.buttons[8].pressed = false, window.pad.buttons[1].pressed = true")
    page.until(f"deepfield.facts.zoom === '{zoom}'")
    page.evaluate("window.pad.buttons[1].pressed = false, window.dispatchEvent(new Event('gamepaddisconnected'))")
    page.until("document.getElementById('cross').hidden")


def sharp(page):
    """The canvas has the pixels of the screen, as many as it shows."""
    size = page.evaluate("[deepfield.canvas.width, deepfield.canvas.height, innerWidth, innerHeight, devicePixelRatio]")
    if abs(size[0] - size[2] * size[4]) > 1 or abs(size[1] - size[3] * size[4]) > 1:
        raise SystemExit(f"the canvas is not that of the screen: {size}")


def hurry_not(page):
    """Lets presses be as long as a busy machine makes them: no hold, and no tap that is late."""
    page.evaluate("Object.assign(deepfield.hand.times, {holdMs: 1e6, tapS: 100})")


def touches(page):
    """Two fingers zoom and turn, their tap goes out, a double tap goes in."""
    page.touch("touchStart", [(120, 120), (200, 120)])
    for x, y in ((28, 28), (0, 40)): # whole pixels, which Firefox rounds to
        page.touch("touchMove", [(160 - x, 120 - y), (160 + x, 120 + y)])
    page.touch("touchEnd", [])
    turned(page, 90)
    before = page.evaluate("deepfield.view.number")
    page.touch("touchStart", [(120, 100), (200, 100)])
    page.touch("touchEnd", [])
    page.until(f"deepfield.view.number === {before} + 1")
    before = page.evaluate("deepfield.view.number")
    page.touch("touchStart", [(120, 100), (200, 100)])
    for spread in (42, 50, 60):
        page.touch("touchMove", [(160 - spread, 100), (160 + spread, 100)])
    page.touch("touchEnd", [])
    page.until(f"deepfield.view.number > {before}")
    before = page.evaluate("deepfield.view.number")
    for _ in range(2):
        page.touch("touchStart", [(150, 90)])
        page.touch("touchEnd", [])
    page.until(f"deepfield.view.number > {before}")


def main(program, folder, engine):
    os.makedirs(folder, exist_ok=True)
    service = Service(program, "--ranks", "3", "--samples", "2")
    window = engine.Browser()
    try:
        page = window.page(WIDTH, HEIGHT)
        page.go(service.page)
        page.until("deepfield.view.leads")
        if page.evaluate("location.search"):
            raise SystemExit("the token stays in the address")
        same_as_render(page, program, folder, "begin")
        hands(page)
        same_as_render(page, program, folder, "moved")
        keys(page)
        saved(page, program, folder)
        one_picture(page)
        turns(page)
        pad(page)
        accessible.named(page)
        steps(page, program, folder)
        words(page)
        ranks(page, service)
        reconnect(page)
        same_as_render(page, program, folder, "again")
        watcher = window.page(WIDTH, HEIGHT)
        watcher.go(service.watch)
        watcher.until(EXACT, 120)
        if watcher.evaluate("deepfield.view.leads"):
            raise SystemExit("one who only watches leads")
        if exact_rgb(watcher) != exact_rgb(page):
            raise SystemExit("two pages show different pictures")
        for width, height, touch in ((360, 640, True), (1280, 720, False)):
            other = window.page(width, height, 0.25, touch)  # of few pixels: the layout is judged
            other.go(service.page)
            other.until(EXACT, 120)
            accessible.panels(other, f"{width} px", touch)
            other.close()
        page.close()
        link(window, service)
        phone = window.page(WIDTH, HEIGHT, scale=1.5, touch=True)
        phone.go(service.page)
        phone.until(f"deepfield.view.leads && {EXACT}", 120)
        sharp(phone)
        hurry_not(phone)
        touches(phone)
        same_as_render(phone, program, folder, "turned")
        browser.complaints_none((page, watcher, phone), ("WebSocket", "/socket"))  # Firefox: the second
    finally:
        window.close()
        code = service.end()
    if code != 0:
        raise SystemExit(f"SIGTERM ends it with {code}")


if __name__ == "__main__":
    chosen = firefox if sys.argv[3:] == ["firefox"] else browser
    if chosen.program() is None:
        print("skipped: no Firefox here" if chosen is firefox else "skipped: no Chromium here")
        sys.exit(77)
    main(*sys.argv[1:3], chosen)
