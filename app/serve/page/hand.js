// What the hand does on the picture: wheel, drag, pinch, double click, keys, gamepad.
"use strict";
(function () {
    const canvas = deepfield.canvas;
    const pointers = new Map();
    const keys = new Set();
    const HOLD_MS = 350, HOLD_PX = 6;
    let wheelTimer = 0, flying = false, lastS = 0, tap = null;
    let last = null; // where the pointer was seen last
    let hold = null; // a button or finger that is held where it was put down: {x, y, zoom, flies, timer}

    function position(event) {
        const box = canvas.getBoundingClientRect();
        return {x: (event.clientX - box.left) * canvas.width / box.width,
                y: (event.clientY - box.top) * canvas.height / box.height};
    }

    // ---- wheel ----

    canvas.addEventListener("wheel", function (event) {
        event.preventDefault();
        const unit = event.deltaMode === 1 ? 33 : event.deltaMode === 2 ? 400 : 1;
        const at = position(event), rate = event.ctrlKey ? 0.01 : 0.0018;
        const turn = Math.max(-400, Math.min(400, event.deltaY * unit));
        deepfield.move(Math.exp(-turn * rate), at.x, at.y, 0, 0, true);
        clearTimeout(wheelTimer);
        wheelTimer = setTimeout(deepfield.rest, 150);
    }, {passive: false});

    // ---- pointers ----

    // Middle and spread of the fingers.
    function fingers() {
        const all = Array.from(pointers.values());
        if (all.length < 2)
            return {x: all[0].x, y: all[0].y, spread: 0};
        return {x: (all[0].x + all[1].x) / 2, y: (all[0].y + all[1].y) / 2,
                spread: Math.max(8, Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y))};
    }

    function holdEnd() {
        if (hold)
            clearTimeout(hold.timer);
        hold = null;
    }

    // Held for a while without a move, it flies in there; the right button flies out.
    function holdBegin(event) {
        const at = position(event);
        hold = {x: at.x, y: at.y, zoom: event.button === 2 ? -1 : 1, flies: false, timer: 0};
        hold.timer = setTimeout(function () {
            hold.flies = true;
            begin();
        }, HOLD_MS);
    }

    canvas.addEventListener("contextmenu", function (event) { event.preventDefault(); });
    canvas.addEventListener("pointerdown", function (event) {
        if (event.button === 1 || event.button > 2 || pointers.size === 2)
            return;
        if (pointers.size)
            holdEnd();
        else
            holdBegin(event);
        canvas.focus({preventScroll: true});
        pointers.set(event.pointerId, position(event));
        canvas.setPointerCapture(event.pointerId);
        canvas.classList.add("moving");
    });

    canvas.addEventListener("pointermove", function (event) {
        last = position(event);
        if (!pointers.has(event.pointerId))
            return;
        const before = fingers(), at = position(event);
        if (hold && Math.hypot(at.x - hold.x, at.y - hold.y) < HOLD_PX * devicePixelRatio)
            return;
        if (hold && hold.flies) { // the flight follows the hand
            hold.x = at.x;
            hold.y = at.y;
            pointers.set(event.pointerId, at);
            return;
        }
        holdEnd();
        pointers.set(event.pointerId, position(event));
        const now = fingers();
        const factor = before.spread && now.spread ? now.spread / before.spread : 1;
        if (factor !== 1 || now.x !== before.x || now.y !== before.y)
            deepfield.move(factor, before.x, before.y, now.x - before.x, now.y - before.y, true);
    });

    function release(event) {
        if (!pointers.delete(event.pointerId))
            return;
        const flown = hold && hold.flies;
        holdEnd();
        if (!pointers.size) {
            canvas.classList.remove("moving");
            deepfield.rest();
        }
        if (flown)
            return;
        if (event.type === "pointerup" && event.pointerType === "touch")
            tapped(position(event));
    }
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);

    // ---- double click and double tap ----

    function enlarge(at, factor) {
        if (deepfield.move(factor, at.x, at.y, 0, 0, false))
            deepfield.rest();
    }

    canvas.addEventListener("dblclick", function (event) {
        enlarge(position(event), event.shiftKey ? 0.5 : 2);
    });

    function tapped(at) {
        const nowS = performance.now() / 1000, near = 40 * devicePixelRatio;
        if (tap && nowS - tap.s < 0.35 && Math.hypot(at.x - tap.x, at.y - tap.y) < near) {
            enlarge(at, 2);
            tap = null;
        } else
            tap = {x: at.x, y: at.y, s: nowS};
    }

    // ---- keys ----

    const motions = {ArrowLeft: [1, 0, 0], ArrowRight: [-1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0],
                     "+": [0, 0, 1], "=": [0, 0, 1], "-": [0, 0, -1]};

    function steer(x, y, zoom, seconds) {
        const step = 0.7 * canvas.height * seconds;
        deepfield.move(Math.pow(3, zoom * seconds), canvas.width / 2, canvas.height / 2, x * step, y * step,
                       true);
    }

    function fly(nowMs) {
        const seconds = Math.min(0.1, nowMs / 1000 - lastS);
        let x = 0, y = 0, zoom = 0;
        keys.forEach(function (key) {
            x += motions[key][0];
            y += motions[key][1];
            zoom += motions[key][2];
        });
        const pad = stick();
        x += pad[0];
        y += pad[1];
        zoom += pad[2];
        lastS = nowMs / 1000;
        const held = hold && hold.flies;
        if (held)
            deepfield.move(Math.pow(2.2, hold.zoom * seconds), hold.x, hold.y, 0, 0, true);
        if (x || y || zoom)
            steer(x, y, zoom, seconds);
        else if (flying && !held)
            deepfield.rest();
        flying = Boolean(x || y || zoom || held);
        if (flying || pads)
            requestAnimationFrame(fly);
    }

    function begin() {
        if (flying || pads)
            return;
        flying = true; // ends with a rest, also where the key is up again before the first step
        lastS = performance.now() / 1000;
        requestAnimationFrame(fly);
    }

    const own = {Home: "home", Backspace: "back", "?": "help", F1: "help", g: "places", c: "look",
                 f: "formula", i: "figures", s: "save", Escape: "close"};

    document.addEventListener("keydown", function (event) {
        const typing = event.target.matches("input, textarea");
        if (event.ctrlKey || event.metaKey || event.altKey || (typing && event.key !== "Escape"))
            return;
        if (motions[event.key] && (event.target === canvas || event.target === document.body)) {
            event.preventDefault();
            if (!event.repeat) {
                const way = motions[event.key];
                steer(way[0], way[1], way[2], 0.08);
                keys.add(event.key);
                begin();
            }
            return;
        }
        if (event.key === "j" || event.key === "J") {
            const at = last || {x: canvas.width / 2, y: canvas.height / 2};
            deepfield.send("julia " + deepfield.fromMiddle(at.x, at.y).join(" "));
            return;
        }
        const what = own[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (what) {
            event.preventDefault();
            deepfield.act(what === "back" && event.shiftKey ? "forward" : what);
        }
    });
    document.addEventListener("keyup", function (event) { keys.delete(event.key); });
    window.addEventListener("blur", function () { keys.clear(); });

    document.addEventListener("paste", function (event) {
        if (event.target.matches("input, textarea"))
            return;
        const text = event.clipboardData.getData("text/plain");
        if (text.trim())
            deepfield.send("go " + text.trim());
    });

    // ---- gamepads ----

    let pads = 0;

    function dead(value) {
        return Math.abs(value) < 0.18 ? 0 : value;
    }

    // Left stick moves; right stick and triggers zoom.
    function stick() {
        if (!pads)
            return [0, 0, 0];
        for (const pad of navigator.getGamepads())
            if (pad && pad.mapping === "standard")
                return [-dead(pad.axes[0]), -dead(pad.axes[1]),
                        pad.buttons[7].value - pad.buttons[6].value - dead(pad.axes[3])];
        return [0, 0, 0];
    }
    window.addEventListener("gamepadconnected", function () {
        begin();
        pads++;
    });
    window.addEventListener("gamepaddisconnected", function () { pads--; });
}());
