// Texts of the page, from the rows of the program's table that pages name (strings.js).
//
// An element names its rows: data-text what it says, data-label and data-hint what it is called and
// what it waits for, data-tip with data-key what it does and by which key; a kbd with data-key is a key.
"use strict";
var deepfield_words = (function () {
    const rows = deepfield_strings.rows, languages = deepfield_strings.languages;
    const wished = (navigator.languages || [navigator.language || "en"]).map(function (tag) {
        return tag.slice(0, 2).toLowerCase();
    });
    const words = {language: wished.find(function (tag) { return languages.includes(tag); }) || "en"};

    // The text of a row, with `values` for its marks %1 ... %9.
    words.say = function (key, ...values) {
        return rows[key][languages.indexOf(words.language)].replace(/%([1-9])/g, function (mark, number) {
            return number <= values.length ? values[number - 1] : mark;
        });
    };

    // The texts of rows; what is no row, such as the letter of a key, stays.
    function joined(keys, between) {
        return keys.split(" ").map(function (key) { return rows[key] ? words.say(key) : key; }).join(between);
    }

    function each(selector, name, call) {
        document.querySelectorAll(selector + "[data-" + name + "]").forEach(function (one) {
            call(one, one.dataset[name]);
        });
    }

    words.fill = function (language) {
        words.language = languages.includes(language) ? language : words.language;
        document.documentElement.lang = words.language;
        each("", "text", function (one, keys) { one.textContent = joined(keys, ", "); });
        each("kbd", "key", function (one, keys) { one.textContent = joined(keys, ""); });
        each("", "label", function (one, keys) { one.setAttribute("aria-label", joined(keys, ", ")); });
        each("", "hint", function (one, keys) { one.placeholder = joined(keys, ", "); });
        each("", "tip", function (one, keys) {
            one.title = joined(keys, ", ") + (one.dataset.key ? " (" + joined(one.dataset.key, "") + ")" : "");
        });
    };
    words.fill();
    return words;
}());
