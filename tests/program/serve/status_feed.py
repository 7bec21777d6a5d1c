"""The status feed of `deepfield view`: events of all ranks while a picture changes, at the promised
rate, and hostile clients that disturb nobody.

usage: status_feed.py PROGRAM
"""
import json
import os
import socket
import sys
import time
import urllib.request

from service import Service, port_free

SECONDS = 2
RATE = 20


def expect(true, what):
    if not true:
        raise SystemExit(f"not so: {what}")


def events(port, seconds):
    """Events of so long, each with the time when it came."""
    found = []
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/events", timeout=20) as stream:
        expect(stream.headers["Content-Type"] == "text/event-stream", "a stream of events")
        end_s = time.monotonic() + seconds
        for line in stream:
            if line.startswith(b"data: "):
                found.append((time.monotonic(), json.loads(line[6:])))
            if time.monotonic() > end_s:
                return found


def thread_s(process, name):
    """Seconds of processor time of the thread of this name, here or in a child."""
    spent_ns = 0
    for child in [process.pid, *children(process.pid)]:
        for task in os.listdir(f"/proc/{child}/task"):
            folder = f"/proc/{child}/task/{task}"
            with open(f"{folder}/comm", encoding="utf-8") as comm:
                if comm.read().strip() != name:
                    continue
            with open(f"{folder}/schedstat", encoding="utf-8") as spent:
                spent_ns += int(spent.read().split()[0])
    return spent_ns / 1e9


def children(pid):
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as stat:
                text = stat.read()
        except (OSError, ValueError):
            continue
        if text[text.rindex(")") + 2:].split()[1] == str(pid):
            found += [int(name), *children(int(name))]
    return found


def check_event(event):
    """Of three ranks two or all compute: it depends on the cores of the machine."""
    ranks = [rank["rank"] for rank in event["ranks"]]
    expect(ranks in ([0, 1, 2], [1, 2]), f"three ranks: {ranks}")
    for rank in event["ranks"]:
        expect(0 <= rank["busy"] <= 1 and 0 <= rank["wait"] <= 1, f"shares of {rank}")
        expect(rank["tile"] is None or len(rank["tile"]) == 4, f"a tile of {rank}")
        expect(rank["compute_s"] >= 0 and rank["transfer_s"] >= 0, f"times of {rank}")
        expect(rank["colour"].startswith("#") and len(rank["colour"]) == 7, "a colour")
        expect(rank["alive"] and rank["bytes"] >= 0 and rank["tiles"] >= 0, f"counts of {rank}")
    expect(len(event["map"]) == 8 and all(len(row) == 8 for row in event["map"]), "8 x 8 squares")


def moving(client, number):
    client.send(f"move {number} 0 0 0 0 1.1 0 1")


def feed(service, client, port):
    """Events while a hand moves the picture."""
    end_s, number, found = time.monotonic() + SECONDS, 0, []
    before_s = thread_s(service.process, "status")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/events", timeout=20) as stream:
        for line in stream:
            if line.startswith(b"data: "):
                found.append(json.loads(line[6:]))
                number += 1
                moving(client, number)
            if time.monotonic() > end_s:
                break
    spent_s = thread_s(service.process, "status") - before_s
    for event in found:
        check_event(event)
    first, last = found[0], found[-1]
    print(f"{len(found)} events in {SECONDS} s, {len(json.dumps(last))} bytes each; the feed's "
          f"thread took {100 * spent_s / SECONDS:.2f} % of a core")
    expect(2 <= len(found) <= RATE * SECONDS + 2, f"{len(found)} events: at most {RATE} a second")
    tiles = [after["tiles"] - before["tiles"] for before, after in zip(first["ranks"], last["ranks"])]
    expect(all(count > 0 for count in tiles), f"all ranks compute tiles: {tiles}")
    expect(last["ranks"][-1]["compute_s"] > first["ranks"][-1]["compute_s"], "times rise")
    expect(any(rank["tile"] for event in found for rank in event["ranks"]), "tiles are told")
    squares = {square for event in found for row in event["map"] for square in row}
    expect(squares - {None}, "somebody has computed")  # a new picture has nothing at first
    client.send("rest")


def status(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/status.json", timeout=20) as answer:
        return json.load(answer)


def slow_readers(port):
    """Those who read nothing take no place for ever, and delay nobody."""
    held = []
    for _ in range(12):
        plain = socket.create_connection(("127.0.0.1", port), 10)
        plain.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        held.append(plain)
    expect(status(port)["health"] == "ok", "others are answered")
    for plain in held:
        plain.close()


def many(port):
    held = []
    for _ in range(100):
        try:
            held.append(socket.create_connection(("127.0.0.1", port), 10))
        except OSError:
            break
    for plain in held:
        plain.close()


def main(program):
    port = port_free()
    service = Service(program, "--status-port", str(port), "--ranks", "3", "--threads", "1", "--size",
                      "320x240")
    try:
        client = service.connect()
        client.until(lambda c: c.exact)
        while not status(port)["ranks"]:
            time.sleep(0.05)
        feed(service, client, port)
        slow_readers(port)
        many(port)
        for _ in range(100):
            try:
                found = events(port, 0)
                break
            except OSError:  # places of those who have just left
                time.sleep(0.05)
        check_event(found[0][1])
        client.close()
    finally:
        code = service.end() if service.alive() else service.process.wait()
    expect(code in (0, 130, 143), f"it ends with {code}: {service.process.stderr}")


if __name__ == "__main__":
    main(*sys.argv[1:])
