// One screen of a wall: its part of the picture, and the same frame as all others.
//
// A frame that has come is decoded and kept until the server says that all screens have it. The
// address has the place, "?screen=2,1" for the second column and the first row, so a screen that was
// lost comes back by itself.
"use strict";
var deepfield = (function () {
    const t = deepfield_words.say;
    const canvas = document.getElementById("part"), choice = document.getElementById("choice");
    const context = canvas.getContext("2d", {alpha: false});
    const view = {connected: false, frame: 0, exact: false, shown: []}; // shown: [frame, ms, screens left behind] of the last ones
    let place = placeOfAddress(), entered = false, wall = null, socket = null, wait = 250;
    let held = [], decoding = Promise.resolve(), awake = null;

    // ---- the place ----

    function placeOfAddress() {
        const found = /[?&]screen=(\d),(\d)(&|$)/.exec(location.search);
        return found ? {column: Number(found[1]) - 1, row: Number(found[2]) - 1} : null;
    }

    function addressSet() {
        const query = place ? "?screen=" + (place.column + 1) + "," + (place.row + 1) : "";
        history.replaceState(null, "", location.pathname + query); // without the token: the cookie has it
    }

    function enter() {
        send(place ? "screen " + place.column + " " + place.row : "screen -1 -1");
    }

    function choose(number) {
        place = {column: number % wall.columns, row: Math.floor(number / wall.columns)};
        addressSet();
        enter();
        if (document.documentElement.requestFullscreen)
            document.documentElement.requestFullscreen().catch(function () { });
        stayAwake();
    }

    function stayAwake() {
        if (navigator.wakeLock && !document.hidden)
            navigator.wakeLock.request("screen").then(function (lock) { awake = lock; }).catch(function () { });
    }
    document.addEventListener("visibilitychange", function () {
        if (awake)
            stayAwake();
    });

    function choiceShow() {
        const list = document.getElementById("places");
        list.style.gridTemplateColumns = "repeat(" + wall.columns + ", 1fr)";
        while (list.children.length < wall.taken.length) {
            const button = document.createElement("button"), number = list.children.length;
            button.type = "button";
            button.addEventListener("click", function () { choose(number); });
            list.append(button);
        }
        wall.taken.forEach(function (taken, number) {
            const button = list.children[number];
            const name = number % wall.columns + 1 + ", " + (Math.floor(number / wall.columns) + 1);
            button.textContent = taken ? t("WALL_TAKEN", name) : name;
            button.classList.toggle("taken", taken);
        });
    }

    function wallShow(value) {
        wall = value.wall;
        if (!wall) {
            noteShow(t("WALL_NONE"));
            return;
        }
        const was = entered;
        entered = wall.place >= 0;
        if (was && !entered) // another page has this place now
            place = null;
        canvas.hidden = !entered;
        choice.hidden = entered || Boolean(place && !was && placeThere());
        if (!entered && place && !placeThere())
            place = null;
        choiceShow();
    }

    function placeThere() {
        return place.column < wall.columns && place.row < wall.rows;
    }

    function noteShow(text) {
        const note = document.getElementById("note");
        note.textContent = text;
        note.hidden = !text;
    }

    // ---- frames ----

    function send(text) {
        if (socket && socket.readyState === WebSocket.OPEN)
            socket.send(text);
    }

    // Where the share number `at` of `of` begins, as app/serve/wall.c cuts.
    function edge(length, at, of) {
        return Math.floor(length * at / of);
    }

    function part(made) {
        const x = edge(made.width, place.column, wall.columns), y = edge(made.height, place.row, wall.rows);
        return {x: x, y: y, width: edge(made.width, place.column + 1, wall.columns) - x,
                height: edge(made.height, place.row + 1, wall.rows) - y};
    }

    function paint(one) {
        const box = part(one.made);
        if (canvas.width !== box.width || canvas.height !== box.height) {
            canvas.width = box.width;
            canvas.height = box.height;
        }
        one.made.cells.forEach(function (cell, i) {
            context.drawImage(one.images[i], cell.x - box.x, cell.y - box.y, cell.width, cell.height);
            one.images[i].close();
        });
        view.exact = (one.made.flags & 2) !== 0;
    }

    // Paints all frames up to this one: those that came late are part of the next.
    function present(frame, late) {
        while (held.length && ((held[0].made.sequence - frame) | 0) <= 0)
            paint(held.shift());
        view.frame = frame;
        view.shown.push([frame, performance.timeOrigin + performance.now(), late]);
        if (view.shown.length > 2000)
            view.shown.shift();
        send("shown " + frame);
    }

    function take(buffer) {
        const made = deepfield_frames.parse(buffer), from = socket;
        if (!(made.flags & 4)) { // of the time before it had a place
            send("shown " + made.sequence);
            return;
        }
        const images = Promise.all(made.cells.map(deepfield_frames.decode));
        const before = decoding;
        decoding = images.then(function (ready) {
            return before.then(function () {
                if (socket !== from)
                    return;
                held.push({made: made, images: ready});
                send("ready " + made.sequence);
            });
        }).catch(function () { from.close(); });
    }

    function takeText(value) {
        if (value.kind === "facts")
            wallShow(value);
        else if (value.kind === "present" && document.hidden) // no frames are drawn for it
            present(value.frame, value.late);
        else if (value.kind === "present")
            requestAnimationFrame(function () { present(value.frame, value.late); });
    }

    // ---- the socket ----

    function connect() {
        socket = deepfield_frames.socket();
        socket.onopen = function () {
            wait = 250;
            view.connected = true;
            entered = false;
            held = [];
            noteShow("");
            enter();
        };
        socket.onmessage = function (event) {
            if (typeof event.data === "string")
                takeText(JSON.parse(event.data));
            else
                take(event.data);
        };
        socket.onclose = function () {
            view.connected = view.exact = false;
            if (!place) // a screen goes on with what it has, in silence
                noteShow(t("LINK_LOST"));
            setTimeout(connect, wait);
            wait = Math.min(1000, wait * 1.5);
        };
    }

    addressSet();
    connect();
    return {view: view, canvas: canvas, send: send};
}());
