#!/bin/bash
# How near to 256 samples a pixel are 4, 16 and auto? A part of a deep view as large pictures of it
# have it, with its colours; prints each mean structural similarity, and what auto took.
# usage: ssim.sh DEEPFIELD SSIM SCRATCH PLACE; fails below the goals
set -euo pipefail
deepfield=$1
ssim=$2
scratch=$3
place=$4
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
"$deepfield" render "$place" --size 480x270 --quiet --orbit-cache orbits -o whole.png > /dev/null
distribution=$(grep -a '^distribution' whole.png | sed 's/distribution = //; s/"//g')
for samples in 4 16 auto 256; do
    "$deepfield" render "$place" --zoom 1.6e51 --distribution "$distribution" --size 240x135 --quiet \
        --orbit-cache orbits --samples "$samples" -o "$samples.png" --json > "$samples.json"
done
failed=0
for goal in "4 0.975" "16 0.997" "auto 0.995"; do
    read -r samples least <<< "$goal"
    printf '%-5s %6.2f samples a pixel, similarity ' "$samples" \
        "$(sed -E 's/.*"samples_per_pixel":([0-9.e+]+).*/\1/' "$samples.json")"
    "$ssim" "$samples.png" 256.png "$least" || failed=1
done
exit "$failed"
