// The page in other languages. Keys are the English texts.
"use strict";
var deepfield_words = (function () {
    const languages = {};
    const wished = (navigator.languages || [navigator.language || "en"]).map(function (tag) {
        return tag.slice(0, 2).toLowerCase();
    });
    let table = null;
    for (const tag of wished) {
        if (tag === "en")
            break;
        if (languages[tag]) {
            table = languages[tag];
            document.documentElement.lang = tag;
            break;
        }
    }

    function say(text) {
        return table && table[text] || text;
    }

    // All texts of the page as it was written.
    function translate() {
        if (!table)
            return;
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode())
            if (node.data.trim())
                node.data = node.data.replace(node.data.trim(), say(node.data.trim()));
        document.querySelectorAll("[title], [placeholder], [aria-label]").forEach(function (one) {
            ["title", "placeholder", "aria-label"].forEach(function (name) {
                if (one.hasAttribute(name))
                    one.setAttribute(name, say(one.getAttribute(name)));
            });
        });
    }

    return {say: say, translate: translate, languages: languages};
}());
