#!/usr/bin/env bash
# Are pictures easily read with the default colours? Renders all published places and all views at
# 480x270 with the default look, prints three figures of each (tests/program/looks.c says which) and
# whether the goals hold, and writes contact sheets of nine pictures in the order of the table.
# Needs nothing but the two programs of the build.
# usage: looks.sh DEEPFIELD LOOKS SHEETS [NAME...]
#   SHEETS: SHEETS-1.png, SHEETS-2.png, ... are written; '' writes none.
#   NAME...: only these, as published/kf-1e50 and views/seahorse
# LOOKS_OPTIONS holds more options for each picture, as in LOOKS_OPTIONS='--palette ice'.
set -euo pipefail
deepfield=$1
looks=$2
sheets=$3
shift 3
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
read -r -a options <<<"${LOOKS_OPTIONS:-}"

# path NAME: of its file
path() {
    case $1 in
        published/*) echo "$here/../configs/views/$1.ini" ;;
        *) echo "$here/../configs/$1.ini" ;;
    esac
}

names=("$@")
if ((!${#names[@]})); then
    mapfile -t names < <(cd -- "$here/../configs/views" && printf '%s\n' published/*.ini | sed 's/\.ini$//'
        cd -- "$here/../configs" && printf '%s\n' views/*.ini | sed 's/\.ini$//')
fi
rows=()
for name in "${names[@]}"; do
    picture=$folder/${name//\//-}.png
    json=$("$deepfield" render "$(path "$name")" --size 480x270 --quiet --json "${options[@]}" \
        -o "$picture")
    interior=$(sed -E 's/.*"interior_fraction":([^,}]*).*/\1/' <<<"$json")
    rows+=("$name" "$interior" "$picture")
done
"$looks" "$sheets" "${rows[@]}"
