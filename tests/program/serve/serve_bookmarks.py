"""Bookmarks of the served page: by its messages, hostile ones among them, and in a browser where
there is one.

usage: serve_bookmarks.py PROGRAM FOLDER
"""
import base64
import os
import shutil
import subprocess
import sys
import time

import browser
from service import Service

TITLES = ("<b>bold</b> & 'quoted'; # = [view]", "a/b/../c", "%s%n")


def expect(true, what):
    if not true:
        raise SystemExit(f"not so: {what}")


def answer(client, words, kind="bookmarks"):
    """Sends a message, and waits for a text of that kind."""
    setattr(client, kind, None)
    client.send("bookmark " + words)
    client.until(lambda c: getattr(c, kind, None), 30)
    return getattr(client, kind)


def note(client, words):
    count = len(client.notes)
    client.send("bookmark " + words)
    client.until(lambda c: len(c.notes) > count, 30)
    return client.notes[-1]


def added(client, title):
    """One more bookmark; they are kept half a second apart at least."""
    time.sleep(0.55)
    before = {one["name"] for one in answer(client, "list")["all"]}
    new = [one for one in answer(client, "add " + title)["all"] if one["name"] not in before]
    expect(len(new) == 1, f"one new bookmark: {new}")
    return new[0]


def kept(program, client, folder):
    for title in TITLES:
        mark = added(client, title)
        expect(mark["title"] == title, f"{mark['title']} is {title}")
    path = os.path.join(folder, mark["name"])
    told = subprocess.run([program, "info", path], capture_output=True, text=True, check=True)
    expect("zoom" in told.stdout, f"{path} is a place")
    expect(os.stat(folder).st_mode & 0o77 == 0, "the folder is the user's alone")
    for title in TITLES[:2]:
        listed = answer(client, f"rename {mark['name']}/{title} again")
        expect([one["title"] for one in listed["all"] if one["name"] == mark["name"]] ==
               [title + " again"], f"renamed to {title}")
    image = answer(client, f"picture {mark['name']}", "bookmark")["picture"]
    expect(image.startswith("data:image/jpeg;base64,"), "a thumbnail")
    expect(base64.b64decode(image.split(",")[1])[:2] == b"\xff\xd8", "a JPEG")
    return mark["name"]


def gone_to(client, name):
    zoom = client.facts["picture"]["zoom"]
    client.send("home")
    client.until(lambda c: c.facts["picture"]["zoom"] != zoom)
    client.send("bookmark go " + name)
    client.until(lambda c: c.facts["picture"]["zoom"] == zoom)


