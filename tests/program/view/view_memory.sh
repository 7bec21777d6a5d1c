#!/usr/bin/env bash
# What the viewer keeps: steps to undo, ways back, files.
# usage: view_memory.sh DEEPFIELD SCRATCH julia|stall|reports|names
mode=$3
set -- "$1" "$2/$3"
# shellcheck source=tests/support/viewer.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/viewer.sh"

# view NAME OPTIONS...: plays the script on stdin.
view() {
    local name=$1
    shift
    played "$name" 0 "$deepfield" view "$@" --samples 1
}

# J goes back to where the hand was, also after undo and redo, and in the next session.
julia() {
    view julia --size 160x90 <<'SCRIPT'
settle
wheel 3 at 100 50
settle
expect zoom near 2.35450996271
key j
settle
key ctrl+z
settle
expect julia = 0
key ctrl+y
settle
expect julia = 1
wheel 2 at 50 50
settle
key j
settle
expect julia = 0
expect zoom near 2.35450996271
key ctrl+z
settle
key ctrl+s
settle
SCRIPT
    view again deepfield-*.ini --size 160x90 <<'SCRIPT'
settle
expect julia = 1
key j
settle
expect julia = 0
expect zoom near 2.35450996271
SCRIPT
}

# What a hand did before and after a pause are two steps, though the program was held up.
stall() {
    view stall --size 64x36 --limit 50 <<'SCRIPT'
settle
expect undo = 0
key p
stall 1
key p
settle
wait 0.3
expect undo = 2
key ctrl+z
key ctrl+z
expect palette is "meridian"
expect redo = 2
SCRIPT
}

# Rest is when it is told what came of a file, and when what was read is there.
reports() {
    view reports --size 64x36 <<SCRIPT
settle
$(printf 'key ctrl+s\nsettle\nexpect notice has ".ini"\nkey b\nsettle\nexpect notice has "bookmark"\n%.0s' 1 2 3 4)
key ctrl+b
settle
expect bookmarks = 4
SCRIPT
}

# Many in one second: each is another file.
names() {
    view names --size 64x36 <<SCRIPT
settle
$(printf 'key f12\nkey ctrl+s\n%.0s' 1 2 3 4 5 6)
settle
expect notice has "the "
SCRIPT
    local suffix found
    for suffix in png ini; do
        found=(deepfield-*."$suffix")
        [[ ${#found[@]} == 6 ]] || complain "6 times .$suffix, but: ${found[*]}"
    done
}

case $mode in
    julia) julia ;;
    stall) stall ;;
    reports) reports ;;
    names) names ;;
    *) complain "what is $mode?" ;;
esac
verdict
