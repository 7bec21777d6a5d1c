"""An 8 x 8 matrix of LEDs on every node, which shows the part of the picture that this node has
computed, brighter while it computes. The feed is that of `deepfield view --status-port`.

    python3 led_matrix.py --url http://node1:8017/events --device /dev/spidev0.0
    python3 led_matrix.py --file events.txt --node node2 --dry-run

The device gets frames for 64 APA102 LEDs (SK9822, DotStar) in rows, every second row backwards.
"""
import argparse
import json
import socket
import sys
import urllib.request

RESTING = 0.25  # level of what a rank has computed while it has nothing to do


def events(stream):
    """Objects of server-sent events."""
    for line in stream:
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


def matrix(event, node):
    """8 rows of 8 colours as (red, green, blue), 0 ... 255; ranks of other nodes are dark."""
    ranks = {rank["rank"]: rank for rank in event["ranks"] if rank["host"] == node}

    def colour(owner):
        if owner not in ranks:
            return (0, 0, 0)
        level = RESTING + (1 - RESTING) * ranks[owner]["busy"]
        return tuple(round(level * part) for part in bytes.fromhex(ranks[owner]["colour"][1:]))

    return [[colour(owner) for owner in row] for row in event["map"]]


def apa102(rows, brightness):
    """Start, a word for each LED, and a clock edge for every second one at the end."""
    line = [led for number, row in enumerate(rows) for led in (row[::-1] if number % 2 else row)]
    words = b"".join(bytes((0xe0 | brightness, b, g, r)) for r, g, b in line)
    return bytes(4) + words + bytes(len(line) // 16 + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="http://127.0.0.1:8017/events")
    parser.add_argument("--file", help="events that were recorded, instead of --url")
    parser.add_argument("--node", default=socket.gethostname(), help="host whose ranks are shown")
    parser.add_argument("--device", help="file that the LEDs are behind")
    parser.add_argument("--dry-run", action="store_true", help="print the colours")
    parser.add_argument("--brightness", type=int, default=4, choices=range(32), metavar="0 ... 31")
    words = parser.parse_args()
    if not words.device and not words.dry_run:
        parser.error("--device or --dry-run")
    source = open(words.file, "rb") if words.file else urllib.request.urlopen(words.url, timeout=10)
    device = open(words.device, "wb", buffering=0) if words.device else None
    with source:
        for event in events(source):
            rows = matrix(event, words.node)
            if words.dry_run:
                print("\n".join(" ".join(f"{r:02x}{g:02x}{b:02x}" for r, g, b in row)
                                for row in rows), end="\n\n", flush=True)
            if device:
                device.write(apa102(rows, words.brightness))


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
