#!/usr/bin/env bash
# One table of devices for all ranks: alone, with --ranks, under mpirun, where rank 0 coordinates.
# usage: devices.sh DEEPFIELD
set -euo pipefail
deepfield=$1
failures=0

# expect LABEL RANKS COMMAND...: one line of JSON whose devices belong to these ranks.
expect() {
    local label=$1 want=$2 said ranks lines
    shift 2
    said=$("$@")
    lines=$(wc -l <<<"$said")
    ranks=$(grep -oE '"devices":\[.*"transports"' <<<"$said" | grep -oE '"rank":[0-9]+' | cut -d : -f 2 | sort -nu | tr '\n' ' ')
    if [[ $lines != 1 || $ranks != "$want " ]]; then
        printf '%s: %s lines, ranks %s; wanted 1 line, ranks %s\n' "$label" "$lines" "$ranks" "$want"
        failures=$((failures + 1))
    fi
}

expect "alone" 0 "$deepfield" devices --json
expect "--ranks 3" "1 2" "$deepfield" devices --json --ranks 3
expect "mpirun -n 2" 1 mpirun -n 2 "$deepfield" devices --json
expect "mpirun -n 1" 0 mpirun -n 1 "$deepfield" devices --json --backend scalar

# A table has one row per backend and one per device, and its head once.
said=$("$deepfield" devices --ranks 3)
for words in "^backends$" "^devices: " "^  rank +host"; do
    if [[ $(grep -cE "$words" <<<"$said") != 1 ]]; then
        printf 'not exactly one line "%s" in:\n%s\n' "$words" "$said"
        failures=$((failures + 1))
    fi
done
# What ranks were told is worth nothing beside what their own MPI says, or from another MPI.
for told in "" proven "proven with Open MPI v0.0.0" "not proven: it crashed"; do
    said=$(DEEPFIELD_MPI_DEVICE_TESTIMONY=$told mpirun -n 2 "$deepfield" devices --json --prove)
    if ! grep -qE '"mpi_device":"(no|claimed)"' <<<"$said"; then
        printf 'told "%s", ranks believe: %s\n' "$told" "$said"
        failures=$((failures + 1))
    fi
done
# Two ranks of a job that were told nothing make the trial themselves, and end well without a GPU.
said=$(env -u DEEPFIELD_MPI_DEVICE_TESTIMONY mpirun -n 2 "$deepfield" devices --json --prove)
if ! grep -qE '"mpi_device":"(no|claimed)"' <<<"$said" || grep -q mpi_device_setting <<<"$said"; then
    printf 'two ranks prove: %s\n' "$said"
    failures=$((failures + 1))
fi
# What is idle is named, on stderr.
idle() { # WORDS COMMAND...
    local words=$1 message
    shift
    message=$("$@" 2>&1 > /dev/null) || true
    if [[ $(grep -c '^deepfield: ' <<< "$message") != 1 || $message != *"$words"* ]]; then
        printf 'not the one line "%s": %s\n' "$words" "$message"
        failures=$((failures + 1))
    fi
}
if ! "$deepfield" devices --json | grep -q '"backend":"cuda"'; then
    CUDA_VISIBLE_DEVICES=0,1,2 idle '3 GPUs are given to this job on ' "$deepfield" devices
    CUDA_VISIBLE_DEVICES='' "$deepfield" devices 2>&1 | grep '^deepfield: ' && failures=$((failures + 1))
fi
# Bound to one hardware thread, since a core may have two, and a machine one core.
if [[ $(mpirun --version) == *'Open MPI'* ]] && (($(nproc) > 1)) && mpirun --bind-to hwthread -n 1 true 2> /dev/null; then
    CUDA_VISIBLE_DEVICES='' idle "1 of $(nproc) cores of $(hostname) compute, since" mpirun --bind-to hwthread -n 1 "$deepfield" devices
    CUDA_VISIBLE_DEVICES='' idle 'with mpirun --bind-to none all do' mpirun --bind-to hwthread -n 2 "$deepfield" devices
fi
((failures == 0))
