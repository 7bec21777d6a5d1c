// Gamepads, as in the window of the program: the left stick moves, the right one moves a cross, at which
// the triggers zoom; buttons are keys, where the page has them. Browsers have gamepads on https and on this machine alone.
"use strict";
(function () {
    const canvas = deepfield.canvas, DEAD = 0.2;
    const cross = document.createElement("div");
    const aim = {x: 0.5, y: 0.5}; // in the canvas, from its corner
    let pads = 0, lastS = 0, moving = false, before = [];

    cross.id = "cross";
    cross.hidden = true;
    canvas.parentElement.append(cross);

    function key(name) {
        return function () { deepfield.actions[name](); };
    }

    function juliaAt() {
        const at = deepfield.fromMiddle(aim.x * canvas.width, aim.y * canvas.height);
        deepfield.send("julia " + at.join(" "));
    }

    // Numbers of the standard layout of the W3C.
    const buttons = {1: key("backspace"), 2: key("shift+p"), 3: key("p"), 4: key("bookmark-previous"),
                     5: key("bookmark-next"), 8: key("home"), 9: key("?"), 11: juliaAt, 12: key("shift+z"),
                     13: key("z"), 15: key("h")};

    function tilt(value) {
        const size = Math.abs(value);
        return size <= DEAD ? 0 : Math.sign(value) * Math.pow((size - DEAD) / (1 - DEAD), 2);
    }

    function crossShow() {
        cross.hidden = !pads;
        cross.style.left = 100 * aim.x + "%";
        cross.style.top = 100 * aim.y + "%";
    }

    function buttonsDo(pad) {
        const now = pad.buttons.map(function (one) { return one.pressed; });
        for (const number of Object.keys(buttons))
            if (now[number] && !before[number])
                buttons[number]();
        before = now;
    }

    function sticksDo(pad, seconds) {
        const way = canvas.width * seconds, range = function (value) { return Math.max(0, Math.min(1, value)); };
        const x = -way * tilt(pad.axes[0]), y = -way * tilt(pad.axes[1]);
        aim.x = range(aim.x + 0.6 * seconds * tilt(pad.axes[2]));
        aim.y = range(aim.y + 0.6 * seconds * tilt(pad.axes[3]) * canvas.width / canvas.height);
        const zoom = 2 * seconds * (tilt(pad.buttons[7].value) - tilt(pad.buttons[6].value));
        if (x || y || zoom)
            deepfield.move(Math.pow(2, zoom), aim.x * canvas.width, aim.y * canvas.height, x, y, true);
        else if (moving)
            deepfield.rest();
        moving = Boolean(x || y || zoom);
    }

    function poll(nowMs) {
        const seconds = Math.min(0.1, nowMs / 1000 - lastS);
        lastS = nowMs / 1000;
        for (const pad of navigator.getGamepads())
            if (pad && pad.connected && pad.mapping === "standard") {
                sticksDo(pad, seconds);
                if (deepfield.actions)
                    buttonsDo(pad);
                break;
            }
        crossShow();
        if (pads)
            requestAnimationFrame(poll);
    }

    window.addEventListener("gamepadconnected", function () {
        pads++;
        if (pads > 1)
            return;
        lastS = performance.now() / 1000;
        requestAnimationFrame(poll);
    });
    window.addEventListener("gamepaddisconnected", function () { pads = Math.max(0, pads - 1); });
}());
