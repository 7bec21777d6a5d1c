#!/usr/bin/env bash
# Does every formula's default view show it well? Renders each at 320x180 as `render --formula NAME`
# does, writes a contact sheet of nine columns in the order of `deepfield help formulas`, and
# prints the figures of tests/program/looks.c. assets/gallery/formulas.jpg is this sheet.
# usage: formula_sheet.sh DEEPFIELD LOOKS SHEET [NAME...]
#   SHEET: SHEET-1.png is written; '' writes none.
#   NAME...: only these.
set -euo pipefail
deepfield=$1
looks=$2
sheet=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
names=("$@")
((${#names[@]})) || mapfile -t names < <("$deepfield" help formulas |
    awk 'seen && !/^  [a-z]/ {exit} /^  [a-z]/ {seen = 1} /^  [a-z]/ && $1 != "julia" {print $1}')
rows=()
for name in "${names[@]}"; do
    json=$("$deepfield" render --formula "$name" --size 320x180 --samples 4 --limit 1000 --quiet \
        --json -o "$folder/$name.png")
    interior=$(sed -E 's/.*"interior_fraction":([^,}]*).*/\1/' <<<"$json")
    rows+=("$name" "$interior" "$folder/$name.png")
done
"$looks" --across 9 "$sheet" "${rows[@]}"
