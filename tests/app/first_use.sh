#!/usr/bin/env bash
# What somebody tries first: are the planes, the lists and the line of JSON what they promise?
# usage: first_use.sh DEEPFIELD SCRATCH
set -euo pipefail
deepfield=$1
scratch=$2
rm -rf -- "$scratch"
mkdir -p -- "$scratch"
cd -- "$scratch"

fail() {
    printf '%s\n' "$*"
    exit 1
}

render() {
    "$deepfield" render --re -0.745 --im 0.1126 --zoom 3e3 --limit 600 --size 64x36 --quiet "$@"
}

# Colours need the fractions, whatever is saved. The texts inside the pictures differ in a word of 8
# letters and the 4 bytes of their checksum.
render --planes count,distance,distance -o without.png >/dev/null
render --planes count,fraction,distance -o with.png >/dev/null
different=$(cmp -l without.png with.png | wc -l) || true
((different > 0 && different <= 12)) || fail "a picture without its fractions: $different bytes differ"
# Not saved unless asked for, and not computed where only numbers are saved.
paths=$(render --planes distance -o both.png -o both.npy)
[[ $paths == $'both.png\nboth.count.npy\nboth.distance.npy' ]] || fail "planes: $paths"
[[ ! -e both.fraction.npy ]] || fail "a plane that nobody asked for was saved"
[[ $(render --planes count -o count.npy --json) != *'"fraction"'* ]] || fail "computed for nobody"
