#!/usr/bin/env bash
# How far are deep pictures in fp32 from those in fp64? Renders each place in both types and writes a
# sheet with a row for each: fp64, fp32, and 64 times the difference of their colours. Prints pixels
# that differ, and by how much at most. Without relief and lines, for which fp32 has no distances.
# usage: fp32_sheet.sh DEEPFIELD DIFFERENCE SHEET.png [PLACE...] [-- OPTION of render...]
#   DIFFERENCE: build/release/tests/program/difference
#   PLACE: as published/kf-1e50; the six places of Kalles Fraktaler without any
#   OPTION: 480x270 pixels and one sample of each without any
set -euo pipefail
deepfield=$1
difference=$2
sheet=$3
shift 3
names=()
while (($#)) && [[ $1 != -- ]]; do
    names+=("$1")
    shift
done
(($#)) && shift
((${#names[@]})) || names=(published/kf-{1e14,1e50,5e113,5e227,4e533,1e1086})
options=("$@")
((${#options[@]})) || options=(--size 480x270 --samples 1)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pairs=()
for name in "${names[@]}"; do
    view=$name # the second picture has the first one's place, and the colours that it measured
    for type in fp64 fp32; do
        file=$folder/$(basename -- "$name").$type.png
        "$deepfield" render "$view" "${options[@]}" --relief 0 --lines 0 --precision "$type" \
            --quiet -o "$file" >/dev/null
        pairs+=("$file")
        view=$file
    done
done
"$difference" "$sheet" "${pairs[@]}" | sed "s|^$folder/||; s|\.fp64\.png|:|"
