#!/usr/bin/env bash
# Predicted and observed moves of pixels in fp32, at every deep place that fp32 has: of the places of a
# folder, of formulas too, the published ones and the views that are installed. Prints rows of
# docs/benchmarks/fp32_places.csv; places that are not deep, and those that are refused, to standard error.
# Predicted is what roundings come to, without the accuracy of blocks.
# Fails where p99 is more than the prediction, or a count differs 0.05 px of a picture of 1080 rows or
# more from the set. The most of 24 pixels is more than what 99 of 100 stay below at one place in five;
# where it is beyond the prediction, 300 are measured.
# usage: floats.sh DEEPFIELD PLACES [NAME...]
#   NAME...: only these, as published/kf-1e50 or hard/needle-tip
set -euo pipefail
deepfield=$1
places=$2
shift 2
rows=181
options=(--size "321x$rows" --accuracy 2e-4 --precision fp32 --quiet --json)

names=("$@")
if ((!${#names[@]})); then
    mapfile -t names < <(cd -- "$places" && {
        printf '%s\n' hard/*.ini
        sed -nE 's/^\[place (.*)\]$/formulas:\1/p' formulas.places
        cd -- ../../configs/views && printf '%s\n' published/*.ini ./*.ini
    } | sed 's/\.ini$//; s|^\./||')
fi

# value KEY: of the line of JSON in $json
value() {
    local of=".*\"$1\":\"?([^,}\"]*)"
    [[ $json =~ $of ]] && printf '%s\n' "${BASH_REMATCH[1]}"
}

# measure FILE PIXELS: prints the line of JSON
measure() {
    "$deepfield" verify "$1" "${options[@]}" --pixels "$2" 2>/dev/null
}

within() { # is p99 within the prediction?
    awk -v p="$(value roundings)" -v p99="$(value p99)" 'BEGIN { exit p99 > p }'
}

scaled() { # px of a picture of 1080 rows
    awk -v px="$1" -v rows="$rows" 'BEGIN { printf "%.1e", px * 1080 / rows }'
}

failed=0
echo 'place,zoom,predicted_px,median_px,p99_px,samples,differ,expected,farthest_px'
for name in "${names[@]}"; do
    file=$name
    [[ $name != hard/* ]] || file=$places/$name.ini
    [[ $name != *:* ]] || file=$places/${name/:/.places:}
    if ! json=$(measure "$file" 24) && [[ -z $json ]]; then
        printf '%s: refused\n' "$name" >&2
        continue
    fi
    if [[ $(value method) != perturbation ]]; then
        printf '%s: not deep\n' "$name" >&2
        continue
    fi
    within || json=$(measure "$file" 300) || :
    predicted=$(value roundings) p99=$(value p99) far=$(value mismatch_distance_px)
    printf '%s,%s,%s,%s,%s,%s,%s,%.2g,%s\n' "$name" "$(value zoom)" "$(scaled "$predicted")" \
        "$(scaled "$(value median)")" "$(scaled "$p99")" "$(value certified)" "$(value mismatches)" \
        "$(value mismatches_expected)" "$(scaled "$far")"
    if ! within || ! awk -v far="$far" -v rows="$rows" 'BEGIN { exit far * 1080 / rows > 0.05 }'; then
        failed=$((failed + 1))
    fi
done
((!failed)) || { printf '%d places are not as predicted\n' "$failed" >&2; exit 1; }
