"""The rules of a stand at its WebSocket: nothing that the public or a watcher sends leaves them,
and staff can.

usage: serve_rules.py PROGRAM [SEED]
"""
import os
import random
import sys
import tempfile
import threading
import time

from serve_hostile import expect
from service import Service
from websocket import Closed

ROUNDS = 2000 if os.environ.get("DEEPFIELD_LONG") else 60
SIZE = ("--size", "160x120", "--kiosk", "-j", "1", "--language", "en")
PATIENT = ("--set", "stand.idle_s=250")
HASTY = ("--set", "stand.idle_s=1", "--set", "stand.countdown_s=2")
HOME, OUT, PALETTE, SURPRISE, PLAY, LANGUAGE, MORE, TAKE_AWAY, CHALLENGE, RANKS = range(10)


def stand_of(client):
    return client.facts["stand"]


def visit_begin(client):
    """Touches the stand until its picture is that of a visit."""
    client.until(lambda c: c.facts and c.facts.get("stand") and c.facts["stand"]["buttons"])
    client.send("touch")
    client.until(lambda c: stand_of(c)["stage"] == "visitor" and c.facts["leads"])


def quiet(client, seconds):
    """Takes what comes for a while."""
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        if client.socket.waits(0.05):
            client.take()


def forbidden_words(service, client):
    """Words of the page beside the stand, of its staff, and of no one, have no effect."""
    before = stand_of(client)["language"], client.facts["picture"]["formula"]
    for word in ("go seahorse", "go [view]\nre = 0\nim = 0\nzoom = 1e300\n", "set view.limit 100000000",
                 "set look.palette #ff0000#00ff00", "set view.formula tricorn", "julia 0 0", "place",
                 "reset", "end", "bookmark list", "bookmark add x", f"press {TAKE_AWAY + 40}", "size 8192 8192"):
        client.send(word)
    quiet(client, 0.5)
    expect(service.alive(), "the stand goes on")
    expect(client.place is None, "no text of the place for the public")
    expect(stand_of(client)["stage"] == "visitor", "the visit goes on")
    expect("staff" not in stand_of(client), "nothing for staff in the facts of the public")
    expect((stand_of(client)["language"], client.facts["picture"]["formula"]) == before,
           "the same language and formula")
    expect(client.facts["picture"]["limit"] <= 1000000, "the limit is the stand's")
    expect(max(f["width"] for f in client.frames) <= 3840, "no picture that is too large")


def words_of_nobody(service):
    """A word that no page sends ends the connection."""
    for word in ("press -1", "press 64", "press", "touch 1", "end now", "staff", "press 1 2"):
        client = service.connect()
        client.send(word)
        try:
            while True:
                client.take(10)
        except (Closed, ConnectionError, TimeoutError):
            client.close()


def power_of_zoom(client):
    zoom = client.facts["picture"]["zoom"].lower()
    return int(zoom.split("e")[1]) if "e" in zoom else len(zoom.split(".")[0])


def depth_is_bounded(client):
    """Motions go no deeper than the stand allows, however large their factor."""
    client.send("home")
    client.until(lambda c: power_of_zoom(c) < 3)
    for number in range(1, 200):
        client.send(f"move {number + 1000} 0 0 0 0 1000 0 0")
    client.send("rest")
    quiet(client, 0.6)
    client.until(lambda c: power_of_zoom(c) > 8)
    expect(power_of_zoom(client) < 310,
           f"a zoom that visitors may reach, not {client.facts['picture']['zoom']}")


def flights_turn_away(client):
    """A flight that a page holds into what is black turns away from it, as that of the window."""
    client.until(lambda c: c.exact, 60)
    before = float(client.facts["picture"]["re"])
    for number in range(3000, 4000):
        client.send(f"move {number} 0 0 0 0 1.02 0 1")
        quiet(client, 0.02)
        if abs(float(client.facts["picture"]["re"]) - before) > 1e-4:
            client.send("rest")
            return
    raise SystemExit("a flight into black does not turn away")


def watchers_do_nothing(service, client):
    watcher = service.connect(service.watch)
    watcher.until(lambda c: c.facts and c.facts.get("stand"))
    language = stand_of(client)["language"]
    for word in ("touch", f"press {LANGUAGE}", "lead", "home", "reset", "end", "rank 0 0",
                 "move 1 0 0 0 0 2 0 0", "size 320 240"):
        watcher.send(word)
    client.send("touch")
    quiet(client, 0.5)
    quiet(watcher, 0.3)
    expect(service.alive() and not watcher.facts["leads"], "a watcher leads nothing")
    expect(stand_of(client)["language"] == language, "a watcher presses no button")
    watcher.close()


def presses(client):
    """Each button does what the stand's does."""
    for language in ("de", "fr", "es", "pl", "en"):
        client.send(f"press {LANGUAGE}")
        client.until(lambda c: stand_of(c)["language"] == language)
        labels = [one["label"] for one in stand_of(client)["buttons"]]
        expect(all(labels), f"all texts in {language}")
    palette = client.facts["picture"]["palette"]
    client.send(f"press {PALETTE}")
    client.until(lambda c: c.facts["picture"]["palette"] != palette)
    client.send(f"press {CHALLENGE}")
    client.until(lambda c: "copy of the whole set" in stand_of(c)["sentence"])
    if any(one["number"] == TAKE_AWAY for one in stand_of(client)["buttons"]):
        client.send(f"press {TAKE_AWAY}")
        client.until(lambda c: "code" in stand_of(c))
        code = stand_of(client)["code"]
        expect(len(code["modules"]) == code["side"] ** 2 and set(code["modules"]) == {"0", "1"},
               "a whole code")
        client.send("touch")
        client.until(lambda c: "code" not in stand_of(c))
    client.send(f"press {SURPRISE}")
    client.until(lambda c: stand_of(c)["sentence"] != "" or c.facts["picture"]["zoom"])


