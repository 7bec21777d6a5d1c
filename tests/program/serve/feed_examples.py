"""The examples that drive LEDs from the status feed, with the recorded events.

usage: feed_examples.py FOLDER SCRATCH
"""
import json
import os
import subprocess
import sys


def expect(true, what):
    if not true:
        raise SystemExit(f"not so: {what}")


def run(folder, script, *words):
    command = [sys.executable, os.path.join(folder, script), "--file", os.path.join(folder, "events.txt")]
    return subprocess.run([*command, *words], check=True, capture_output=True, text=True).stdout


def main(folder, scratch):
    os.makedirs(scratch, exist_ok=True)
    device = os.path.join(scratch, "device")
    with open(os.path.join(folder, "events.txt"), encoding="utf-8") as stream:
        events = [json.loads(line[6:]) for line in stream if line.startswith("data: ")]
    lines = run(folder, "led_strip.py", "--leds", "8", "--dry-run").splitlines()
    expect(len(lines) == len(events) > 1, "a line for each event")
    for event, line in zip(events, lines):
        first, second = event["ranks"]
        leds = line.split()
        expect(len(leds) == 8, "8 LEDs")
        if first["busy"] >= 0.25:
            expect("#" + leds[0] == first["colour"], "the colour of rank 1, which is busy")
        expect((second["busy"] > 0.01) == (leds[4] != "000000"), "rank 2 has the second half")
    pictures = run(folder, "led_matrix.py", "--node", "node2", "--dry-run").split("\n\n")[:-1]
    expect(len(pictures) == len(events), "a picture for each event")
    for event, picture in zip(events, pictures):
        lit = [[led != "000000" for led in row.split()] for row in picture.splitlines()]
        expect(lit == [[owner == 2 for owner in row] for row in event["map"]], "the part of node2")
    for script, leds in (("led_strip.py", 24), ("led_matrix.py", 64)):
        run(folder, script, "--device", device)
        length = 4 + 4 * leds + leds // 16 + 1
        with open(device, "rb") as stream:
            written = stream.read()
        expect(len(written) == length * len(events) and written[:4] == bytes(4), "whole frames")
        expect(all(byte & 0xe0 == 0xe0 for byte in written[4:4 + 4 * leds:4]), "words of LEDs")


if __name__ == "__main__":
    main(*sys.argv[1:])
