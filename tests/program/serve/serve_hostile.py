"""Hostile input to the served page: the server refuses it, and goes on serving others.

usage: serve_hostile.py PROGRAM [SEED]
"""
import os
import random
import signal
import socket
import sys
import time

from service import Service
from websocket import Closed, WebSocket

ROUNDS = 3000 if os.environ.get("DEEPFIELD_LONG") else 30
SIZE = ("--size", "160x120", "--set", "viewer.serve_pages=4")


def expect(true, what):
    if not true:
        raise SystemExit(f"not so: {what}")


def refused(service, what, **headers):
    """A request to become a socket, with other headers, is refused."""
    try:
        service.connect(**headers).close()
    except Closed:
        return
    raise SystemExit(f"a socket was opened with {what}")


def answers_of_strangers(service):
    token = service.token(service.page)
    cookie = {"Cookie": "deepfield=" + token}
    expect(service.get()[0] == 403, "without a token: 403")
    expect(service.get(query="?t=" + token[:-1] + "z")[0] == 403, "a wrong token: 403")
    expect(service.get(query="?t=")[0] == 403, "an empty token: 403")
    expect(service.get("page.js/../../../etc/passwd", cookie)[0] in (403, 404), "no files of the disk")
    expect(service.get("nothing", cookie)[0] == 404, "no such file: 404")
    expect(service.get("page.css", {**cookie, "Host": "evil.example"})[0] == 403, "another host: 403")
    expect(service.get("page.css", {"Cookie": "deepfield=x; a=b"})[0] == 403, "a wrong cookie: 403")
    state, headers, body = service.get(query="?t=" + token)
    expect(state == 200 and b"<canvas" in body, "the page")
    headers = {name.lower(): value for name, value in headers.items()}
    policy = headers["content-security-policy"]
    expect("default-src 'none'" in policy and "unsafe" not in policy, "a strict policy")
    expect("HttpOnly" in headers["set-cookie"] and "SameSite=Strict" in headers["set-cookie"],
           "a cookie that no script reads")
    expect(token.encode() not in body, "no token in the page")
    folder = service.folder.rsplit("/", 2)[0]
    with socket.create_connection(("127.0.0.1", service.port), 10) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        expect(b" 403 " in plain.recv(4096), f"403 for {folder}")
    with socket.create_connection(("127.0.0.1", service.port), 10) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                      b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n")
        try:
            answer = plain.recv(4096)
        except ConnectionError:
            answer = b""
        expect(b" 101 " not in answer, "no HTTP/2 before the token is looked at")


def rights_stay_apart(service):
    """Each right has its folder, whose cookie no other page of the browser replaces, and in which
    no other token is taken."""
    addresses = (service.page, service.watch)
    for url in addresses:
        state, headers, _ = service.get(query="?t=" + service.token(url), url=url)
        cookie = {name.lower(): value for name, value in headers.items()}["set-cookie"]
        expect(state == 200 and "path" not in cookie.lower(), "a cookie of the folder alone")
        for other in addresses:
            state = service.get(query="?t=" + service.token(other), url=url)[0]
            expect((state == 200) == (url == other), "no token of another right")
            both = f"deepfield={service.token(other)}; deepfield={service.token(url)}"
            client = service.connect(url, Cookie=both)
            client.until(lambda c: c.facts is not None)
            expect(client.facts["may_lead"] == (url == service.page), "the right of the folder")
            client.close()
            if url != other:
                cookie = "deepfield=" + service.token(other)
                refused(service, "the cookie of another right", url=url, Cookie=cookie)
    for name in ("-staff", "-screen"):
        url = service.folder[:-1] + name + "/?t="
        expect(service.get(query="?t=", url=url)[0] == 403, f"no {name} here")
        refused(service, "an empty token", url=url, Cookie="deepfield=")


def sockets_of_strangers(service):
    refused(service, "another origin", Origin="http://evil.example")
    refused(service, "the origin of another port", Origin="http://localhost:1")
    refused(service, "no origin", Origin=None)
    refused(service, "another host", Host="evil.example:80", Origin="http://evil.example:80")
    refused(service, "a wrong token", Cookie="deepfield=" + "0" * 32)
    refused(service, "no cookie", Cookie=None)
    try:
        WebSocket(service.folder.replace("http", "ws") + "socket", None,
                  {"Origin": service.origin, "Cookie": "deepfield=" + service.token(service.page)})
    except Closed:
        return
    raise SystemExit("a socket without our protocol was opened")


