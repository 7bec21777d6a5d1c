#!/usr/bin/env bash
# Is shared memory gone when one of its ranks was killed outright, rank 0 or another?
# usage: segment_killed.sh TEST_SEGMENT COMMAND-THAT-STARTS-3-RANKS...
set -euo pipefail
program=$1
shift

names() {
    find /dev/shm -name '*deepfield*' 2>/dev/null | sort
}

before=$(names)
for rank in 0 2; do
    if said=$(timeout 120 "$@" "$program" killed "$rank" 2>&1); then
        echo "FAILED: the job with rank $rank killed ended well"
        exit 1
    fi
    if ! grep -q "signal 9" <<<"$said"; then
        printf 'FAILED: rank %s was not killed:\n%s\n' "$rank" "$said"
        exit 1
    fi
    # The kernel frees the memory with its last process, so none may be left.
    for process in /proc/[0-9]*; do
        if [[ $(readlink "$process/exe") == "$program" ]]; then
            echo "FAILED: process ${process#/proc/} is left with rank $rank killed"
            exit 1
        fi
    done
done
if [[ $(names) != "$before" ]]; then
    echo "FAILED: left in /dev/shm: $(names)"
    exit 1
fi
