#!/bin/bash
# The viewer finds the island at the pointer, the middle of a spiral and the island of the picture,
# and goes back; a search is stopped by Escape, and by a hand that moves on.
# usage: view_find.sh DEEPFIELD SCRATCH
# shellcheck source=tests/support/viewer.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/viewer.sh"

# view NAME OPTIONS...: plays the script on stdin.
view() {
    local name=$1
    shift
    played "$name" 0 "$deepfield" view "$@" --samples 1
}

view found seahorse --size 160x90 <<'SCRIPT'
settle
move 40 44
key l
wait until log10-zoom > 5.8
expect notice has "an island of period"
key backspace
settle
expect zoom = 4e5
key ctrl+f
wait until notice is "an island of period 71, of size 1.6e-7"
settle
expect rotation > 121.9
key alt+l
wait until notice is "no Julia set surrounds it"
key backspace
move 52 80
key shift+l
wait until notice has "a Misiurewicz point"
expect zoom = 4e5
key j
key l
expect notice has "a Julia set has no islands"
SCRIPT

view nothing --re 1 --im 1 --zoom 100 --size 160x90 <<'SCRIPT'
settle
key l
wait until notice has "nothing was found"
SCRIPT

# The ship at the pointer gets its own shape where it is: no other centre, no other zoom.
view shape formulas:burning-ship-deep --size 160x90 <<'SCRIPT'
settle
key ctrl+n
settle
expect stretch = 1
move 80 45
key alt+n
wait until stretch > 1.5
expect notice has "an island of period"
expect log10-zoom < 65.3
key ctrl+z
settle
expect stretch = 1
SCRIPT

# The orbit, more of it and fewer, and rays: drawn over the picture, and nothing of it stays.
view orbit whole-set --size 320x180 <<'SCRIPT'
settle
key tab
shot bare.png
key tab
move 160 90
key o
wait 0.3
key alt+period
key alt+comma
key shift+o
key shift+o
wait 0.3
shot orbit.png
key o
key shift+o
key shift+o
key shift+o
key shift+o
key o
key tab
wait 0.1
shot again.png
SCRIPT
cmp -s bare.png again.png || complain "an orbit leaves traces"
cmp -s bare.png orbit.png && complain "no orbit is drawn"

# A search that would take hours.
view stopped published/kf-1e1086 --limit 100000000 --size 160x90 <<'SCRIPT'
move 3 3
key l
wait 0.2
key escape
wait until notice is "the search was stopped"
key l
wait 0.2
wheel 1 at 80 45
wait until notice is "the search was stopped"
SCRIPT
verdict