def bytes_at(service, data, wait_s=0.3):
    """What comes back for bytes of a connection, b"" where it is closed."""
    with socket.create_connection(("127.0.0.1", service.port), 10) as plain:
        plain.settimeout(wait_s)
        try:
            plain.sendall(data)
            return plain.recv(4096)
        except (TimeoutError, ConnectionError):
            return b""


def garbage(service, random_):
    head = f"GET {service.folder[len(service.origin):]} HTTP/1.1\r\nHost: localhost\r\n".encode()
    bytes_at(service, b"\0" * 4096)
    bytes_at(service, head + b"X: " + b"a" * 100000 + b"\r\n\r\n")
    bytes_at(service, head + b"Cookie: " + b"deepfield=" * 5000 + b"\r\n\r\n")
    bytes_at(service, b"GET /" + b"a" * 65536)
    bytes_at(service, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nx")
    bytes_at(service, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    for _ in range(ROUNDS):
        bytes_at(service, random_.randbytes(random_.randrange(1, 400)), 0.005)
        bytes_at(service, changed(random_, head + b"Cookie: deepfield=0; a=b\r\n\r\n"), 0.005)


def changed(random_, data):
    """Bytes with a few of them replaced, removed or doubled."""
    data = bytearray(data)
    for _ in range(random_.randrange(1, 6)):
        at = random_.randrange(len(data) + 1)
        data[at:at + random_.randrange(3)] = random_.randbytes(random_.randrange(3))
    return bytes(data)


def frames(service, random_):
    """Frames of sockets that are open, of any opcode, length and content; the leader's, too."""
    words = [b"move 1 0 0 0 0 1 0 0", b"size 160 120", b"go seahorse", b"set view.limit 100", b"rank 0 0", b"place",
             b"step density-more", b"step interior",
             b"go [view]\nre = 0\nim = 0\nzoom = 1\n", b"set look.palette #000000#ffffff", b"rest",
             b"screen 0 0", b"ready 1", b"touch", b"press 1", b"end", b"reset"]
    for _ in range(ROUNDS):
        client = service.connect()
        try:
            for _ in range(random_.randrange(1, 8)):
                if random_.random() < 0.2:
                    client.socket.send_raw(random_.randbytes(random_.randrange(1, 40)))
                else:
                    client.socket.send(changed(random_, random_.choice(words)),
                                       random_.choice((1, 1, 1, 1, 2, 0, 8, 9, 10, 3)),
                                       random_.random() < 0.9)
            if client.socket.waits(0.01):
                client.take(1)
        except (Closed, OSError):
            pass
        finally:
            client.close()


def closed_after(service, what, *sends):
    """A client that sends this is closed."""
    client = service.connect()
    try:
        for send in sends:
            send(client)
        end_s = time.monotonic() + 10
        while time.monotonic() < end_s:
            client.take(10)
    except (Closed, ConnectionError, OSError):
        return
    finally:
        client.close()
    raise SystemExit(f"a client stays that sends {what}")


def text(words):
    return lambda client: client.send(words)


def messages(service):
    closed_after(service, "an unknown word", text("hello"))
    closed_after(service, "half a motion", text("move 1 0 0"))
    closed_after(service, "a motion of nan", text("move 1 nan 0 0 0 1 0 0"))
    closed_after(service, "a factor of 0", text("move 1 0 0 0 0 0 0 0"))
    closed_after(service, "a picture of 1e9 pixels", text("size 100000 100000"))
    closed_after(service, "binary", lambda c: c.socket.send(b"abc", 2))
    closed_after(service, "no UTF-8", lambda c: c.socket.send(b"go \xff\xfe", 1))
    closed_after(service, "1 MB of text", text("go " + "1" * (1 << 20)))
    closed_after(service, "4 KB of another word", text("set look.palette " + "a" * 4096))
    closed_after(service, "a NUL", lambda c: c.socket.send(b"go a\0b", 1))
    closed_after(service, "an unmasked frame", lambda c: c.socket.send_raw(b"\x81\x05hello"))
    closed_after(service, "a reserved opcode", lambda c: c.socket.send_raw(b"\x83\x80\0\0\0\0"))
    closed_after(service, "a flood", lambda c: [c.send("rest") for _ in range(3000)])


def places(service, client):
    """What a page may not name: files of the disk, and settings of the machine."""
    for words in ("go /etc/passwd", "go ../../etc/passwd", "go seahorse.ini", "go -",
                  "step quit", "step save", "step home",
                  "set look.palette /etc/passwd", "set look.palette x.map",
                  "set look.palette aurora+/etc/passwd",
                  "set look.palette #000000#ffffff+/etc/passwd", "set look.palette ~x",
                  "go [look]\npalette = \"#000000#ffffff+/etc/passwd\"\n[view]\nzoom = 1\n",
                  "go [view]\nzoom = 1\n[film]\npath = /etc/passwd\n",
                  "go [view]\nzoom = 1\nregion = 0,0,1x1\n", "set view.formula /tmp/a.formula",
                  "set output.log_json /tmp/deepfield-log", "set compute.memory 1",
                  "go [view]\nre = 0\nim = 0\nzoom = 1\n[look]\npalette = /etc/passwd\n",
                  "go [view]\nre = 0\nim = 0\nzoom = 1\n[compute]\nmemory = 1\n",
                  "go [view]\nre = 0\nim = 0\nzoom = 1\n[output]\nlog_json = /tmp/deepfield-log\n"):
        count = len(client.notes)
        client.send(words)
        client.until(lambda c, n=count: len(c.notes) > n, 20)
        note = client.notes[-1]
        expect("passwd" not in note and os.getcwd() not in note, f"'{note}' tells no path")
    expect(not os.path.exists("/tmp/deepfield-log"), "no file was written")


def too_many(service):
    """More pages than are allowed are refused; the others stay."""
    clients = []
    try:
        for _ in range(6):
            clients.append(service.connect())
    except Closed:
        pass
    expect(len(clients) == 3, f"3 more pages are opened, and no fourth ({len(clients)})")
    for client in clients:
        client.close()


def watchers_leave_room(service):
    """Those who only watch take all pages but one that may lead."""
    watchers = []
    try:
        for _ in range(6):
            watchers.append(service.connect(service.watch))
    except Closed:
        pass
    expect(len(watchers) == 2, f"2 watchers beside the leader, and no third ({len(watchers)})")
    other = service.connect()
    other.until(lambda c: c.facts is not None)
    for client in (*watchers, other):
        client.close()


def slow(service, client):
    """One that reads nothing delays nobody, and does not take memory without bound."""
    idle = service.connect()
    begun_s = time.monotonic()
    for number in range(1, 60):
        client.send(f"move {number} 0 0 0 0 1.02 0 1")
        client.until(lambda c, n=number: c.motion >= n, 20)
    client.send("rest")
    client.until(lambda c: c.exact, 60)  # the newest frame is of the last motion, and may be the last
    taken_s = time.monotonic() - begun_s
    expect(len(client.frames) > 20, f"frames while another does not read ({taken_s:.1f} s)")
    idle.close()


def watcher_watches(service, client):
    """A message of one that watches moves nothing."""
    watcher = service.connect(service.watch)
    watcher.until(lambda c: c.facts is not None and c.frames)
    expect(not watcher.facts["leads"] and not watcher.facts["may_lead"], "a watcher does not lead")
    before = client.motion
    watcher.send("move 9999 0 0 0 0 2 0 0")
    watcher.send("home")
    watcher.send("lead")
    watcher.send("size 200 200")
    client.send(f"move {before + 1} 0 0 1 0 1 0 0")
    client.until(lambda c: c.motion == before + 1)
    expect(client.frames[-1]["width"] == 160, "the size is the leader's")
    watcher.close()


def lead_passes(service, client):
    """The lead goes to the one that asks, from the one that has it."""
    other = service.connect()
    other.until(lambda c: c.facts is not None)
    expect(not other.facts["leads"], "the first leads")
    other.send("lead")
    client.facts = None
    client.until(lambda c: c.facts is not None and c.facts["asked"] == 1)
    client.send("lead")
    other.until(lambda c: c.facts["leads"])
    client.until(lambda c: not c.facts["leads"])
    other.close()
    client.until(lambda c: c.facts["leads"])


def honest_step(screen, timeout_s):
    """One message for a screen of a wall that answers as it should; the frame that it shows, or None."""
    message = screen.take(timeout_s, confirm=False)
    if message["kind"] == "frame" and message["flags"] & 4:
        screen.send(f"ready {message['sequence']}")
    elif message["kind"] == "present":
        screen.send(f"shown {message['frame']}")
        return message["frame"]
    return None


def place_of_screen(client):
    return client.facts["wall"]["place"] if client.facts and client.facts.get("wall") else None


def watcher_takes_no_place(service, screen):
    """Who only watches takes no place of a wall, free or not; a screen takes it, and the one that
    was there chooses again, without frames."""
    watcher, other = service.connect(service.watch), service.connect(service.screens)
    for place in ("0 0", "1 1"):
        watcher.facts = None
        watcher.send("screen " + place)
        watcher.until(lambda c: c.facts is not None)
        expect(place_of_screen(watcher) == -1, f"a watcher is no screen at {place}")
    screen.until(lambda c: place_of_screen(c) == 0)
    other.send("screen 0 0")
    other.until(lambda c: place_of_screen(c) == 0)
    screen.until(lambda c: place_of_screen(c) == -1)
    count = len(screen.frames)
    until_s = time.monotonic() + 0.3
    while time.monotonic() < until_s:
        if screen.socket.waits(0.02):
            screen.take(confirm=False)
    expect(len(screen.frames) == count, "no frame for a page that has lost its place")
    watcher.close()
    other.close()
    screen.send("screen 0 0")
    screen.until(lambda c: place_of_screen(c) == 0)


def wall_of_strangers(program, random_):
    """Screens that claim places, answer what they were not told, or nothing, hold up no other for
    longer than a second a frame, and the wall goes on."""
    service = Service(program, *SIZE, "--wall", "2x2", "--set", "viewer.serve_pages=6")
    try:
        hand, screen = service.connect(), service.connect(service.screens)
        screen.send("screen 0 0")
        watcher_takes_no_place(service, screen)
        silent = service.connect(service.screens)
        silent.send("screen 1 0")
        shown = []
        number, until_s = 0, time.monotonic() + 60
        while number < max(29, ROUNDS // 10) or (len([f for f in shown if f]) < 10 and time.monotonic() < until_s):
            number += 1
            for _ in range(12):  # as many as the rate of messages of a page allows
                word = random_.choice((f"screen {random_.randrange(-1, 8)} {random_.randrange(1, 8)}",
                                       f"ready {random_.randrange(40)}", f"shown {random_.randrange(40)}",
                                       f"ready {random_.randrange(1 << 32)}"))
                silent.send(word)
            hand.send(f"move {number} 0 0 0 0 1.02 0 1")
            end_s = time.monotonic() + 0.05
            while time.monotonic() < end_s:
                if screen.socket.waits(0.005):
                    shown.append(honest_step(screen, 5))
                if hand.socket.waits(0):
                    hand.take()
        hand.send("rest")
        frames_ = [frame for frame in shown if frame]
        expect(len(frames_) >= 10, f"{len(frames_)} frames of a wall, which waits for no stranger")
        expect(frames_ == sorted(set(frames_)), "frames of a wall come in their order, each once")
        expect(service.alive(), "the wall goes on")
    finally:
        code = service.end()
    expect(code == 0, f"a wall ends with {code}")


def main(program, seed=None):
    seed = int(seed or random.randrange(1 << 30))
    print("seed", seed)
    service = Service(program, *SIZE)
    try:
        client = service.connect()
        client.until(lambda c: c.exact)
        answers_of_strangers(service)
        sockets_of_strangers(service)
        rights_stay_apart(service)
        garbage(service, random.Random(seed))
        client.close()  # so that random frames lead
        frames(service, random.Random(seed))
        client = service.connect()
        client.until(lambda c: c.facts is not None and c.facts["leads"])
        client.send("size 160 120")
        messages(service)
        places(service, client)
        too_many(service)
        watchers_leave_room(service)
        lead_passes(service, client)
        watcher_watches(service, client)
        slow(service, client)
        expect(service.alive(), "the server goes on")
        client.send("home")
        client.exact = False
        client.until(lambda c: c.exact)
    finally:
        code = service.end(signal.SIGINT) if service.alive() else service.process.wait()
    expect(code == 0, f"SIGINT ends it with {code}: {service.process.stderr}")
    wall_of_strangers(program, random.Random(seed))


if __name__ == "__main__":
    main(*sys.argv[1:])
