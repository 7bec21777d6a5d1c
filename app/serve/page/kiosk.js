// A stand for the public as a page: buttons, sentences, the code to take away, and what staff may do.
//
// The program decides all of it, in the language that the stand has now; this page shows it and
// says what was pressed. What it may not do it cannot send with effect.
"use strict";
(function () {
    const t = deepfield_words.say;
    const by = function (id) { return document.getElementById(id); };
    const canvas = deepfield.canvas;
    let stand = null, role = {}, shownCode = "", sure = 0, noteTimer = 0;

    function textSet(id, text) {
        by(id).hidden = !text;
        if (by(id).textContent !== (text || ""))
            by(id).textContent = text || "";
    }

    // ---- hands ----

    // The program learns of every touch: it begins a visit, or goes on with it.
    function touched() { deepfield.send("touch"); }
    canvas.addEventListener("pointerdown", function () {
        document.body.classList.remove("keys");
        touched();
    });
    canvas.addEventListener("wheel", function () {
        if (stand && stand.stage !== "visitor")
            touched();
    }, {passive: true});
    document.addEventListener("keydown", function (event) {
        document.body.classList.add("keys"); // shows where the focus is
        if (!event.repeat && stand && (stand.stage !== "visitor" || stand.code))
            touched();
        else if (event.key === "Home")
            deepfield.send("home");
    });

    deepfield.act = function (what) {
        if (what === "home" || what === "back" || what === "forward")
            deepfield.send(what);
        else if (what === "close" && stand && stand.code)
            touched();
    };

    // ---- buttons ----

    function buttonOf(row, number) {
        for (const button of row.children)
            if (button.dataset.number === String(number))
                return button;
        const button = document.createElement("button"), sign = document.createElement("b");
        button.type = "button";
        button.dataset.number = number;
        sign.setAttribute("aria-hidden", "true");
        button.append(sign, document.createElement("span"));
        button.addEventListener("click", function () { deepfield.send("press " + number); });
        row.append(button);
        return button;
    }

    function buttonsShow() {
        const present = new Set();
        stand.buttons.forEach(function (one) {
            const button = buttonOf(by(one.second ? "second" : "first"), one.number);
            present.add(button);
            button.children[0].textContent = one.sign;
            button.children[1].textContent = one.label;
            button.title = one.label;
            if (one.pressed === undefined)
                button.removeAttribute("aria-pressed");
            else
                button.setAttribute("aria-pressed", String(one.pressed));
        });
        document.querySelectorAll("nav button").forEach(function (button) {
            if (!present.has(button))
                button.remove();
        });
        by("second").hidden = !stand.more;
    }

    // ---- what the program says ----

    function codeShow() {
        const code = stand.code;
        by("code").hidden = !code;
        if (!code) {
            shownCode = "";
            return;
        }
        textSet("code-text", code.text);
        if (shownCode === code.modules)
            return;
        shownCode = code.modules;
        const quiet = 4, side = code.side + 2 * quiet, picture = by("code-picture");
        picture.width = picture.height = side;
        picture.setAttribute("aria-label", code.text);
        const paint = picture.getContext("2d");
        paint.fillStyle = "#fff";
        paint.fillRect(0, 0, side, side);
        paint.fillStyle = "#000";
        for (let i = 0; i < code.modules.length; i++)
            if (code.modules[i] === "1")
                paint.fillRect(quiet + i % code.side, quiet + Math.floor(i / code.side), 1, 1);
        by("code-close").focus({preventScroll: true});
    }
    by("code-close").addEventListener("click", touched);

    function handShow() {
        const hand = by("hand"), base = deepfield.base;
        hand.hidden = !stand.hand;
        if (!stand.hand || !base.width)
            return;
        const box = canvas.getBoundingClientRect();
        const scale = Math.min(box.width / base.width, box.height / base.height);
        hand.style.left = box.width / 2 + scale * (stand.hand.x - base.width / 2) + "px";
        hand.style.top = box.height / 2 + scale * (stand.hand.y - base.height / 2) + "px";
    }

    function roleShow() {
        const attract = stand.stage === "attract";
        let text = "", word = "";
        if (!role.may_lead)
            text = t("STAND_WATCH");
        else if (!role.leads && !attract) {
            text = t(role.waits ? "STAND_ASKED" : "STAND_OTHER");
            word = role.waits ? "" : t("STAND_ASK");
        }
        by("role").hidden = !text;
        by("role-text").textContent = text;
        by("lead").hidden = !word;
        by("lead").textContent = word;
        document.querySelectorAll("nav button").forEach(function (button) {
            button.disabled = !role.may_lead || (!role.leads && !attract);
        });
    }
    by("lead").addEventListener("click", function () { deepfield.send("lead"); });

    function standShow() {
        if (deepfield_words.language !== stand.language)
            deepfield_words.fill(stand.language);
        textSet("title", stand.title);
        textSet("caption", stand.caption);
        textSet("sentence", stand.hand ? t("STAND_HOLD") : stand.sentence);
        textSet("countdown", stand.stage === "countdown" ? t("STAND_LEFT") + " " + stand.seconds : "");
        buttonsShow();
        codeShow();
        handShow();
        roleShow();
        if (stand.notice && stand.notice !== by("note").dataset.text) {
            by("note").dataset.text = stand.notice;
            note(stand.notice, false);
        }
        if (!stand.notice)
            by("note").dataset.text = "";
    }

    function note(text, lasting) {
        textSet("note", text);
        clearTimeout(noteTimer);
        if (text && !lasting)
            noteTimer = setTimeout(function () { by("note").hidden = true; }, 4000);
    }
    deepfield.listen("connected", function (is) { note(is ? "" : t("LINK_LOST"), true); });
    deepfield.listen("note", function (value) { note(value.text, false); });

    // ---- computers that take part ----

    function rankShow(list, worker, number) {
        let item = list.children[number];
        if (!item) {
            const label = document.createElement("label"), box = document.createElement("input");
            item = document.createElement("li");
            box.type = "checkbox";
            box.addEventListener("change", function () {
                deepfield.send("rank " + number + " " + (box.checked ? 1 : 0));
            });
            label.append(box, document.createElement("span"));
            item.append(label);
            list.append(item);
        }
        item.querySelector("input").checked = worker.computes;
        item.querySelector("span").textContent = worker.rank + " · " + worker.host +
            (worker.alive ? " · " + Math.round(100 * worker.busy) + " %" : " ✕");
    }

    function ranksShow(picture) {
        const list = by("ranks-list"), workers = picture.workers || [];
        by("ranks").hidden = !stand.ranks && !(stand.staff && workers.length > 1);
        if (by("ranks").hidden)
            return;
        while (list.children.length > workers.length)
            list.lastChild.remove();
        workers.forEach(function (worker, number) {
            rankShow(list, worker, number);
            const last = worker.computes && picture.computing <= 1;
            list.children[number].querySelector("input").disabled = !role.leads || last;
        });
        const both = picture.computing > 1 && picture.picture_s > 0 && picture.picture_one_s > 0;
        by("faster").textContent = both ? (picture.picture_one_s / picture.picture_s).toFixed(1) + " ×" : "";
    }

    // ---- staff ----

    function staffShow() {
        const staff = stand.staff, list = by("staff-facts");
        by("staff").hidden = !staff;
        if (!staff)
            return;
        list.textContent = "";
        [[t("STAND_STAFF_VISITORS"), staff.visitors], [t("STAND_STAFF_ALARMS"), staff.alarms], ["", staff.alarm]].forEach(function (row) {
            if (row[1] === "" || row[1] === undefined)
                return;
            const name = document.createElement("dt"), value = document.createElement("dd");
            name.textContent = row[0];
            value.textContent = row[1];
            list.append(name, value);
        });
        if (performance.now() > sure)
            by("staff-end").textContent = t("STAND_STAFF_END");
    }
    by("staff-reset").addEventListener("click", function () { deepfield.send("reset"); });
    by("staff-end").addEventListener("click", function () { // at the second press
        if (performance.now() < sure) {
            deepfield.send("end");
            return;
        }
        sure = performance.now() + 5000;
        by("staff-end").textContent = t("STAND_STAFF_SURE");
    });

    deepfield.listen("facts", function (value) {
        role = value;
        stand = value.stand || stand;
        if (!stand)
            return;
        standShow();
        ranksShow(value.picture || {});
        staffShow();
    });

    if (location.search) // the token is in the cookie now
        history.replaceState(null, "", location.pathname);
    deepfield.connect();
}());
