#!/usr/bin/env bash
# Flights in the real viewer: by hand, by itself and along tours.
# usage: view_flight.sh DEEPFIELD SCRATCH hand|tour|autopilot|film|tours|gpu
# With DEEPFIELD_LONG the times are judged, too: 30 frames a second, no pixel coarser than every 8th.
mode=$3
script=$(realpath -- "${BASH_SOURCE[0]}")
set -- "$1" "$2/$3"
# shellcheck source=tests/support/viewer.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/viewer.sh"

# view NAME WANTED_CODE OPTIONS...: plays the script on stdin.
view() {
    local name=$1 wanted=$2
    shift 2
    played "$name" "$wanted" "$deepfield" view "$@"
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
key f
expect tour-paused = 1
expect formula > 0
key space
wait until formula = 0
wait until tour-phase = 1
pad button shoulder-right down
pad button shoulder-right up
expect tour-paused = 1
key space
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
expect tour-stop = 3
key escape
expect tour-stop = 0
expect workers-used = 0
settle
quit
SCRIPT
    local code=0
    "$deepfield" view --tour nowhere > no.txt 2> no.log || code=$?
    [ "$code" = 66 ] || complain "a tour that is not there: code $code, $(cat no.log)"
}

# It flies by itself until a hand takes over, and not where motion is to be reduced.
autopilot() {
    view autopilot 0 --size 320x180 --samples 1 <<'SCRIPT'
settle
key space
expect autopilot = 1
key p
expect autopilot = 1
wait until zoom > 4
expect flight-frames > 5
click middle at 160 90
expect autopilot = 0
settle
key space
key escape
expect autopilot = 0
key space
key home
expect autopilot = 0
settle
quit
SCRIPT
    view still 0 --size 320x180 --samples 1 --reduced-motion <<'SCRIPT'
settle
key space
expect autopilot = 0
expect notice has "reduced motion"
quit
SCRIPT
}

# The same seed is the same film, by any ranks; another seed another.
film() {
    local each=(film whole-set --size 160x90 --fps 1 --seconds 8 --samples 1 -q)
    mkdir one same other
    "$deepfield" "${each[@]}" --autopilot 5 -o 'one/%d.png' > film.log
    "$deepfield" "${each[@]}" --autopilot 5 --ranks 3 -o 'same/%d.png' >> film.log
    "$deepfield" "${each[@]}" --autopilot 6 -o 'other/%d.png' >> film.log
    cmp -s one/7.png same/7.png || complain "a film depends on the ranks"
    cmp -s one/7.png other/7.png && complain "seeds make no difference"
    local flight=(film --re -0.75 --zoom 8 --autopilot 3 --seconds 4 --fps 2 --size 96x54)
    "$deepfield" "${flight[@]}" --samples 1 -q --im -0.1 -o below.y4m >> film.log
    "$deepfield" "${flight[@]}" --samples 1 -q --im 0.1 --mirror -o above.y4m >> film.log
    cmp -s below.y4m above.y4m || complain "a mirrored flight is not that of the mirror image"
    # It turns where doubles end: own formulas of so many lists have no perturbation.
    local lists
    lists=$(printf 'sqr, add c; %.0s' {1..9})
    "$deepfield" film --formula "${lists%; }" --im 1 --re 0 --zoom 8e12 --autopilot 1 --seconds 4 \
        --fps 1 --size 64x96 --to 1e20 --samples 1 -q -o doubles.y4m >> film.log ||
        complain "the autopilot goes deeper than doubles do"
    local code=0
    "$deepfield" "${each[@]}" --autopilot 5 --path x.ini -o 'x%d.png' > no.txt 2> no.log || code=$?
    [ "$code" = 78 ] || complain "two paths: code $code, $(cat no.log)"
}

# All that come with the program, in fast motion: to the end, without a word on stderr.
tours() {
    local file name
    for file in "$(dirname -- "$script")"/../../../configs/tours/*.ini; do
        name=$(basename "$file" .ini)
        view "$name" 0 --size 320x180 --samples 1 --tour "$name" --language de <<'SCRIPT'
hurry 20
wait until tour-phase = 2
settle
quit
SCRIPT
        [ ! -s "$name.log" ] || complain "$name says: $(cat "$name.log")"
    done
}

# By hand, on a machine with a GPU: figures of ten seconds at 1080p and a zoom of 1e50 and more.
gpu() {
    local digits re im
    digits=$(dirname -- "$script")/../../../configs/tours/digits.ini
    re=$(sed -n '/^\[hundred\]/,$ s/^re = //p' "$digits")
    im=$(sed -n '/^\[hundred\]/,$ s/^im = //p' "$digits")
    view gpu 0 --size 1920x1080 --re "$re" --im "$im" --zoom 1e50 <<'SCRIPT'
settle
hold left from 960 540 to 980 550 for 10
settle
quit
SCRIPT
    sed -nE 's/.*("flight":\{[^}]*\}[^}]*\}).*/\1/p' gpu.json
}

case $mode in
gpu) gpu ;;
tours) tours ;;
autopilot) autopilot ;;
film) film ;;
tour) tour ;;
hand) hand ;;
*)
    echo "unknown mode $mode"
    exit 2
    ;;
esac
verdict
