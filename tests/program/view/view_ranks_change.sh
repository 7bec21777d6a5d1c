#!/usr/bin/env bash
# Ranks that go and come while the viewer shows a picture, and the chart of their times.
# usage: view_ranks_change.sh DEEPFIELD SCRATCH
# shellcheck source=tests/support/viewer.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/viewer.sh"

# Four ranks, of which three compute. Keys, buttons and the words of scripts leave them out and take
# them back; the picture is that of render with any of them; a factor is there once the picture was
# computed by one alone; while the chart is shown it is computed again and again.
played ranks 0 "$deepfield" view seahorse --size 320x180 --samples 1 --ranks 4 <<'SCRIPT'
settle
expect workers = 3
expect computing = 3
expect faster = 0
key z
wait until computing = 2
expect workers-out = 1
pad button down down
pad button down up
wait until computing = 1
key z
expect workers-out = 2
wait until picture-one-s > 0
settle
key tab
expect same-as-render
key tab
key shift+z
wait until computing = 2
pad button up down
pad button up up
wait until computing = 3
wait until faster > 0
key alt+z
expect notice is "All ranks compute with the same kind of device"
expect workers-out = 0
key shift+t
expect rank-times = 1
wait until again > 6
workers 1
wait until computing = 1
wheel 3 at 100 90
settle
expect zoom > 100
expect faster = 0
workers 0
wait until computing = 3
key home
expect rank-times = 0
workers 2
key home
expect workers-out = 0
settle
key tab
expect same-as-render
quit
SCRIPT
# Rank 0 alone has nobody to leave out.
played alone 0 "$deepfield" view seahorse --size 160x90 --samples 1 --ranks 1 <<'SCRIPT'
settle
expect workers = 1
key z
workers 0
key shift+t
settle
expect computing = 1
expect faster = 0
pad button right down
pad button right up
expect rank-times = 0
settle
key tab
expect same-as-render
quit
SCRIPT
verdict
