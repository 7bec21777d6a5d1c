#!/usr/bin/env bash
# Alt+Z, where some ranks have cores and another has GPUs, and rank 0's machine has none: a job that
# has joined and says so (it computes with cores, which no pixel shows).
# usage: view_ranks_devices.sh DEEPFIELD SCRATCH
here=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/support/viewer.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/viewer.sh"

# The job that joins with the kind of device that is called so; it is killed when the viewer writes
# a picture.
joins_as() {
    appears join.txt
    "${PYTHON:-python3}" "$here/join_as.py" join.txt relay.txt "$1" &
    local relay=$! job
    appears relay.txt
    "$deepfield" join relay.txt --ranks 1 >job.txt 2>job.log &
    job=$!
    appears shot.png
    kill -9 "$job" 2>/dev/null || true
    wait "$job" "$relay" 2>/dev/null || true
}

# Every set computes a picture of its own, and it is that of render. When the ranks with GPUs are
# gone the others go on.
joins_as cuda &
joined=$!
played devices 0 "$deepfield" view seahorse --size 320x180 --samples 1 --ranks 3 --backend cpu \
    --join-file join.txt <<'SCRIPT'
settle
wait until computing = 3
expect workers = 3
key alt+z
expect notice is "GPUs alone compute"
expect workers-out = 2
wait until computing = 1
wheel 1 at 100 90
settle
key tab
expect same-as-render
key tab
key alt+z
expect notice is "Cores alone compute"
expect workers-out = 1
wait until computing = 2
wheel 1 at 200 90
settle
key tab
expect same-as-render
key tab
key alt+z
expect notice is "All processors compute"
expect workers-out = 0
wait until computing = 3
key alt+z
wait until computing = 1
shot shot.png
wait until computing = 2
wheel 1 at 100 90
settle
key tab
expect same-as-render
quit
SCRIPT
wait "$joined"
verdict
