"""A strip of LEDs that shows who computes: each rank of `deepfield view --status-port` has its part
of the strip, lit in its colour as far as the rank is busy.

    python3 led_strip.py --url http://127.0.0.1:8017/events --device /dev/spidev0.0
    python3 led_strip.py --file events.txt --dry-run

The device gets frames for APA102 LEDs (SK9822, DotStar): an SPI device of Linux, or a serial line to
a controller that passes bytes on.
"""
import argparse
import json
import sys
import urllib.request


def events(stream):
    """Objects of server-sent events."""
    for line in stream:
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


def strip(event, leds):
    """Colour of each LED as (red, green, blue), 0 ... 255."""
    colours = [(0, 0, 0)] * leds
    ranks = [rank for rank in event["ranks"] if rank["alive"]]
    for number, rank in enumerate(ranks):
        first, end = number * leds // len(ranks), (number + 1) * leds // len(ranks)
        lit = rank["busy"] * (end - first)  # the last LED of a bar is dimmed
        for led in range(first, end):
            level = min(max(lit - (led - first), 0), 1)
            colours[led] = tuple(round(level * part) for part in bytes.fromhex(rank["colour"][1:]))
    return colours


def apa102(colours, brightness):
    """Start, a word for each LED, and a clock edge for every second one at the end."""
    words = b"".join(bytes((0xe0 | brightness, b, g, r)) for r, g, b in colours)
    return bytes(4) + words + bytes(len(colours) // 16 + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="http://127.0.0.1:8017/events")
    parser.add_argument("--file", help="events that were recorded, instead of --url")
    parser.add_argument("--device", help="file that the LEDs are behind")
    parser.add_argument("--dry-run", action="store_true", help="print the colours")
    parser.add_argument("--leds", type=int, default=24)
    parser.add_argument("--brightness", type=int, default=8, choices=range(32), metavar="0 ... 31")
    words = parser.parse_args()
    if not words.device and not words.dry_run:
        parser.error("--device or --dry-run")
    source = open(words.file, "rb") if words.file else urllib.request.urlopen(words.url, timeout=10)
    device = open(words.device, "wb", buffering=0) if words.device else None
    with source:
        for event in events(source):
            colours = strip(event, words.leds)
            if words.dry_run:
                print(" ".join(f"{r:02x}{g:02x}{b:02x}" for r, g, b in colours), flush=True)
            if device:
                device.write(apa102(colours, words.brightness))


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
