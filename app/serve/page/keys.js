// Keys, as in the window of the program.
"use strict";
(function () {
    const canvas = deepfield.canvas, hand = deepfield.hand;
    let picture = {};

    deepfield.listen("facts", function (value) {
        picture = value.picture || {};
        deepfield.facts = picture;
    });

    // Clicks the entry of a list that comes `by` places behind the one that is in use.
    function listStep(id, by) {
        const all = Array.from(document.querySelectorAll("#" + id + " button"));
        const at = all.findIndex(function (one) { return one.hasAttribute("aria-current"); });
        if (all.length)
            all[(Math.max(at, by > 0 ? -1 : 0) + by + all.length) % all.length].click();
    }

    function limitTimes(factor) {
        if (picture.limit > 0)
            deepfield.send("set view.limit " + Math.max(1, Math.floor(picture.limit * factor)));
    }

    // Leaves out the last worker that computes, or takes the first one back that does not.
    function rankStep(more) {
        const boxes = Array.from(document.querySelectorAll("#ranks input"));
        const found = more ? boxes.find(function (one) { return !one.checked; })
                           : boxes.reverse().find(function (one) { return one.checked; });
        if (found && !found.disabled)
            found.click();
    }

    function turn(degrees) {
        if (deepfield.move(1, canvas.width / 2, canvas.height / 2, 0, 0, false, degrees))
            deepfield.rest();
    }

    function julia() {
        const at = hand.at();
        deepfield.send("julia " + deepfield.fromMiddle(at.x, at.y).join(" "));
    }

    const middle = function () { return {x: canvas.width / 2, y: canvas.height / 2}; };
    const act = function (what) { return function () { deepfield.act(what); }; };
    const actions = {
        "home": act("home"), "0": act("home"),
        "backspace": act("back"), "ctrl+z": act("back"),
        "shift+backspace": act("forward"), "ctrl+y": act("forward"), "ctrl+shift+z": act("forward"),
        "g": act("places"), "f3": act("places"), "f4": act("look"), "h": act("figures"),
        "shift+t": act("figures"), "ctrl+s": act("save"), "?": act("help"), "f1": act("help"),
        "escape": act("close"),
        "pageup": function () { hand.enlarge(middle(), 8); },
        "pagedown": function () { hand.enlarge(middle(), 1 / 8); },
        "q": function () { turn(-15); },
        "e": function () { turn(15); },
        "n": function () { deepfield.send("set view.rotation 0"); },
        "shift+n": function () { deepfield.send("set view.mirror " + !picture.mirror); },
        "j": julia,
        "p": function () { listStep("palettes", 1); },
        "shift+p": function () { listStep("palettes", -1); },
        "f": function () { listStep("formulas", 1); },
        "shift+f": function () { listStep("formulas", -1); },
        "i": function () { limitTimes(2); },
        "shift+i": function () { limitTimes(0.5); },
        "ctrl+i": function () { deepfield.send("set view.limit auto"); },
        "z": function () { rankStep(false); },
        "shift+z": function () { rankStep(true); }
    };
    const repeated = [".", ",", "[", "]", "v", "shift+v", "x", "shift+x", "q", "e", "p", "shift+p", "f", "shift+f", "z", "shift+z", "pageup", "pagedown"];
    deepfield.actions = actions;

    // A key as the list above names it: "ctrl+shift+z". Signs have no Shift, which their place needs.
    function nameOf(event) {
        const sign = event.key.length === 1 && !/[a-z]/i.test(event.key);
        return (event.ctrlKey || event.metaKey ? "ctrl+" : "") + (event.shiftKey && !sign ? "shift+" : "") +
            event.key.toLowerCase();
    }

    function isTyped(event) {
        return event.target.matches("input:not([type=checkbox]), textarea") && event.key !== "Escape";
    }

    document.addEventListener("keydown", function (event) {
        const name = nameOf(event), key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const atPicture = event.target === canvas || event.target === document.body;
        if (isTyped(event) || event.altKey)
            return;
        if (hand.motions[key] && !event.ctrlKey && !event.metaKey) {
            if (!atPicture)
                return;
            event.preventDefault();
            if (!event.repeat)
                hand.hold(key);
        } else if (Object.hasOwn(actions, name)) {
            event.preventDefault();
            if (!event.repeat || repeated.includes(name))
                actions[name]();
        }
    });
    document.addEventListener("keyup", function (event) {
        hand.free(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    });
    window.addEventListener("blur", hand.freeAll);

    document.addEventListener("paste", function (event) {
        if (event.target.matches("input, textarea"))
            return;
        const text = event.clipboardData.getData("text/plain");
        if (text.trim())
            deepfield.send("go " + text.trim());
    });
}());
