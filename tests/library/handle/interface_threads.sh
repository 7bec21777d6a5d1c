#!/usr/bin/env bash
# Do threads with a world each, rendering at the same time, write the files of `deepfield render`, byte for byte?
# usage: threads.sh PROGRAM THREADS SCRATCH
set -euo pipefail
deepfield=$1 threads=$2 scratch=$3
rm -rf -- "$scratch"
mkdir -p "$scratch"
cd -- "$scratch"
words=()
for picture in seahorse.png needle.npy seahorse-deep.png burning-ship.exr; do
    view=${picture%.*}
    OMP_NUM_THREADS=2 "$deepfield" render "$view" --size 160x90 -q -o "by_program_$picture" >/dev/null
    words+=("$view" "by_library_$picture")
done
OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive "$threads" 160x90 "${words[@]}"
failed=0
for file in by_program_*; do
    [[ $file == *.json ]] || cmp "$file" "by_library_${file#by_program_}" || failed=1
done
exit "$failed"