def random_words(service, client, random_):
    """Any order of words that a page of the public may send, and of some that it may not."""
    words = ["touch", "rest", "home", "back", "forward", "lead", "size 160 120", "size 16 16", "place",
             "rank 0 0", "rank 0 1", "rank 255 1", "go seahorse", "reset", "end"]
    words += [f"press {number}" for number in range(64)]
    for number in range(ROUNDS):
        word = random_.choice(words)
        if random_.random() < 0.4:
            word = (f"move {number + 5000} {random_.uniform(-99, 99)} 0 {random_.uniform(-99, 99)} 0 "
                    f"{random_.choice((0.001, 0.5, 1, 2, 1000))} 0 {random_.randrange(2)}")
        client.send(word)
        quiet(client, 0.01)
    client.send("size 160 120")
    quiet(client, 0.5)
    expect(service.alive() and client.place is None, "the stand goes on")


def staff_works(service, client):
    """Staff ends a visit, sees what is for it, and ends the program."""
    staff = service.connect(service.staff)
    staff.until(lambda c: c.facts and c.facts.get("stand") and "staff" in c.facts["stand"])
    expect(stand_of(staff)["staff"]["visitors"] >= 1, "visitors are counted")
    client.send("touch")
    client.until(lambda c: stand_of(c)["stage"] == "visitor")
    staff.send("reset")
    client.until(lambda c: stand_of(c)["stage"] == "attract")
    staff.send("end")
    return service.process.wait(60)


def staff_has_room(service):
    """A public that has taken all its places leaves one for staff; its cookie is no staff's."""
    clients = []
    try:
        for _ in range(6):
            clients.append(service.connect())
    except Closed:
        pass
    expect(len(clients) == 3, f"3 pages of the public, and no fourth ({len(clients)})")
    staff = service.connect(service.staff)
    staff.until(lambda c: c.facts and c.facts.get("stand") and "staff" in c.facts["stand"])
    staff.close()
    tokens = f"deepfield={service.token(service.staff)}; deepfield={service.token(service.page)}"
    clients.pop().close()
    while True:
        try:
            public = service.connect(Cookie=tokens)
            break
        except Closed:  # the place of the one before is not free yet
            time.sleep(0.05)
    public.until(lambda c: c.facts and c.facts.get("stand"))
    expect("staff" not in stand_of(public), "the page of the public stays one of the public")
    for client in (public, *clients):
        client.close()


def digits_stand(program, folder):
    """A stand with a window and a page, in whose window two fingers open the digits."""
    script, shot = os.path.join(folder, "digits.txt"), os.path.join(folder, "digits.png")
    with open(script, "w", encoding="ascii") as file:
        file.write(f"""key p
wait until kiosk-stage = 0
finger 1 down 0.02 0.02
finger 2 down 0.98 0.02
wait until kiosk-digits = 1
shot {shot}
wait until kiosk-digits = 0
expect kiosk-stage = 2
""")
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    return Service(program, *SIZE, *PATIENT, "--set", "stand.pin=2580", "--window", "--script", script), shot


def staff_passes_digits(service, shot):
    """Digits that a visitor has opened hold up no staff: a visit that it ends closes them, which
    stay for 15 s otherwise, and leave the visitor there."""
    staff = service.connect(service.staff)
    while service.alive() and not os.path.exists(shot):
        if staff.socket.waits(0.05):
            staff.take()
    staff.send("reset")
    try:
        while True:
            staff.take()
    except (Closed, ConnectionError, OSError):
        staff.close()


def idle_ends(client):
    """Without a touch the visit ends, after a countdown that a touch stops."""
    visit_begin(client)
    client.until(lambda c: stand_of(c)["stage"] == "countdown" and stand_of(c)["seconds"] > 0)
    client.send("touch")
    client.until(lambda c: stand_of(c)["stage"] == "visitor")
    client.until(lambda c: stand_of(c)["stage"] == "attract")


def main(program, seed):
    random_ = random.Random(seed)
    folder = tempfile.TemporaryDirectory()
    digits, shot = digits_stand(program, folder.name)  # beside the others, since it waits for hands
    by_staff = threading.Thread(target=staff_passes_digits, args=(digits, shot), daemon=True)
    by_staff.start()
    os.environ["SDL_VIDEODRIVER"] = "x11"  # a stand without a window needs no display
    os.environ.pop("DISPLAY", None)
    service = Service(program, *SIZE, *PATIENT)
    try:
        client = service.connect()
        visit_begin(client)
        flights_turn_away(client)
        presses(client)
        forbidden_words(service, client)
        depth_is_bounded(client)
        watchers_do_nothing(service, client)
        words_of_nobody(service)
        random_words(service, client, random_)
        code = staff_works(service, client)
        client.close()
    finally:
        if service.alive():
            service.end()
    expect(code == 0, f"staff ends it with 0, not {code}: {service.process.stderr.read()}")
    hasty = Service(program, *SIZE, *HASTY, "--set", "viewer.serve_pages=4")
    try:
        staff_has_room(hasty)
        idle_ends(hasty.connect())
    finally:
        hasty.end()
    code = digits.process.wait(60)
    expect(code == 0, f"staff ends a visit behind digits: {code}, {digits.process.stderr.read()}")
    by_staff.join(10)
    folder.cleanup()


if __name__ == "__main__":
    SEED = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    print("seed", SEED, flush=True)
    main(sys.argv[1], SEED)
