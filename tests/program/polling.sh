#!/usr/bin/env bash
# How soon does a run see a request to stop? The processor time between two polls of the stop flag
# is bounded in every phase: orbits of many digits, tables of blocks, pixels, sums, colours, files.
# usage: polling.sh POLLING SCRATCH
# shellcheck source=tests/support/program.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
# On the machines of BENCHMARKS.md 10 ms, and 36 ms of samples: a compressing thread has helped to
# average them before. Machines of another speed have their share.
most_ms=60

# polls NAME COMMAND...
polls() {
    local name=$1 gap
    shift
    "$deepfield" "$@" 2>message >printed || complain "$name: code $?"
    gap=$(sed -n 's/^polled after \([0-9.]*\) ms.*/\1/p' message)
    echo "$name: $gap ms"
    awk -v gap="${gap:-1e9}" -v most="$most_ms" 'BEGIN { exit gap > most }' ||
        complain "$name: $gap ms between two polls, at most $most_ms"
}

polls 'orbit and blocks at 1e1086' render published/kf-1e1086 --size 160x90 -o a.png
polls 'a ship at 4e406' render formulas:burning-ship-deepest --size 160x90 -o b.png
polls 'blocks at 5e227' render published/kf-5e227 --size 160x90 -o c.png
polls 'a direct picture of 8K' render whole-set --size 8k -o d.png
polls 'all planes' render seahorse --size 1080p --planes count,fraction,distance,phase -o e.npy
polls 'an EXR of 4K' render seahorse --size 4k -o f.exr
polls 'samples of 8K' render whole-set --size 8k --samples 2 -o g.png
polls 'an island' find published/kf-1e1086
((failures == 0))
