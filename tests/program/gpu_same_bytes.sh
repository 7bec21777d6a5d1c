#!/usr/bin/env bash
# Every view of configs/views on the GPU, by 1, 2, 3 and 5 ranks that share what GPUs there are: the
# checksums of its planes are those of the CPU.
# usage: gpu_same_bytes.sh DEEPFIELD VIEWS SCRATCH
set -euo pipefail
deepfield=$1 views=$2 scratch=$3
mkdir -p "$scratch"
cd "$scratch"

grep -qE '^ +cuda +available' <<<"$("$deepfield" devices)" || { echo "skipped: no GPU"; exit 77; }
cpu=$("$deepfield" devices | awk '$2 == "available" && $1 != "cuda" { print $1; exit }')

# checksums BACKEND VIEW OPTIONS...: those of the planes, if that backend computed them.
checksums() {
    local json
    json=$("$deepfield" render "$2" --size 640x360 --json --quiet --force -o picture.npy "${@:3}" \
        2>error.log) || { printf 'failed: %s\n' "$(tail -n 1 error.log)"; return; }
    [[ $json == *"\"backend\":\"$1\""* ]] || { printf 'not computed by %s\n' "$1"; return; }
    grep -oE '"checksums":\{[^}]*\}' <<<"$json"
}

runs=0 failures=0
# same LABEL WANT OPTIONS...
same() {
    local label=$1 want=$2 got
    shift 2
    runs=$((runs + 1))
    got=$(checksums cuda "$@")
    if [[ $got != "$want" ]]; then
        printf '%s: %s\n   on the CPU: %s\n' "$label" "$got" "$want"
        failures=$((failures + 1))
    fi
}

for file in "$views"/*.ini; do
    view=$(basename "$file" .ini)
    want=$(checksums "$cpu" "$file" --backend "$cpu")
    [[ $want == *count*fraction* ]] || { printf '%s on the CPU: %s\n' "$view" "$want"; exit 1; }
    same "$view, one process" "$want" "$file"
    same "$view, tiles of 64" "$want" "$file" --backend cuda --tile 64
    for ranks in 2 3 5; do
        same "$view, $ranks ranks" "$want" "$file" --ranks "$ranks" --tile 128
    done
done
want=$(checksums "$cpu" "$views/rosettes.ini" --backend "$cpu")
same "five ranks on GPU 0" "$want" "$views/rosettes.ini" --ranks 5 --devices 0 --tile 64
same "GPU 0 alone" "$want" "$views/rosettes.ini" --devices 0 --backend cuda
want=$(checksums "$cpu" "$views/whole-set.ini" --backend "$cpu" --precision fp32 --accuracy 0.05)
same "fp32" "$want" "$views/whole-set.ini" --backend cuda --precision fp32 --accuracy 0.05
echo "$runs runs on the GPU, $failures failures"
((failures == 0))
