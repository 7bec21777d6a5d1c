#!/usr/bin/env bash
# How often do three ranks meet for a picture? Eight times from the opening of the renderer to the last
# pixel, and three for the program: who is there, the same command, the same end. Rank 0 says four words
# to those that serve it: open, render, close, end. A deep picture also shares its orbit and learns of
# the blocks.
# usage: collectives.sh COLLECTIVES SCRATCH
set -u
program=$1
rm -rf -- "$2"
mkdir -p -- "$2"
cd -- "$2" || exit 1
failures=0

meets() { # meets MOST VIEW...
    local most=$1 met
    shift
    met=$("$program" render "$@" --size 160x90 --samples 1 --ranks 3 -f -o x.png 2>&1 >/dev/null |
        sed -n 's/^\([0-9]*\) collectives$/\1/p')
    [[ -n $met ]] && ((met <= most)) && return
    echo "FAILED: $*: the ranks met ${met:-no} times, not $most"
    failures=1
}

meets 15 seahorse
meets 20 rosettes --accuracy 1e-9 --limit 500
exit "$failures"
