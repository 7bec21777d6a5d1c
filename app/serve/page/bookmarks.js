// The panel of bookmarks: those of the program's user, for the page that leads.
"use strict";
(function () {
    const t = deepfield_words.say;
    const by = function (id) { return document.getElementById(id); };
    const list = by("bookmark-list"), pictures = new Map(), wanted = [];
    let leads = false, known = false, asked = null, changed = null;

    function ask(verb, words) {
        deepfield.send("bookmark " + verb + (words ? " " + words : ""));
    }

    // ---- pictures: asked for one at a time, when they come into sight ----

    function pictureAsk() {
        if (asked || !wanted.length)
            return;
        asked = wanted.shift();
        ask("picture", asked);
    }

    const sight = new IntersectionObserver(function (entries) {
        entries.forEach(function (entry) {
            const name = entry.target.dataset.name;
            if (!entry.isIntersecting || pictures.has(name) || wanted.includes(name) || asked === name)
                return;
            wanted.push(name);
            pictureAsk();
        });
    });

    function pictureShow(item) {
        const image = item.querySelector("img"), url = pictures.get(item.dataset.name);
        image.hidden = !url;
        if (url)
            image.src = url;
    }

    deepfield.listen("bookmark", function (value) {
        asked = null;
        pictures.set(value.name, value.picture);
        for (const item of list.children)
            if (item.dataset.name === value.name)
                pictureShow(item);
        pictureAsk();
    });
    deepfield.listen("note", function () { // a picture that failed is not waited for
        if (asked)
            pictures.set(asked, null);
        asked = null;
        pictureAsk();
    });

    // ---- the list ----

    function button(text, title, call) {
        const made = document.createElement("button");
        made.type = "button";
        made.textContent = text;
        made.title = title;
        made.addEventListener("click", call);
        return made;
    }

    // Another title for a bookmark, in the place of its buttons.
    function renameBegin(item, mark) {
        const form = document.createElement("form"), input = document.createElement("input");
        input.value = mark.title;
        input.maxLength = 100;
        input.setAttribute("aria-label", t("BOOKMARK_NAME"));
        form.append(input, button(t("DO_OK"), "", null));
        form.lastChild.type = "submit";
        form.addEventListener("submit", function (event) {
            event.preventDefault();
            if (!titleCheck(input.value))
                return;
            changed = mark.name;
            ask("rename", mark.name + "/" + input.value.trim());
        });
        input.addEventListener("keydown", function (event) {
            if (event.key === "Escape") {
                event.stopPropagation();
                item.replaceWith(itemMake(mark));
            }
        });
        item.querySelector(".edit").replaceWith(form);
        input.focus();
        input.select();
    }

    // The first press asks, the second removes.
    function removeAsk(item, mark, pressed) {
        if (pressed.dataset.sure) {
            changed = "";
            ask("remove", mark.name);
            return;
        }
        pressed.dataset.sure = "yes";
        pressed.textContent = t("SERVED_REMOVE_SURE");
        pressed.addEventListener("blur", function () { item.replaceWith(itemMake(mark)); }, {once: true});
    }

    function itemMake(mark) {
        const item = document.createElement("li"), image = document.createElement("img");
        const edit = document.createElement("div"), go = button("", mark.title, function () { ask("go", mark.name); });
        const words = document.createElement("span");
        item.dataset.name = mark.name;
        image.alt = "";
        words.textContent = mark.title;
        go.append(image, words);
        go.className = "go";
        edit.className = "edit";
        edit.append(button(t("SERVED_RENAME"), t("SERVED_RENAME") + ": " + mark.title, function () { renameBegin(item, mark); }),
                    button(t("DO_REMOVE"), t("DO_REMOVE") + ": " + mark.title, function (event) {
                        removeAsk(item, mark, event.currentTarget);
                    }));
        for (const one of edit.children)
            one.setAttribute("aria-label", one.title);
        item.append(go, edit);
        pictureShow(item);
        sight.observe(item);
        return item;
    }

    deepfield.listen("bookmarks", function (value) {
        known = true;
        wanted.length = 0;
        list.replaceChildren(...value.all.map(itemMake));
        by("bookmarks-state").textContent = value.all.length === value.count ? String(value.count)
            : value.all.length + " / " + value.count;
        if (changed !== null) { // the focus was on what is gone
            const item = Array.from(list.children).find(function (one) { return one.dataset.name === changed; });
            (item ? item.querySelector(".go") : by("bookmark-title")).focus();
        }
        changed = null;
    });

    // ---- the panel ----

    function isOpen() {
        return !by("panel").hidden && !by("bookmarks").hidden;
    }

    function listAsk() {
        if (leads && !known && isOpen())
            ask("list");
    }
    deepfield.listen("panel", listAsk);

    deepfield.listen("facts", function (value) {
        if (leads !== value.leads)
            known = false;
        leads = value.leads;
        document.querySelector("[data-panel=bookmarks]").hidden = !value.bookmarks || !value.may_lead;
        by("bookmarks-leads").hidden = !leads;
        by("bookmarks-watches").hidden = leads;
        listAsk();
    });

    deepfield.listen("connected", function () {
        known = false;
        asked = null;
    });

    // Titles stand in ini files, which have ASCII alone.
    function titleCheck(title) {
        const good = /^[ !#-~]*$/.test(title);
        if (!good)
            deepfield.say(t("SERVED_TITLE_LETTERS"));
        return good;
    }

    function keep() {
        if (!titleCheck(by("bookmark-title").value))
            return;
        ask("add", by("bookmark-title").value.trim());
        by("bookmark-title").value = "";
        deepfield.say(t("BOOKMARK_KEPT"));
    }
    by("bookmark-add").addEventListener("submit", function (event) {
        event.preventDefault();
        keep();
    });
    // The next bookmark of the list, or the one before, around its end.
    let at = -1, step = 0;

    function stepDo() {
        const all = list.children;
        if (!step || !known || !all.length)
            return;
        at = (Math.max(at, step > 0 ? -1 : 0) + step + all.length) % all.length;
        step = 0;
        ask("go", all[at].dataset.name);
    }

    function stepBy(by) {
        step = leads ? by : 0;
        if (step && !known)
            ask("list");
        stepDo();
    }
    deepfield.listen("bookmarks", stepDo);
    deepfield.actions["bookmark-next"] = function () { stepBy(1); };
    deepfield.actions["bookmark-previous"] = function () { stepBy(-1); };
    deepfield.actions.b = function () {
        if (leads)
            keep();
    };
    deepfield.actions["ctrl+b"] = function () { deepfield.act("bookmarks"); };
}());
