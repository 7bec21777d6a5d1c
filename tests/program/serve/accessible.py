"""Checks of a page that axe and the like make: names, contrast, sizes of targets."""
import json

NAMES = """(function () {
    const wrong = [];
    document.querySelectorAll("button, input, textarea, canvas").forEach(function (one) {
        const label = one.getAttribute("aria-label") || one.textContent.trim() || one.title ||
            (one.labels && one.labels.length && one.labels[0].textContent.trim());
        if (!label && !one.hidden)
            wrong.push(one.outerHTML);
    });
    document.querySelectorAll("svg:not([aria-hidden=true])").forEach(function (one) {
        wrong.push(one.outerHTML);
    });
    if (!document.documentElement.lang || !document.title)
        wrong.push("no language or title");
    return wrong;
}())"""

# Texts are judged over black and over white, which a picture below a panel may be: WCAG 2, 1.4.3.
CONTRAST = """(function () {
    function rgba(text) {
        const n = text.match(/[\\d.]+/g).map(Number);
        return [n[0], n[1], n[2], n.length > 3 ? n[3] : 1];
    }
    function over(top, below) {
        return [0, 1, 2].map(function (i) { return top[i] * top[3] + below[i] * (1 - top[3]); });
    }
    function luminance(colour) {
        const c = colour.map(function (value) {
            const v = value / 255;
            return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
        });
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    }
    function ground(element, picture) {
        const layers = [];
        for (let one = element; one && one !== document.body; one = one.parentElement) {
            layers.push(rgba(getComputedStyle(one).backgroundColor));
            if (layers[layers.length - 1][3] === 1)
                break;
        }
        return layers.reverse().reduce(function (below, layer) { return over(layer, below); }, picture);
    }
    function ratio(element, colour) {
        return Math.min(...[[0, 0, 0], [255, 255, 255]].map(function (picture) {
            const below = ground(element, picture), a = luminance(over(colour, below)), b = luminance(below);
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        }));
    }
    function isShown(element) {
        const box = element.getBoundingClientRect();
        return element.checkVisibility({visibilityProperty: true}) && box.width > 1 && box.height > 1 &&
            !element.closest(":disabled, noscript, script, style");
    }
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
        if (node.data.trim() && isShown(node.parentElement))
            found.push([node.data.trim().slice(0, 40), ratio(node.parentElement, rgba(getComputedStyle(node.parentElement).color))]);
    document.querySelectorAll("input:not([type=checkbox]), textarea").forEach(function (one) {
        if (!isShown(one))
            return;
        found.push([one.id, ratio(one, rgba(getComputedStyle(one).color))]);
        if (one.placeholder)
            found.push([one.id + " placeholder", ratio(one, rgba(getComputedStyle(one, "::placeholder").color))]);
    });
    document.querySelectorAll("button svg").forEach(function (one) {
        if (isShown(one))
            found.push(["icon of " + one.parentElement.title, ratio(one.parentElement, rgba(getComputedStyle(one).stroke))]);
    });
    return found;
}())"""

TARGETS = """(function () {
    const wrong = [];
    document.querySelectorAll("button, input, textarea, summary").forEach(function (one) {
        const target = one.matches("input") && one.closest("label") || one, box = target.getBoundingClientRect();
        if (!one.checkVisibility({visibilityProperty: true}) || !box.width)
            return;
        if (box.width < 43.9 || box.height < 43.9)
            wrong.push([one.id || one.title || one.textContent, box.width, box.height]);
        if (!target.closest("section, aside") && (box.left < 0 || box.right > innerWidth || box.bottom > innerHeight))
            wrong.push([one.id || one.title, "is outside of the page"]);
    });
    if (document.documentElement.scrollWidth > innerWidth)
        wrong.push("the page is wider than the screen");
    return wrong;
}())"""

# Texts that leave the panel or the page, or stand with a letter or two in each line.
CUT = """(function () {
    const wrong = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange(); // one: each that lives is looked at whenever a text changes
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const one = node.parentElement, text = node.data.trim();
        if (!text || !one.checkVisibility({visibilityProperty: true}) || one.closest("noscript, script, style") ||
            getComputedStyle(one).clipPath !== "none")
            continue;
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect(), around = (one.closest("section, nav, button") || document.body)
            .getBoundingClientRect();
        if (box.left < around.left - 1 || box.right > around.right + 1 || (text.length > 8 && box.width < 24))
            wrong.push([text.slice(0, 40), box.left, box.right, around.left, around.right]);
    }
    return wrong;
}())"""


def named(page):
    """Every control has a name, every image is decoration, the page a language and a title."""
    wrong = page.evaluate(NAMES)
    if wrong:
        raise SystemExit(f"controls without a name: {wrong}")


def contrast(page, where, least=4.5):
    """Every text that is shown can be told from what is behind it; returns the least ratio."""
    found = page.evaluate(CONTRAST)
    low = [one for one in found if one[1] < least]
    if low or not found:
        raise SystemExit(f"{where}: contrast below {least}: {json.dumps(low)}")
    return min(ratio for _, ratio in found)


def targets(page, where):
    """Every control is 44 x 44 pixels at least, for fingers, and inside of the page."""
    wrong = page.evaluate(TARGETS)
    if wrong:
        raise SystemExit(f"{where}: targets are too small: {json.dumps(wrong)}")


def uncut(page, where):
    """Every text has room in every language."""
    for language in page.evaluate("deepfield_strings.languages"):
        page.evaluate(f"deepfield_words.fill('{language}')")
        wrong = page.evaluate(CUT)
        if wrong:
            raise SystemExit(f"{where}, {language}: texts without room: {json.dumps(wrong)}")
    page.evaluate("deepfield_words.fill(deepfield_strings.languages[0])")


def panels(page, where, fingers):
    """All of that, of the page and of each panel; returns the least contrast."""
    least = contrast(page, where)
    for name in page.evaluate("Array.from(document.querySelectorAll('#bar [data-panel]:not([hidden])'),"
                              " (one) => one.dataset.panel)"):
        page.evaluate(f"deepfield.act('{name}')")
        page.evaluate("document.querySelectorAll('#panel section:not([hidden]) details')"
                      ".forEach((one) => { one.open = true; })")
        least = min(least, contrast(page, f"{where}, {name}"))
        uncut(page, f"{where}, {name}")
        if fingers:
            targets(page, f"{where}, {name}")
    page.evaluate("deepfield.act('close')")
    return least
