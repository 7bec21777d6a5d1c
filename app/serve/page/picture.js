// The picture: frames of the server on a canvas, moved at once by what the hand has done since.
//
// Motions are numbered. A frame says which the newest is that it shows, and those since are drawn
// as a transform of it, so the picture follows the hand without waiting for the server. At rest
// the transform is the identity and the canvas has the pixels of the frames, bit for bit.
"use strict";
var deepfield = (function () {
    const canvas = document.getElementById("picture");
    const context = canvas.getContext("2d", {alpha: false});
    const base = document.createElement("canvas"); // pixels of the last picture
    const baseContext = base.getContext("2d", {alpha: false});
    const listeners = {};
    const view = {leads: false, exact: false, final: false, connected: false, number: 0, shown: 0, frames: 0, bytes: 0,
                  attempts: 0, wait: 250}; // connections that were tried, and ms of the next pause between two
    let pending = [];   // motions that the picture does not have yet: {number, factor, turn, x, y}
    let out = null;     // the motion that is sent next
    let held = false;
    let drawDue = false, hasLed = false, hasPicture = false, final = 0, told = 0, socket = null, waitTimer = 0, shows = Promise.resolve();

    function listen(kind, call) {
        (listeners[kind] = listeners[kind] || []).push(call);
    }

    function tell(kind, value) {
        (listeners[kind] || []).forEach(function (call) { call(value); });
    }

    // ---- drawing ----

    // Scale and corner of the picture in the canvas: 1 and 0 where they have the same size.
    function fit() {
        if (!hasPicture || (base.width === canvas.width && base.height === canvas.height))
            return {scale: 1, x: 0, y: 0};
        const scale = Math.min(canvas.width / base.width, canvas.height / base.height);
        return {scale: scale, x: (canvas.width - scale * base.width) / 2,
                y: (canvas.height - scale * base.height) / 2};
    }

    // A motion takes the point p, from the middle, to factor * (p turned clockwise) + (x, y).
    function moved(one, x, y) {
        const angle = one.turn * Math.PI / 180;
        const a = one.factor * Math.cos(angle), b = one.factor * Math.sin(angle);
        return {x: a * x - b * y + one.x, y: b * x + a * y + one.y};
    }

    function compose(first, then) {
        const at = moved(then, first.x, first.y);
        return {factor: first.factor * then.factor, turn: first.turn + then.turn, x: at.x, y: at.y};
    }

    function motion() {
        let sum = {factor: 1, turn: 0, x: 0, y: 0};
        if (view.guarded) // its flashes are measured where the pictures are made
            return sum;
        pending.forEach(function (one) { sum = compose(sum, one); });
        return out ? compose(sum, out) : sum;
    }

    function draw() {
        drawDue = false;
        const place = fit(), sum = motion();
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.fillStyle = "#0c1013";
        if (!hasPicture) {
            context.fillRect(0, 0, canvas.width, canvas.height);
            return;
        }
        const corner = moved(sum, -base.width / 2, -base.height / 2), angle = sum.turn * Math.PI / 180;
        const scale = place.scale * sum.factor;
        const x = place.x + place.scale * (base.width / 2 + corner.x);
        const y = place.y + place.scale * (base.height / 2 + corner.y);
        if (scale !== 1 || sum.turn !== 0 || x !== 0 || y !== 0) {
            const a = scale * Math.cos(angle), b = scale * Math.sin(angle);
            context.fillRect(0, 0, canvas.width, canvas.height);
            context.setTransform(a, b, -b, a, x, y);
        }
        context.drawImage(base, 0, 0);
        const whole = base.width === canvas.width && base.height === canvas.height;
        const exact = final !== 0 && final === told && !pending.length && !out && (whole || !view.leads || view.window);
        if (exact !== view.exact) {
            view.exact = exact;
            tell("drawn");
        }
    }

    function redraw() {
        if (!drawDue)
            requestAnimationFrame(frame);
        drawDue = true;
    }

    function frame() {
        if (out)
            flush();
        draw();
    }

    // ---- the socket ----

    function send(text) {
        if (socket && socket.readyState === WebSocket.OPEN)
            socket.send(text);
    }

    function flush() {
        if (!out)
            return;
        const one = out;
        out = null;
        one.number = ++view.number;
        pending.push(one);
        // The fixed point of the motion, or the middle, is where the engine begins.
        const to = moved(one, one.atX, one.atY);
        send(["move", one.number, one.atX, one.atY, to.x, to.y, one.factor, one.turn % 360,
              held ? 1 : 0].join(" "));
    }

    // The point (x, y) of the canvas stays while all becomes `factor` times as large and turns clockwise
    // about it, by degrees; then all moves.
    function move(factor, x, y, dx, dy, isHeld, turn = 0) {
        if (!view.leads || !hasPicture)
            return false;
        const place = fit();
        const px = (x - canvas.width / 2) / place.scale, py = (y - canvas.height / 2) / place.scale;
        const gone = moved({factor: factor, turn: turn, x: 0, y: 0}, px, py);
        const one = {factor: factor, turn: turn, x: px - gone.x + dx / place.scale,
                     y: py - gone.y + dy / place.scale};
        held = isHeld;
        out = out ? compose(out, one) : one;
        out.atX = px;
        out.atY = py;
        view.exact = false;
        redraw();
        tell("moved");
        return true;
    }

    // Position in the picture, from its middle, of a point of the canvas.
    function fromMiddle(x, y) {
        const place = fit();
        return [(x - canvas.width / 2) / place.scale, (y - canvas.height / 2) / place.scale];
    }

    function rest() {
        held = false;
        flush();
        send("rest");
    }

    // ---- frames ----

    function paint(made, images) {
        if (base.width !== made.width || base.height !== made.height) {
            base.width = made.width;
            base.height = made.height;
        }
        made.cells.forEach(function (cell, i) {
            baseContext.drawImage(images[i], cell.x, cell.y, cell.width, cell.height);
            images[i].close();
        });
        hasPicture = true;
        view.shown = made.motion;
        pending = pending.filter(function (one) { return ((one.number - made.motion) | 0) > 0; });
        final = made.exact;
        view.exact = false; // until it is drawn
        view.frames++;
        send("shown " + made.sequence);
        redraw();
        tell("frame", view);
    }

    // Images are decoded side by side, and frames painted in their order.
    function take(buffer) {
        const made = deepfield_frames.parse(buffer);
        view.bytes += buffer.byteLength;
        const images = Promise.all(made.cells.map(deepfield_frames.decode));
        const before = shows;
        shows = images.then(function (ready) {
            return before.then(function () { paint(made, ready); });
        }).catch(function () { if (socket) socket.close(); });
    }

    function takeText(text) {
        const value = JSON.parse(text);
        if (value.kind === "facts") {
            if (value.leads && !view.leads) {
                view.number = value.motion;
                pending = [];
                out = null;
            }
            const began = value.leads && !view.leads;
            view.leads = value.leads;
            told = value.exact;
            view.final = told !== 0; // rank 0 has the exact picture, the page perhaps not yet
            view.exact = view.exact && final === told; // facts of another place come before its frames
            redraw();
            view.window = value.window; // whose size the picture has
            view.guarded = Boolean(value.stand);
            if (hasLed && view.window && !view.leads) // a window has it since the connection was lost
                send("lead");
            hasLed = false;
            if (began)
                sizeSend();
        }
        tell(value.kind, value);
    }

    function connect() {
        clearTimeout(waitTimer);
        view.attempts++;
        socket = deepfield_frames.socket();
        socket.onopen = function () {
            view.wait = 250;
            view.connected = true;
            view.leads = false;
            pending = [];
            tell("connected", true);
        };
        socket.onmessage = function (event) {
            if (typeof event.data === "string")
                takeText(event.data);
            else
                take(event.data);
        };
        socket.onclose = function () {
            hasLed = hasLed || view.leads;
            view.connected = view.leads = view.exact = false;
            final = 0;
            tell("connected", false);
            waitTimer = setTimeout(connect, view.wait);
            view.wait = Math.min(1000, view.wait * 1.5); // so a link that is back is found within 2 s
        };
    }
    window.addEventListener("online", function () {
        if (socket && socket.readyState === WebSocket.CLOSED)
            connect();
    });

    // ---- size ----

    let sizeTimer = 0;

    function sizeSend() {
        if (view.leads && canvas.width >= 16 && canvas.height >= 16)
            send("size " + Math.min(8192, canvas.width) + " " + Math.min(8192, canvas.height));
    }

    function sizeSet(width, height) {
        if (canvas.width === width && canvas.height === height)
            return;
        canvas.width = width;
        canvas.height = height;
        view.exact = false;
        draw();
        clearTimeout(sizeTimer);
        sizeTimer = setTimeout(sizeSend, 120);
    }

    const observer = new ResizeObserver(function (entries) {
        const exact = entries[0].devicePixelContentBoxSize;
        const width = canvas.clientWidth * devicePixelRatio, height = canvas.clientHeight * devicePixelRatio;
        // Browsers that pretend to be a phone give it without the ratio.
        if (exact && Math.abs(exact[0].inlineSize - width) < 2 && Math.abs(exact[0].blockSize - height) < 2)
            sizeSet(exact[0].inlineSize, exact[0].blockSize);
        else
            sizeSet(Math.round(width), Math.round(height));
    });
    try {
        observer.observe(canvas, {box: "device-pixel-content-box"});
    } catch (error) {
        observer.observe(canvas);
    }

    return {canvas: canvas, base: base, view: view, listen: listen, tell: tell, send: send, move: move, rest: rest, fromMiddle: fromMiddle,
            connect: connect};
}());
