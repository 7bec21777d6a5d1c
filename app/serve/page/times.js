// The strip chart of the ranks: what the last ten seconds of each went into.
"use strict";
(function () {
    const canvas = document.getElementById("times"), words = document.getElementById("times-words");
    const columns = 50, column_s = 0.2, row_px = 26;
    const told = []; // sums as they were told, with the time; the oldest first

    // The colour of a rank, as app/viewer/overlays/style.c has it for the tiles.
    function colourOf(rank) {
        const hue = 0.55 + rank * 0.6180339887498949;
        const channel = function (h) {
            return Math.round(95 + 160 * Math.min(1, Math.max(0, Math.abs(h % 1 * 6 - 3) - 1)));
        };
        return "rgb(" + channel(hue) + "," + channel(hue + 2 / 3) + "," + channel(hue + 1 / 3) + ")";
    }

    deepfield.timesAdd = function (picture) {
        const now = performance.now() / 1000, last = told[told.length - 1];
        if (!picture.workers)
            return;
        if (last && now > last.at + 2 * column_s) // nothing was told because nothing happened
            told.push(Object.assign({}, last, {at: now - column_s}));
        picture.workers.forEach(function (worker, k) { // one that is left out does not wait
            const before = last && last.picture.workers[k];
            worker.work_s = (before ? before.work_s : 0) +
                (before && worker.computes ? picture.work_s - last.picture.work_s : 0);
        });
        told.push({at: now, picture: picture});
        while (told.length > 2 && told[1].at < now - (columns + 1) * column_s)
            told.shift();
    };

    // A sum at a time, between those that were told.
    function sumAt(at, of) {
        let k = told.length - 1;
        while (k > 0 && told[k].at > at)
            k--;
        const from = told[k], to = told[Math.min(k + 1, told.length - 1)];
        const span = to.at - from.at, way = span > 0 ? Math.min(1, Math.max(0, (at - from.at) / span)) : 0;
        return of(from.picture) + (of(to.picture) - of(from.picture)) * way;
    }

    function stripDraw(paint, row, colour, parts, now, width) {
        const pitch = width / columns, high = row_px - 4;
        paint.fillStyle = "#3a404a";
        paint.fillRect(0, row * row_px, width, high);
        for (let c = 0; c < columns; c++) {
            const from = now - (c + 1) * column_s;
            let foot = row * row_px + high;
            const shares = parts.map(function (of) {
                return Math.max(0, sumAt(from + column_s, of) - sumAt(from, of)) / column_s;
            });
            const used = shares[1] + shares[2] + shares[3];
            [[colour, shares[1]], ["#f4f4f4", shares[2]], ["#ffb454", shares[3]],
             ["#6a7078", shares[0] - used]].forEach(function (part) {
                const size = Math.min(Math.max(part[1], 0) * high, foot - row * row_px);
                paint.fillStyle = part[0];
                paint.fillRect(width - (c + 1) * pitch, foot - size, pitch, size);
                foot -= size;
            });
        }
    }

    deepfield.timesShow = function () {
        const last = told.length > 1 ? told[told.length - 1].picture : null;
        canvas.hidden = words.hidden = !last;
        if (!last)
            return;
        const none = function () { return 0; };
        const root = last.workers[0].rank > 0 ? [{rank: 0, number: -1}] : [];
        const rows = root.concat(last.workers.map(function (worker, number) {
            return {rank: worker.rank, number: number};
        }));
        const now = performance.now() / 1000 - column_s; // what is told later is not there yet
        canvas.width = canvas.clientWidth * devicePixelRatio;
        canvas.height = rows.length * row_px * devicePixelRatio;
        const paint = canvas.getContext("2d");
        paint.scale(devicePixelRatio, devicePixelRatio);
        rows.forEach(function (row, place) {
            const of = function (key) {
                return row.number < 0 ? none : function (picture) {
                    return picture.workers[row.number] ? picture.workers[row.number][key] : 0;
                };
            };
            const work = row.number < 0 ? function (picture) { return picture.work_s; } : of("work_s");
            const compose = row.rank > 0 ? none : function (picture) { return picture.compose_s; };
            stripDraw(paint, place, colourOf(row.rank),
                      [work, of("compute_s"), of("transfer_s"), compose], now, canvas.clientWidth);
        });
        words.textContent = deepfield_words.say("SERVED_RANK_TIMES");
        canvas.setAttribute("aria-label", words.textContent);
    };

    setInterval(function () {
        if (canvas.offsetParent)
            deepfield.timesShow();
    }, 200);
}());
