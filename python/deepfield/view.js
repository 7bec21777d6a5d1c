// A canvas that shows a live picture: drag to move, wheel to zoom, double click to go in.
// channel: send(message), and onframe(header, PNG as a Blob), which this sets. Moves are shown at
// once by moving the last picture; each has a number, and a frame says which the newest is that it
// has in it.
window.deepfieldView = function (canvas, channel) {
    "use strict";
    const context = canvas.getContext("2d");
    const moves = []; // that the shown picture does not have yet: [number, factor, x, y], x' = f x + dx
    let picture = null, number = 0, drag = null, due = false;

    function draw() {
        due = false;
        context.fillStyle = "#202020";
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.fillRect(0, 0, canvas.width, canvas.height);
        for (let i = moves.length - 1; i >= 0; i--)
            context.transform(moves[i][1], 0, 0, moves[i][1], moves[i][2], moves[i][3]);
        if (picture)
            context.drawImage(picture, 0, 0);
    }

    function redraw() {
        if (!due)
            requestAnimationFrame(draw);
        due = true;
    }

    // The point under (x, y) stays there while all becomes `factor` times as large, and then moves.
    function move(factor, x, y, dx, dy, moving) {
        number++;
        moves.push([number, factor, x - factor * x + dx, y - factor * y + dy]);
        channel.send({move: number, factor: factor, x: x, y: y, dx: dx, dy: dy, moving: moving});
        redraw();
    }

    function position(event) {
        const box = canvas.getBoundingClientRect();
        return [(event.clientX - box.left) * canvas.width / box.width,
                (event.clientY - box.top) * canvas.height / box.height];
    }

    channel.onframe = function (header, blob) {
        createImageBitmap(blob).then(function (bitmap) {
            picture = bitmap;
            while (moves.length && moves[0][0] <= header.move)
                moves.shift();
            channel.send({shown: header.version});
            redraw();
        });
    };
    canvas.addEventListener("wheel", function (event) {
        const [x, y] = position(event);
        event.preventDefault();
        move(event.deltaY < 0 ? 1.25 : 0.8, x, y, 0, 0, true);
    }, {passive: false});
    canvas.addEventListener("pointerdown", function (event) {
        drag = position(event);
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", function (event) {
        if (!drag)
            return;
        const [x, y] = position(event);
        move(1, 0, 0, x - drag[0], y - drag[1], true);
        drag = [x, y];
    });
    canvas.addEventListener("pointerup", function () {
        drag = null;
        channel.send({rest: true});
    });
    canvas.addEventListener("dblclick", function (event) {
        const [x, y] = position(event);
        move(event.shiftKey ? 0.25 : 4, x, y, 0, 0, false);
    });
    redraw();
};