def hostile(client, folder, name):
    """Names that are none, links, and other files stay as they are, and no path is told."""
    outside = os.path.join(os.path.dirname(folder), "outside.png")
    shutil.copy(os.path.join(folder, name), outside)
    os.symlink(outside, os.path.join(folder, "link.png"))
    os.mkdir(os.path.join(folder, "folder.png"))
    os.mkfifo(os.path.join(folder, "pipe.png"))
    with open(os.path.join(folder, "text.png"), "w", encoding="ascii") as file:
        file.write("no picture")
    with open(os.path.join(os.fsencode(folder), b"\xff\xfe.png"), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
    before = sorted(os.listdir(os.fsencode(folder)))
    listed = [one["name"] for one in answer(client, "list")["all"]]
    expect(len(listed) == len(TITLES), f"only bookmarks are listed: {listed}")
    for wrong in ("../outside.png", outside, "link.png", "folder.png", "pipe.png", "text.png", "no.png",
                  ".png", "", " ", "..", name + "/x", "a" * 300):
        for words in (f"go {wrong}", f"picture {wrong}", f"remove {wrong}", f"rename {wrong}/title"):
            if words.startswith(f"rename {name}/"):
                continue  # a title may have slashes
            said = note(client, words)
            expect("/" not in said and folder not in said, f"'{said}' tells no path")
    for words in ("rename " + name, f"rename {name}/" + "x" * 201, f"rename {name}/a\tb", "add a\tb", "adds",
                  f"rename {name}/Ł", 'add "',
                  "list all", "remove", "go"):
        note(client, words)
    expect(sorted(os.listdir(os.fsencode(folder))) == before, "nothing is changed")
    expect(os.path.exists(outside), "a link is not followed")
    for wrong in ("link.png", "pipe.png", "text.png"):
        os.remove(os.path.join(folder, wrong))
    os.rmdir(os.path.join(folder, "folder.png"))


def others(service, client, folder, name):
    """Those who do not lead see and change nothing."""
    for url in (service.watch, service.page):
        other = service.connect(url)
        other.until(lambda c: c.facts is not None)
        other.send("bookmark list")
        other.send("bookmark remove " + name)
        other.send("bookmark add stolen")
        other.facts = None
        client.send("set view.limit " + ("500" if url == service.watch else "600"))
        other.until(lambda c: c.facts is not None and c.facts["picture"]["limit_set"])
        expect(not hasattr(other, "bookmarks"), "no list for one who does not lead")
        other.close()
    expect(name in os.listdir(folder) and len(answer(client, "list")["all"]) == len(TITLES), "all are there")


def flood(client):
    """More than can wait are refused, and the picture goes on."""
    for _ in range(100):
        client.send("bookmark list")
    client.until(lambda c: any("too many" in one for one in c.notes), 30)
    time.sleep(0.3)
    answer(client, "list")


def panel(page, folder):
    """The panel by hand: keep, rename, go, remove."""
    marks = "document.querySelectorAll('#bookmark-list li')"
    page.until("deepfield.view.leads && deepfield.view.exact", 120)
    page.key("b", "KeyB", None, 2)
    page.until(f"!document.getElementById('bookmarks').hidden && {marks}.length === {len(TITLES)}")
    page.evaluate("document.getElementById('bookmark-title').focus()")
    page.evaluate("window.wrong = false")
    for character in "<img src=x onerror='window.wrong=true'>":
        page.key(character, None, character)
    page.key("Enter", "Enter", "\r")
    page.until(f"{marks}.length === {len(TITLES) + 1}")
    page.until(f"{marks}[0].querySelector('.go').textContent.startsWith('<img')")
    page.until(f"{marks}[0].querySelector('img').naturalWidth > 0")
    page.click("#bookmark-list li .edit button")
    page.until("document.activeElement.matches('#bookmark-list input')")
    for character in "Two":
        page.key(character, None, character)
    page.key("Enter", "Enter", "\r")
    page.until(f"{marks}[0].querySelector('.go').textContent === 'Two'")
    zoom = page.evaluate("deepfield.facts.zoom")
    page.evaluate("deepfield.act('home')")
    page.until(f"deepfield.facts.zoom !== '{zoom}'")
    page.click("#bookmark-list li .go")
    page.until(f"deepfield.facts.zoom === '{zoom}'")
    for _ in range(2):
        page.click("#bookmark-list li .edit button:last-child")
    page.until(f"{marks}.length === {len(TITLES)} && document.activeElement.id === 'bookmark-title'")
    expect(not page.evaluate("window.wrong") and not page.errors, f"no title is a script: {page.errors}")
    expect(len([one for one in os.listdir(folder) if one[:2] == "20"]) == len(TITLES), "the file is gone")


def main(program, base):
    shutil.rmtree(base, ignore_errors=True)
    os.makedirs(base)
    os.environ["XDG_DATA_HOME"] = base
    folder = os.path.join(base, "deepfield", "bookmarks")
    service = Service(program, "--size", "160x120")
    window = browser.program() and browser.Browser()
    try:
        client = service.connect()
        client.until(lambda c: c.exact and c.facts and c.facts["leads"])
        expect(client.facts["bookmarks"] and answer(client, "list")["all"] == [], "none at the beginning")
        name = kept(program, client, folder)
        gone_to(client, name)
        others(service, client, folder, name)
        hostile(client, folder, name)
        flood(client)
        client.close()
        if window:
            page = window.page(640, 480)
            page.go(service.page)
            panel(page, folder)
        else:
            print("no Chromium here: not looked at in a browser")
    finally:
        if window:
            window.close()
        code = service.end()
    expect(code in (0, 143), f"SIGTERM ends it with {code}")


if __name__ == "__main__":
    main(*sys.argv[1:])
