#!/usr/bin/env bash
# A device fails in the middle of a picture: the others finish it, its files are those of a run
# without loss, and the exit code is 76. When the last device is gone there is no file.
# usage: losing.sh LOSING SCRATCH [gpu]
#   LOSING   the program, with a seam through which devices fail
set -euo pipefail
losing=$1 scratch=$2 gpu=${3-}
rm -rf -- "$scratch"
mkdir -p -- "$scratch"
cd -- "$scratch"
gpus=0 backend=auto
picture=(--size 480x270 --tile 32 --limit 2000)
if [[ $gpu ]]; then
    gpus=$("$losing" gpus) backend=cuda
    ((gpus > 0)) || { echo "skipped: no GPU"; exit 77; }
    # So many tiles that none is too late to fail: the first takes a GPU longer than a hundred others.
    picture=(--size 1920x1080 --tile 16)
fi
render=(render rosettes --accuracy 0.05 "${picture[@]}" --quiet)
failures=0

# expect LABEL CODE WORDS FILES COMMAND...: FILES is whole, or none.
expect() {
    local label=$1 want=$2 words=$3 files=$4 code=0 plane
    shift 4
    rm -f -- picture.*
    "$@" -o picture.npy >out 2>message || code=$?
    [[ $code == "$want" && $(<message) == *"$words"* ]] || {
        printf '%s: code %s, wanted %s with "%s"; it said:\n' "$label" "$code" "$want" "$words"
        cat message
        failures=$((failures + 1))
    }
    if [[ $files == none ]] && compgen -G 'picture.*' >/dev/null; then
        printf '%s: there is a picture\n' "$label"
        failures=$((failures + 1))
    fi
    [[ $files == whole ]] || return 0
    for plane in count fraction; do
        cmp -- "whole.$plane.npy" "picture.$plane.npy" || failures=$((failures + 1))
    done
}

complete="the picture is complete and saved, but a device of rank"
"$losing" "${render[@]}" --backend auto --tile 256 -o whole.npy >out
expect "no loss" 0 "" whole "$losing" "${render[@]}" --backend "$backend"
export LOSING_RANK=0 LOSING_AFTER=5
expect "the only device" 76 "every device failed" none "$losing" "${render[@]}" \
    --backend "$backend" ${gpu:+--devices 0}
for transport in auto staged gatherv; do
    LOSING_RANK=2 expect "one of two ranks, $transport" 76 "$complete 2 (" whole \
        "$losing" "${render[@]}" --backend "$backend" --ranks 3 --transport "$transport" --json
    [[ $(wc -l <out) == 1 && $(<out) == '{"schema":"render/1"'* ]] || { # one document; stderr has the rest
        printf 'more than the report, %s:\n%s\n' "$transport" "$(cut -c 1-80 out)"
        failures=$((failures + 1))
    }
done
if [[ ! $gpu ]]; then # in the second of four samples, of 135 tiles each
    rm -f -- whole.png
    LOSING_RANK=-1 "$losing" "${render[@]}" --samples 4 -o whole.png >out
    LOSING_RANK=2 LOSING_AFTER=100 expect "one of two ranks, samples" 76 "$complete 2 (" whole \
        "$losing" "${render[@]}" --ranks 3 --samples 4 -o picture.png
    cmp -- whole.png picture.png || failures=$((failures + 1))
    LOSING_RANK=2 expect "the only device of a rank that writes" 0 "starting again with 2 ranks" whole \
        "$losing" "${render[@]}" --ranks 3 --writers all --density 1
fi
if ((gpus > 1)); then
    LOSING_DEVICE=1 expect "one of two GPUs" 76 "$complete 0 (" whole \
        "$losing" "${render[@]}" --backend cuda --devices 0,1
fi
if ((gpus > 0)); then # rank 1 has a CPU, rank 2 a GPU; all are given the same words
    words=("$losing" "${render[@]}" -o picture.npy)
    LOSING_RANK=2 expect "the GPU beside a CPU" 76 "$complete 2 (" whole \
        mpirun -n 1 "${words[@]}" : -n 1 env CUDA_VISIBLE_DEVICES= "${words[@]}" : \
        -n 1 "$losing" "${render[@]}"
fi
echo "$gpus GPUs, $failures failures"
((failures == 0))
