// Steps of the look, by keys as in the window and by buttons of the panel of colours.
"use strict";
(function () {
    const t = deepfield_words.say, list = document.getElementById("steps");
    const keys = {".": "density-more", ",": "density-less", "]": "offset-more", "[": "offset-less",
                  "v": "contrast-more", "shift+v": "contrast-less", "x": "relief-more", "shift+x": "relief-less",
                  "k": "interior"};
    const inside = {colour: "INSIDE_COLOUR", period: "INSIDE_PERIOD", distance: "INSIDE_DISTANCE"};
    let look = {}, awaited = null; // the value whose change is told

    function valueOf(name) {
        if (look[name] === undefined)
            return "";
        if (name === "interior")
            return t(inside[look.interior]);
        const number = Number(look[name]).toLocaleString(deepfield_words.language, {maximumFractionDigits: 2});
        return number + (name === "density" && look.density_auto ? " (" + t("SERVED_AUTOMATIC") + ")" : "");
    }

    function rowOf(name) {
        return list.querySelector("[data-look=" + name + "]");
    }

    function step(action) {
        if (!deepfield.view.leads)
            return;
        const name = action.split("-")[0];
        awaited = {name: name, value: look[name]};
        deepfield.send("step " + action);
    }

    Object.entries(keys).forEach(function (one) {
        deepfield.actions[one[0]] = function () { step(one[1]); };
    });
    list.querySelectorAll("button").forEach(function (button) {
        button.addEventListener("click", function () { step(button.dataset.step); });
    });

    deepfield.listen("facts", function (value) {
        look = (value.picture && value.picture.look) || {};
        list.querySelectorAll("[data-look]").forEach(function (row) {
            row.querySelector("output").textContent = valueOf(row.dataset.look);
        });
        list.querySelectorAll("button").forEach(function (button) { button.disabled = !value.leads; });
        if (!awaited || awaited.value === look[awaited.name])
            return;
        if (!list.open || document.getElementById("look").hidden || document.getElementById("panel").hidden)
            deepfield.say(rowOf(awaited.name).firstElementChild.textContent + ": " + valueOf(awaited.name));
        awaited = null;
    });
}());
