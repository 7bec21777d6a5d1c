#!/usr/bin/env bash
# Who drives which GPU, on the real machine: all by one process, shared out among ranks, chosen by
# number, hidden by the environment.
# usage: gpu_devices.sh DEEPFIELD
set -euo pipefail
deepfield=$1
grep -qE '^ +cuda +yes' <<<"$("$deepfield" devices)" || { echo "skipped: no GPU"; exit 77; }

failures=0
complain() {
    printf '%s\n' "$*"
    failures=$((failures + 1))
}

# ask OPTIONS...: the JSON of `devices`; values KEY: what it has for a key, one a line.
json=''
ask() {
    json=$("$deepfield" devices --json "$@")
}
values() {
    grep -oE "\"$1\":(\"[^\"]*\"|[0-9]+)" <<<"$json" | cut -d : -f 2-
}

# refused CODE WORDS OPTIONS...
refused() {
    local code=0 want=$1 words=$2 said
    shift 2
    said=$("$deepfield" devices "$@" 2>&1) || code=$?
    [[ $code == "$want" && $said == *"$words"* ]] || complain "$*: code $code, '$said'"
}

ask
gpus=$(values bus | wc -l)
((gpus >= 1)) || complain "no GPU in the JSON of one process"
[[ $(values bus | sort -u | wc -l) == "$gpus" ]] || complain "one process drives a GPU twice"
[[ $(values uuid | grep -cE '^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$') == "$gpus" &&
    $(values uuid | sort -u | wc -l) == "$gpus" ]] || complain "UUIDs: $(values uuid | tr '\n' ' ')"
[[ $(values device | tr '\n' ' ') == "$(seq -s ' ' 0 $((gpus - 1))) " ]] ||
    complain "devices of one process: $(values device | tr '\n' ' ')"

# Rank 0 coordinates: as many workers as GPUs have one each, twice as many share.
ask --ranks $((gpus + 1))
[[ $(values bus | sort -u | wc -l) == "$gpus" ]] || complain "$gpus workers do not drive $gpus GPUs"
[[ $(values shared_with | sort -u) == 0 ]] || complain "shared without need"
ask --ranks $((2 * gpus + 1))
[[ $(values shared_with | sort -u) == 1 ]] || complain "$((2 * gpus)) workers: not every GPU has two"
ask --ranks 4 --devices 0
[[ $(values device | sort -u) == 0 ]] || complain "--devices 0 takes others"

refused 69 "there is no device 63 here; found: 0" --devices 63
refused 69 "but there are $gpus" --devices-per-rank $((gpus + 1))
for hidden in '' none -1; do
    said=$(CUDA_VISIBLE_DEVICES=$hidden "$deepfield" devices)
    grep -qE '^ +cuda +no .*CUDA_VISIBLE' <<<"$said" ||
        complain "CUDA_VISIBLE_DEVICES='$hidden' is not explained"
    CUDA_VISIBLE_DEVICES=$hidden refused 69 CUDA_VISIBLE_DEVICES --backend cuda
done
# A small picture opens no GPU; one of much work does, of any size. --devices is a choice.
picture=$(mktemp -u).png
backend() {
    local said
    said=$("$deepfield" render "$@" --json --quiet -o "$picture") || complain "render $*: code $?"
    rm -f -- "$picture"
    grep -oE '"backend":"[a-z0-9]+"' <<<"$said" | cut -d '"' -f 4
}
small=(seahorse --size 128x72)
[[ $(backend "${small[@]}") != cuda ]] || complain "a small picture opens a GPU"
[[ $(backend "${small[@]}" --devices 0) == cuda ]] || complain "--devices 0 is not taken"
[[ $(backend minibrot --size 1080p --limit 1e7 --set compute.shortcuts=false) == cuda ]] ||
    complain "much work is left to the cores"
grep -q '^backend .*cores' <<<"$("$deepfield" render "${small[@]}" --explain --dry-run --quiet -o "$picture")" ||
    complain "--explain does not say who computes a small picture"
echo "$gpus GPUs, $failures failures"
((failures == 0))
