#!/usr/bin/env bash
# Every row of the list of formulas, in both planes, shallow and deep: three pictures each at places
# that border_place finds, 128 samples of each held against proven counts. Prints the rows of
# docs/benchmarks/formula_counts.csv: how many differ, and how many rounding explains.
#
# usage: formula_truth.sh DEEPFIELD SCRATCH BORDER_PLACE [FORMULA...]
# Of all rows some 900 pictures, one a core at a time. Where the search finds no place so deep, as of
# Mothbrots whose orbits go through lines, there are fewer samples.
border_place=$(realpath "$3")
set -- "$(realpath "$1")" "$2" "${@:4}"
# shellcheck source=tests/support/program.sh
source "$(dirname "$0")/../support/program.sh"
shift 2
export deepfield border_place

# prove FORMULA parameter|dynamic DIGITS: a line of the picture's place, method, samples that are
# proven, that differ and that would by rounding, and the verdict. What has no perturbation is
# refused beyond doubles.
# shellcheck disable=SC2317 # xargs calls it
prove() {
    local name=$1-$2-$3 planes=count,fraction,distance,phase json='' code=0
    # Nova has no distances.
    [[ $1 != nova* ]] || planes=count,fraction,phase
    if (($3 > 12)) && ! "$deepfield" render --formula "$1" --re 0.1 --im 0.1 --zoom 1e25 \
        --size 8x8 --limit 10 -q -o "$name.png" >/dev/null 2>"$name.message" &&
        grep -q 'fp64 ends' "$name.message"; then
        echo "$1 $2 $3 refused 0 0 0 right"
        return
    fi
    local seed
    for seed in {1..8} none; do
        "$border_place" "$1" "$2" "$3" "$seed" >"$name.ini" 2>"$name.message" && break
    done
    [[ $seed != none ]] || {
        echo "$1 $2 $3 none 0 0 0 no_place"
        return
    }
    json=$("$deepfield" verify "$name.ini" --size 320x180 --pixels 128 --planes "$planes" \
        --threads 1 --quiet --json 2>"$name.message") || code=$?
    [[ $json ]] || {
        echo "$1 $2 $3 none 0 0 0 no_verdict"
        return
    }
    value() { sed -E "s/.*\"$1\":\"?([^,}\"]*).*/\1/" <<<"$json"; }
    local verdict=wrong
    ((code)) || [[ $(value certified) != 128 ]] || verdict=right
    echo "$1 $2 $3 $(value method) $(value certified) $(value mismatches)" \
        "$(value mismatches_expected) $verdict"
}
export -f prove

formulas=("$@")
((${#formulas[@]})) || mapfile -t formulas < <("$deepfield" help formulas |
    awk 'seen && !/^  [a-z]/ {exit} /^  [a-z]/ {seen = 1} seen && $1 != "julia" {print $1}')
for formula in "${formulas[@]}"; do
    planes=(parameter dynamic)
    "$deepfield" info --formula "$formula" --julia 0,0 >/dev/null 2>&1 || planes=(dynamic) # has no c
    for plane in "${planes[@]}"; do
        for digits in 2 5 9 25 60 120; do echo "$formula $plane $digits"; done
    done
done | xargs -P "$(nproc)" -L 1 bash -c 'prove "$@"' prove >lines

echo formula,plane,depth,counts,differ,expected
sort -V lines | awk '$4 != "refused" && $5 {
        key = $1 "," $2 "," ($3 < 12 ? "direct" : "deep")
        if (!(key in proven)) { row[++rows] = key; differ[key] = 0 }
        proven[key] += $5; differ[key] += $6; expected[key] += $7
    }
    END {
        for (i = 1; i <= rows; i++)
            printf "%s,%d,%d,%.2g\n", row[i], proven[row[i]], differ[row[i]], expected[row[i]]
    }'
while read -r formula plane digits _ _ _ _ verdict; do
    [[ $verdict == @(right|no_place) ]] || {
        cp "$formula-$plane-$digits.message" message
        complain "$formula, $plane plane, 1e$digits: $verdict"
    }
done <lines
exit "$((failures > 0))"
