#!/usr/bin/env bash
# Flights in the real viewer: by hand, by itself and along tours.
# usage: view_flight.sh DEEPFIELD SCRATCH hand|tour
# With DEEPFIELD_LONG the times are judged, too: 30 frames a second, no pixel coarser than every 8th.
set -euo pipefail
deepfield=$1
scratch=$2/$3
mode=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
export SDL_VIDEODRIVER=dummy XDG_DATA_HOME=$scratch/data
failures=0

complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# view NAME WANTED_CODE OPTIONS...: plays the script on stdin.
view() {
    local name=$1 wanted=$2 code=0
    shift 2
    sed 's/^settle$/settle within 250/' > "$name.txt" # with sanitizers on a busy machine
    "$deepfield" view "$@" --script "$name.txt" --report > "$name.json" 2> "$name.log" || code=$?
    [ "$code" = "$wanted" ] || complain "$name: code $code, not $wanted: $(cat "$name.log")"
}

# flown NAME FIGURE: of the flight, from the report.
flown() {
    sed -nE "s/.*\"flight\":.*\"$2\":([-0-9.e+]+).*/\1/p" "$1.json"
}

# holds NAME EXPRESSION: of awk.
holds() {
    awk "BEGIN { exit !($2) }" || complain "$1: not so: $2"
}

# A button and a finger that are held fly in, the right button and two fingers out; what was flown
# is one step to undo, and at rest the picture is that of render.
hand() {
    view hand 0 --size 320x180 --samples 1 <<'SCRIPT'
settle
hold left at 100 60 for 1.5
expect flight-frames > 5
settle
expect zoom > 2.2
expect zoom < 8
expect undo = 1
expect flies = 0
key tab
expect same-as-render
key tab
hold right at 160 90 for 1.5
settle
expect zoom < 2.8
expect undo = 2
key ctrl+z
settle
expect zoom > 2.2
key ctrl+z
settle
expect zoom near 1.4
finger 1 down 0.3 0.4
wait until zoom > 2
finger 1 move 0.5 0.5
wait until zoom > 3
finger 1 up 0.5 0.5
settle
finger 1 down 0.5 0.5
finger 2 down 0.7 0.5
wait until zoom < 2
finger 1 up 0.5 0.5
finger 2 up 0.7 0.5
settle
pad axis trigger-right 1
wait until zoom > 3
pad axis trigger-right 0
settle
drag 100 60 200 60 over 0.5
settle
quit
SCRIPT
    holds misplaced "$(flown hand misplaced_px) <= 1"
    # Deep, through pictures that are carried along under perturbation.
    view deep 0 --size 320x180 --samples 1 seahorse-deep --zoom 1e20 <<'SCRIPT'
settle
hold left at 200 60 for 1.5
settle
expect log10-zoom > 20.2
expect flight-frames > 5
key tab
expect same-as-render
key tab
quit
SCRIPT
    [ ! "${DEEPFIELD_LONG-}" ] && return
    view judged 0 --size 640x360 <<'SCRIPT'
settle
hold left at 455 190 for 5
hold right at 320 180 for 5
settle
quit
SCRIPT
    local p99
    p99=$(sed -nE 's/.*"flight":.*"interval":.*"p99_ms":([-0-9.e+]+),"max_ms".*"stale_share.*/\1/p' judged.json)
    holds "frames in time" "$p99 <= 33.4"
    holds "fresh pixels" "$(flown judged stale_share) <= 0.05"
    holds "fine pixels" "$(flown judged coarser_than_8_share) <= 0.01"
    holds "no rim" "$(flown judged missing_share) <= 0.005"
}

# A tour is played to its end, paused by a hand and gone on with; the last stop is what is seen.
tour() {
    cat > tour.ini <<'TOUR'
[tour]
title-en = A test
[first]
re = -0.7
im = 0
zoom = 1.4
flight = 0
dwell = 600
text-en = The whole set
[second]
re = -0.743643887037151
im = 0.131825904205330
zoom = 1000
flight = 3
dwell = 600
tiles = yes
workers = 1
palette = fire
text-en = A seahorse
[last]
re = 0
im = 0
zoom = 1.2
julia = -0.8,0.156
flight = 1
dwell = 0
TOUR
    view tour 0 --size 320x180 --samples 1 --tour tour.ini <<'SCRIPT'
wait until tour-phase = 1
expect tour-stop = 1
settle
key space
expect tour-paused = 1
key space
expect tour-paused = 0
key p
expect tour-paused = 0
key ctrl+right
expect tour-stop = 2
wait until tiles = 1
expect workers-used = 1
expect palette is "fire"
wait until zoom > 3
hold left at 100 60 for 0.6
expect tour-paused = 1
key space
expect tour-paused = 0
wait until tour-phase = 1
settle
expect zoom = 1000
expect re near -0.743643887037151
expect flight-frames > 5
hurry 600
wait until tour-phase = 2
expect julia = 1
settle
expect zoom near 1.2
key ctrl+right
settle
quit
SCRIPT
    local code=0
    "$deepfield" view --tour nowhere > no.txt 2> no.log || code=$?
    [ "$code" = 66 ] || complain "a tour that is not there: code $code, $(cat no.log)"
}

case $mode in
tour) tour ;;
hand) hand ;;
*)
    echo "unknown mode $mode"
    exit 2
    ;;
esac
exit "$((failures > 0))"
