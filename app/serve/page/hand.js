// What the hand does on the picture: wheel, drag, fingers, clicks, held keys.
"use strict";
(function () {
    const canvas = deepfield.canvas;
    const pointers = new Map();
    const keys = new Set();
    const HOLD_PX = 6, FINGERS_PX = 8;
    const times = {holdMs: 350, tapS: 0.35}; // tests on busy machines have longer ones
    let wheelTimer = 0, flying = false, lastS = 0, tap = null;
    let last = null; // where the pointer was seen last
    let hold = null; // buttons or fingers that are held where they were put down: {x, y, zoom, flies, timer}
    let drag = {kind: "pan", button: 0, sinceMs: 0, fingers: 0}; // what the pointers do since the first

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

    // Middle, spread and direction of the fingers, now or where they were put down. Two that are nearly
    // one have no direction.
    function fingers(begun = false) {
        const all = Array.from(pointers.values()).map(function (one) {
            return begun ? {x: one.startX, y: one.startY} : one;
        });
        if (all.length < 2)
            return {x: all[0].x, y: all[0].y, spread: 0, angle: 0};
        const x = all[1].x - all[0].x, y = all[1].y - all[0].y, spread = Math.hypot(x, y);
        return {x: (all[0].x + all[1].x) / 2, y: (all[0].y + all[1].y) / 2,
                spread: spread < FINGERS_PX ? 0 : spread, angle: Math.atan2(y, x)};
    }

    // Degrees from one direction to another, the short way.
    function turnOf(from, to) {
        return Math.atan2(Math.sin(to - from), Math.cos(to - from)) * 180 / Math.PI;
    }

    function isStill() {
        return Array.from(pointers.values()).every(function (one) {
            return Math.hypot(one.x - one.startX, one.y - one.startY) < HOLD_PX * devicePixelRatio;
        });
    }

    function holdEnd() {
        if (hold)
            clearTimeout(hold.timer);
        hold = null;
    }

    // Held for a while without a move, it flies in there; the right button and two fingers fly out.
    function holdBegin(zoom) {
        const at = fingers();
        holdEnd();
        hold = {x: at.x, y: at.y, zoom: zoom, flies: false, timer: 0};
        hold.timer = setTimeout(function () {
            hold.flies = true;
            begin();
        }, times.holdMs);
    }

    function kindOf(event) {
        if (event.pointerType === "touch" || event.button !== 0)
            return "pan";
        return event.ctrlKey ? "turn" : event.shiftKey ? "box" : "pan";
    }

    canvas.addEventListener("contextmenu", function (event) { event.preventDefault(); });
    canvas.addEventListener("pointerdown", function (event) {
        if (event.button > 2 || pointers.size === 2)
            return;
        const at = position(event);
        if (event.button === 1) {
            event.preventDefault();
            middle(at);
            return;
        }
        pointers.forEach(function (one) {
            one.startX = one.x;
            one.startY = one.y;
        });
        pointers.set(event.pointerId, {x: at.x, y: at.y, startX: at.x, startY: at.y});
        if (pointers.size === 1)
            drag = {kind: kindOf(event), button: event.button, sinceMs: performance.now(), fingers: 1};
        else
            drag.fingers = 2;
        if (drag.kind === "pan")
            holdBegin(event.button === 2 || pointers.size === 2 ? -1 : 1);
        canvas.focus({preventScroll: true});
        canvas.setPointerCapture(event.pointerId);
        canvas.classList.add("moving");
    });

    function turn(from, to) {
        const x = canvas.width / 2, y = canvas.height / 2;
        if (Math.hypot(from.x - x, from.y - y) >= FINGERS_PX && Math.hypot(to.x - x, to.y - y) >= FINGERS_PX)
            deepfield.move(1, x, y, 0, 0, true,
                           turnOf(Math.atan2(from.y - y, from.x - x), Math.atan2(to.y - y, to.x - x)));
    }

    function pinch(before, now) {
        const both = before.spread && now.spread;
        const factor = both ? now.spread / before.spread : 1;
        const degrees = both ? turnOf(before.angle, now.angle) : 0;
        if (factor !== 1 || degrees || now.x !== before.x || now.y !== before.y)
            deepfield.move(factor, before.x, before.y, now.x - before.x, now.y - before.y, true, degrees);
    }

    canvas.addEventListener("pointermove", function (event) {
        last = position(event);
        const one = pointers.get(event.pointerId);
        if (!one)
            return;
        const before = fingers(), from = {x: one.x, y: one.y};
        one.x = last.x;
        one.y = last.y;
        if (hold && hold.flies) { // the flight follows the hand
            hold.x = fingers().x;
            hold.y = fingers().y;
            return;
        }
        if (hold && isStill())
            return;
        if (hold) { // what was held back while it might have been a click
            holdEnd();
            pinch(fingers(true), fingers());
        } else if (drag.kind === "turn")
            turn(from, one);
        else if (drag.kind === "box")
            boxShow(one);
        else
            pinch(before, fingers());
    });

    function release(event) {
        const one = pointers.get(event.pointerId), still = hold && !hold.flies && isStill();
        if (!one)
            return;
        if (drag.kind === "box" && event.type === "pointerup")
            boxTake(one);
        boxHide();
        pointers.delete(event.pointerId);
        holdEnd();
        if (!pointers.size) {
            canvas.classList.remove("moving");
            deepfield.rest();
        }
        if (still && event.type === "pointerup")
            clicked(event, position(event));
    }
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);

    // ---- clicks and taps ----

    function enlarge(at, factor) {
        if (deepfield.move(factor, at.x, at.y, 0, 0, false))
            deepfield.rest();
    }

    // Brings a point to the middle.
    function middle(at, factor = 1) {
        if (deepfield.move(factor, at.x, at.y, canvas.width / 2 - at.x, canvas.height / 2 - at.y, false))
            deepfield.rest();
    }

    canvas.addEventListener("dblclick", function (event) {
        enlarge(position(event), event.shiftKey ? 0.5 : 4);
    });

    function tapped(at) {
        const nowS = performance.now() / 1000, near = 40 * devicePixelRatio;
        if (tap && nowS - tap.s < times.tapS && Math.hypot(at.x - tap.x, at.y - tap.y) < near) {
            enlarge(at, 4);
            tap = null;
        } else
            tap = {x: at.x, y: at.y, s: nowS};
    }

    // The right button and a tap of two fingers go out; two taps go in.
    function clicked(event, at) {
        if (drag.button === 2)
            enlarge(at, 0.5);
        else if (event.pointerType === "touch" && drag.fingers === 1)
            tapped(at);
        else if (event.pointerType === "touch" && drag.fingers === 2 && performance.now() - drag.sinceMs < times.holdMs) {
            drag.fingers = 0; // the other finger comes up, too
            enlarge(at, 0.5);
        }
    }

    // ---- a box that is drawn ----

    const box = document.createElement("div");
    box.id = "box";
    box.hidden = true;
    canvas.parentElement.append(box);

    function boxOf(one) {
        return {x: Math.min(one.startX, one.x), y: Math.min(one.startY, one.y),
                width: Math.abs(one.x - one.startX), height: Math.abs(one.y - one.startY)};
    }

    function boxShow(one) {
        const made = boxOf(one), scale = canvas.getBoundingClientRect().width / canvas.width;
        box.hidden = !deepfield.view.leads;
        for (const [name, value] of [["left", made.x], ["top", made.y], ["width", made.width], ["height", made.height]])
            box.style[name] = value * scale + "px";
    }

    function boxHide() {
        box.hidden = true;
    }

    // Zooms to the box, unless it is so small that it was a click.
    function boxTake(one) {
        const made = boxOf(one), long = Math.max(made.width, made.height);
        if (long < 8 * devicePixelRatio)
            return;
        middle({x: made.x + made.width / 2, y: made.y + made.height / 2},
               Math.min(canvas.width / Math.max(made.width, 1), canvas.height / Math.max(made.height, 1)));
    }

    // ---- what is held: keys, flights ----

    const left = [1, 0, 0], right = [-1, 0, 0], up = [0, 1, 0], down = [0, -1, 0];
    const motions = {ArrowLeft: left, ArrowRight: right, ArrowUp: up, ArrowDown: down, a: left, d: right, w: up,
                     s: down, "+": [0, 0, 1], "=": [0, 0, 1], "-": [0, 0, -1]};

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
        lastS = nowMs / 1000;
        const held = hold && hold.flies;
        if (held)
            deepfield.move(Math.pow(2.2, hold.zoom * seconds), hold.x, hold.y, 0, 0, true);
        if (x || y || zoom)
            steer(x, y, zoom, seconds);
        else if (flying && !held)
            deepfield.rest();
        flying = Boolean(x || y || zoom || held);
        if (flying)
            requestAnimationFrame(fly);
    }

    function begin() {
        if (flying)
            return;
        flying = true; // ends with a rest, also where the key is up again before the first step
        lastS = performance.now() / 1000;
        requestAnimationFrame(fly);
    }

    // What the keys of keys.js need.
    deepfield.hand = {
        motions: motions,
        times: times,
        hold: function (key) {
            const way = motions[key];
            steer(way[0], way[1], way[2], 0.08);
            keys.add(key);
            begin();
        },
        free: function (key) { keys.delete(key); },
        freeAll: function () { keys.clear(); },
        enlarge: enlarge,
        at: function () { return last || {x: canvas.width / 2, y: canvas.height / 2}; }
    };
}());
