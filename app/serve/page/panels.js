// Panels and the bar: places, colours, formulas, figures, files, help.
"use strict";
(function () {
    const t = deepfield_words.say;
    const panel = document.getElementById("panel");
    const by = function (id) { return document.getElementById(id); };
    let opener = null, picture = {}, role = {}, wanted = null, noteTimer = 0;

    // ---- opening and closing ----

    function panelClose() {
        if (panel.hidden)
            return;
        panel.hidden = true;
        document.querySelectorAll("#bar [data-panel]").forEach(function (button) {
            button.setAttribute("aria-expanded", "false");
        });
        (opener || deepfield.canvas).focus();
        opener = null;
    }

    function panelOpen(name) {
        const section = by(name);
        if (document.querySelector("#bar [data-panel=" + name + "]").hidden)
            return;
        const open = !panel.hidden && !section.hidden;
        if (open) {
            panelClose();
            return;
        }
        panel.querySelectorAll("section").forEach(function (one) { one.hidden = one !== section; });
        document.querySelectorAll("#bar [data-panel]").forEach(function (button) {
            button.setAttribute("aria-expanded", String(button.dataset.panel === name));
            if (button.dataset.panel === name)
                opener = button;
        });
        by("panel-title").textContent = t(section.dataset.head);
        panel.hidden = false;
        deepfield.tell("panel", name);
        figuresShow();
        commandShow();
        // A field that has the focus brings up the keyboard of a phone.
        const fine = matchMedia("(pointer: fine)").matches;
        const first = fine && Array.from(section.querySelectorAll("input, textarea, button:not(:disabled)"))
            .find(function (one) { return one.getClientRects().length > 0; });
        (first || by("close")).focus({preventScroll: true});
    }

    deepfield.act = function (what) {
        const canvas = deepfield.canvas;
        if (what === "close")
            panelClose();
        else if (what === "home" || what === "back" || what === "forward")
            deepfield.send(what);
        else if (what === "in" || what === "out") {
            if (deepfield.move(what === "in" ? 2 : 0.5, canvas.width / 2, canvas.height / 2, 0, 0, false))
                deepfield.rest();
        } else
            panelOpen(what);
    };

    document.querySelectorAll("#bar button").forEach(function (button) {
        button.addEventListener("click", function () {
            deepfield.act(button.dataset.do || button.dataset.panel);
        });
    });
    by("close").addEventListener("click", panelClose);

    // ---- notes ----

    function note(text, lasting) {
        by("note").textContent = text;
        by("note").hidden = !text;
        clearTimeout(noteTimer);
        if (text && !lasting)
            noteTimer = setTimeout(function () { by("note").hidden = true; }, 6000);
    }

    deepfield.say = note;
    deepfield.listen("note", function (value) { note(value.text); });
    deepfield.listen("connected", function (is) {
        note(is ? "" : t("LINK_LOST"), true);
    });

    // ---- lists ----

    function listFill(id, rows, key) {
        const list = by(id), filter = by(id + "-filter");
        list.textContent = "";
        rows.forEach(function (row) {
            const item = document.createElement("li"), button = document.createElement("button");
            button.type = "button";
            button.dataset.name = row.name;
            button.textContent = row.name;
            if (row.summary) {
                const small = document.createElement("small");
                small.textContent = row.summary;
                button.append(small);
            }
            button.addEventListener("click", function () {
                deepfield.send(key ? "set " + key + " " + row.name : "go " + row.name);
            });
            item.append(button);
            list.append(item);
        });
        filter.addEventListener("input", function () {
            const words = filter.value.toLowerCase();
            for (const item of list.children)
                item.hidden = !item.textContent.toLowerCase().includes(words);
        });
    }

    function listMark(id, name) {
        by(id).querySelectorAll("button").forEach(function (button) {
            if (button.dataset.name === name)
                button.setAttribute("aria-current", "true");
            else
                button.removeAttribute("aria-current");
        });
    }

    deepfield.listen("lists", function (value) {
        if (by("views").children.length)
            return; // after a lost connection
        listFill("views", value.views, null);
        listFill("palettes", value.palettes, "look.palette");
        listFill("formulas", value.formulas, "view.formula");
    });

    // ---- forms ----

    function submit(id, call) {
        by(id).addEventListener("submit", function (event) {
            event.preventDefault();
            call();
        });
    }
    submit("go", function () {
        if (by("place").value.trim())
            deepfield.send("go " + by("place").value.trim());
    });
    submit("colours", function () {
        if (by("colours-text").value.trim())
            deepfield.send("set look.palette " + by("colours-text").value.trim());
    });
    submit("limit", function () {
        deepfield.send("set view.limit " + (by("limit-text").value.trim() || "auto"));
    });

    // ---- facts ----

    // 4.0e5 as 4.0 · 10⁵ reads badly aloud; 4.0e5 is what files have.
    function short(number) {
        const match = /^\+?(\d+)(?:\.(\d*))?(?:e\+?(-?\d+))?/i.exec(number || "");
        if (!match)
            return number || "";
        const digits = (match[1] + (match[2] || "")).replace(/^0+/, "");
        const lead = match[1].replace(/^0+/, "").length;
        const power = Number(match[3] || 0) + lead - 1;
        if (lead && power < 4 && power >= 0)
            return Number(number).toLocaleString(deepfield_words.language, {maximumFractionDigits: 2});
        return lead ? digits[0] + "." + (digits.slice(1, 3) || "0") + "e" + power : number;
    }

    function stageText() {
        const percent = Math.round(100 * (picture.done || 0)) + " %";
        if (!deepfield.view.connected)
            return "";
        if (picture.error)
            return picture.error;
        if (deepfield.view.exact)
            return t("SERVED_STAGE_EXACT");
        switch (picture.stage) {
        case "orbit": return t("HUD_ORBIT") + " " + (picture.orbit_steps || 0).toLocaleString(deepfield_words.language);
        case "samples": return t("HUD_SMOOTHING", picture.samples, picture.samples_wanted);
        case "done": return deepfield.view.final ? t("SERVED_STAGE_SENDING") : "";
        case "nothing": return "";
        default: return t("SERVED_STAGE_COMPUTING", percent);
        }
    }

    function rows() {
        const rate = picture.iterations_per_s > 0 ? Number(picture.iterations_per_s).toExponential(1) + "/s" : "";
        return [["SERVED_FORMULA", picture.formula || "mandelbrot"], ["SERVED_JULIA", picture.julia],
                ["SERVED_TITLE", picture.title], ["SERVED_RE", picture.re], ["SERVED_IM", picture.im],
                ["SERVED_ZOOM", picture.zoom],
                ["SERVED_ROTATION", Number(picture.rotation) ? picture.rotation + "°" : ""],
                ["SAVE_SIZE", deepfield.base.width + " × " + deepfield.base.height],
                ["SERVED_LIMIT", picture.limit && Number(picture.limit).toLocaleString(deepfield_words.language) +
                    (picture.limit_set ? "" : " (" + t("SERVED_AUTOMATIC") + ")")],
                ["SERVED_METHOD", picture.method],
                ["SERVED_ERROR", picture.predicted_px !== null && picture.predicted_px !== undefined
                    ? Number(picture.predicted_px).toExponential(1) + " px" : ""],
                ["SERVED_SAMPLES", picture.samples + " / " + picture.samples_wanted],
                ["SET_LIMIT", rate], ["SERVED_BROWSERS", role.pages]];
    }

    function figuresShow() {
        if (panel.hidden || by("figures").hidden)
            return;
        const list = by("facts"), body = by("ranks").tBodies[0];
        list.textContent = "";
        rows().forEach(function (row) {
            if (row[1] === undefined || row[1] === null || row[1] === "")
                return;
            const name = document.createElement("dt"), value = document.createElement("dd");
            name.textContent = t(row[0]);
            value.textContent = row[1];
            list.append(name, value);
        });
        ranksShow(body);
        deepfield.timesShow();
    }

    // A row of the table of ranks, whose box leaves it out or takes it back.
    function rankRow(body, number) {
        const row = body.insertRow(), box = document.createElement("input");
        box.type = "checkbox";
        box.addEventListener("change", function () {
            deepfield.send("rank " + number + " " + (box.checked ? 1 : 0));
        });
        const target = document.createElement("label"); // as large as a finger
        target.append(box);
        row.insertCell().append(target);
        for (let i = 0; i < 5; i++)
            row.insertCell();
        return row;
    }

    function ranksShow(body) {
        const workers = picture.workers || [];
        while (body.rows.length > workers.length)
            body.deleteRow(-1);
        workers.forEach(function (worker, number) {
            const row = body.rows[number] || rankRow(body, number);
            const box = row.querySelector("input");
            box.checked = worker.computes;
            box.disabled = !role.leads || (worker.computes && picture.computing <= 1);
            box.setAttribute("aria-label", t("SERVED_RANK_TAKES_PART", worker.rank));
            [worker.rank, worker.host, worker.threads,
             worker.alive ? Math.round(100 * worker.busy) + " %" : t("HUD_LOST"),
             worker.tiles.toLocaleString(deepfield_words.language)].forEach(function (value, i) {
                row.cells[i + 1].textContent = value;
            });
        });
        const both = picture.computing > 1 && picture.picture_s > 0 && picture.picture_one_s > 0;
        const factor = both ? (picture.picture_one_s / picture.picture_s).toFixed(1) : "";
        by("faster").textContent = both ? t("RANKS_FASTER", factor)
            : picture.computing > 1 && !(picture.picture_one_s > 0)
                ? t("RANKS_MEASURE") : "";
    }

    function stateShow() {
        by("zoom").textContent = picture.zoom ? t("HUD_ZOOM", short(picture.zoom)) : "";
        by("stage").textContent = stageText();
        by("save-picture").disabled = !deepfield.view.exact;
        by("save-state").textContent = deepfield.view.exact ? t("SERVED_EXACT")
                                                            : t("SERVED_NOT_EXACT");
    }

    function roleShow() {
        const button = by("lead");
        let text = "", word = "";
        if (!role.may_lead)
            text = t("SERVED_WATCH");
        else if (!role.leads) {
            text = role.waits ? t("SERVED_ASKED") : t("SERVED_OTHER_LEADS");
            word = role.waits ? "" : t("SERVED_ASK");
        } else if (role.asked > 0) {
            text = t("SERVED_OTHER_ASKS");
            word = t("SERVED_GIVE");
        }
        by("role").hidden = !text;
        by("role-text").textContent = text;
        button.hidden = !word;
        button.textContent = word;
        deepfield.canvas.classList.toggle("still", !role.leads);
        document.querySelectorAll("#bar [data-do]").forEach(function (one) {
            one.disabled = !role.leads || (one.dataset.do === "back" && !picture.back);
        });
    }
    by("lead").addEventListener("click", function () { deepfield.send("lead"); });

    deepfield.listen("facts", function (value) {
        role = value;
        picture = value.picture || {};
        deepfield.timesAdd(picture);
        document.title = (picture.title ? picture.title + " – " : "") + "deepfield";
        listMark("palettes", picture.palette);
        listMark("formulas", picture.formula || "mandelbrot");
        if (document.activeElement !== by("limit-text"))
            by("limit-text").value = picture.limit_set ? picture.limit : "";
        stateShow();
        roleShow();
        figuresShow();
        commandShow();
    });
    deepfield.listen("frame", stateShow);
    deepfield.listen("drawn", stateShow);
    deepfield.listen("moved", stateShow);

    // ---- files ----

    // The whole picture at 4K or more, in the shape that it has here.
    function commandShow() {
        const base = deepfield.base, factor = Math.max(2, Math.ceil(3840 / (base.width || 1280)));
        by("command").value = "deepfield render place.ini --size " + factor * base.width + "x" +
            factor * base.height + " -o place.png";
    }

    function download(blob, name) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = name;
        link.click();
        setTimeout(function () { URL.revokeObjectURL(link.href); }, 10000);
    }

    function crc(bytes) {
        let sum = -1;
        for (const byte of bytes) {
            sum ^= byte;
            for (let i = 0; i < 8; i++)
                sum = sum >>> 1 ^ (sum & 1 ? 0xedb88320 : 0);
        }
        return ~sum >>> 0;
    }

    // A PNG with the place inside, behind its header, as those of the program have it.
    function withPlace(png, ini) {
        const text = new TextEncoder().encode(ini);
        const ascii = text.every(function (byte) { return byte < 128; });
        const head = new TextEncoder().encode(ascii ? "tEXtdeepfield\0" : "iTXtdeepfield\0\0\0\0\0");
        const body = new Uint8Array(head.length + text.length + 8), numbers = new DataView(body.buffer);
        body.set(head, 4);
        body.set(text, 4 + head.length);
        numbers.setUint32(0, head.length + text.length - 4);
        numbers.setUint32(body.length - 4, crc(body.subarray(4, body.length - 4)));
        return new Blob([png.slice(0, 33), body, png.slice(33)], {type: "image/png"});
    }
    deepfield.withPlace = withPlace;

    deepfield.listen("place", function (value) {
        if (wanted === "place")
            download(new Blob([value.ini], {type: "text/plain"}), "place.ini");
        else if (wanted === "picture")
            deepfield.base.toBlob(function (blob) {
                blob.arrayBuffer().then(function (png) { download(withPlace(png, value.ini), "place.png"); });
            }, "image/png");
        wanted = null;
    });
    by("save-picture").addEventListener("click", function () {
        wanted = "picture";
        deepfield.send("place");
    });
    by("save-place").addEventListener("click", function () {
        wanted = "place";
        deepfield.send("place");
    });
    by("copy").addEventListener("click", function () {
        by("command").select();
        if (navigator.clipboard)
            navigator.clipboard.writeText(by("command").value).then(function () { note(t("SERVED_COPIED")); });
    });

    // ---- beginning ----

    if (location.search) // the token is in the cookie now
        history.replaceState(null, "", location.pathname);
    deepfield.connect();
    deepfield.canvas.focus({preventScroll: true});
}());
