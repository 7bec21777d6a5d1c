#!/usr/bin/env bash
# Alt+Z, where some ranks have cores and another has GPUs, and rank 0's machine has none: a job that
# has joined and says so (it computes with cores, which no pixel shows).
# usage: view_ranks_devices.sh DEEPFIELD SCRATCH
here=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/support/viewer.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/viewer.sh"

# A job joins as one with GPUs, another with cores when the viewer writes its first picture, and the
# first is killed at the second. A third, with cores, gets its number.
jobs_join() {
    appears join.txt
    "$python" "$here/../join/join_as.py" join.txt relay.txt cuda &
    local relay=$! gpus
    appears relay.txt
    "$deepfield" join relay.txt --ranks 1 &>gpus.txt &
    gpus=$!
    appears first.png
    "$deepfield" join join.txt --ranks 1 &>cores.txt &
    appears second.png
    kill -9 "$gpus" 2>/dev/null || true
    appears third.png
    "$deepfield" join join.txt --ranks 1 &>more.txt || complain "more: $(<more.txt)"
    wait "$gpus" "$relay" 2>/dev/null || true
    [[ $failures == 0 ]]
}

# Every set computes a picture of its own, and it is that of render. Who comes is left out where its
# kind is, and not because another had its number. When the ranks with GPUs are gone the others go
# on.
jobs_join &
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
shot first.png
wait until workers = 4
wait until workers-out = 3
wait until computing = 1
shot second.png
wait until computing = 3
wheel 1 at 100 90
settle
key tab
expect same-as-render
key alt+z
expect notice is "All processors compute"
expect workers-out = 0
key alt+z
expect notice is "All ranks compute with the same kind of device"
workers 2
wait until computing = 2
expect workers-out = 2
shot third.png
wait until computing = 3
expect workers-out = 1
settle
expect same-as-render
quit
SCRIPT
[[ $failures == 0 ]] || kill_tree "$joined"
wait "$joined" || complain "a job that joined has failed"
verdict
