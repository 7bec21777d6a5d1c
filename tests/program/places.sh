#!/usr/bin/env bash
# Are the counts of deep pictures true? Every place of a folder, rendered and held against proven
# counts by `deepfield verify`. Pixels 0.01 px and a hundred times the accuracy away from the set have
# the true count; of the nearer ones as many differ as rounding explains, which moves 99 of 100 by
# less than was asked for. Prints a table.
# usage: places.sh DEEPFIELD PLACES few|quick|full ACCURACY [NAME...]
#   full: at least 128 samples each, for half an hour; quick: 24, for a minute, without the slowest;
#   few: 6 or 12, for some seconds.
#   NAME...: only these, as published/rf-x
# PRECISION=fp32 has pixels go on in fp32, which places of z^2 + c alone have.
set -euo pipefail
deepfield=$1
places=$2
extent=$3
accuracy=$4
shift 4

case $extent in
    # Odd sizes: a row of pixels lies on the real axis, and one is the centre itself.
    full)
        options=(--size 641x361 --pixels 128)
        skipped='^$'
        ;;
    quick)
        options=(--size 81x45 --pixels 24)
        skipped='^published/(rf-dragon|rf-evolution-trees|kf-5e227|kf-1e1086|.*-view25)$|:fractalshades-12$'
        ;;
    few) # every second one, those between at another accuracy than 1e-9; more samples where
        # rounding explains more
        options=(--size 41x23 --pixels 4)
        [[ $accuracy == 1e-9 ]] || options=(--size 41x23 --pixels 8)
        skipped='^published/(rf-dragon|rf-evolution-trees|kf-5e227|kf-1e1086|.*-view25|kf-4e533|kf-1e50)$|:(fractalshades-12|parabolic-eleventh)$'
        skipped+='|^hard/(cusp-gate|cusp-1e-10|three-quarters)$'
        ;;
    *) echo "few, quick or full, not '$extent'"; exit 64 ;;
esac

[[ -z ${PRECISION:-} ]] || options+=(--precision "$PRECISION")

names=("$@")
if ((!${#names[@]})); then
    mapfile -t names < <(cd -- "$places" && {
        printf '%s\n' */*.ini | sed 's/\.ini$//'
        (cd -- ../../configs/views && printf '%s\n' published/*.ini | sed 's/\.ini$//')
        sed -nE 's/^\[place (.*)\]$/formulas:\1/p' formulas.places
    } | grep -vE "$skipped")
    if [[ $extent == few ]]; then
        # Edges are for 1e-9; the others take turns, so that both accuracies together meet each place.
        mapfile -t names < <(printf '%s\n' "${names[@]}" |
            awk -v odd="$([[ $accuracy == 1e-9 ]] && echo 1 || echo 0)" \
                '/^hard\/(edge-|cusp-of-island$)/ { if (odd) print; next } ++n % 2 == odd')
    fi
fi
((${#names[@]} >= 1)) || { echo "no places in $places"; exit 1; }

# value KEY: of the line of JSON in $json
value() {
    local of=".*\"$1\":\"?([^,}\"]*)"
    [[ $json =~ $of ]] && printf '%s\n' "${BASH_REMATCH[1]}"
}

failed=()
line='%-32s %10s %8s %8s %9s %9s %9s %9s %8s\n'
# shellcheck disable=SC2059
printf "$line" place zoom samples differ expected farthest median_px p99_px seconds
for name in "${names[@]}"; do
    file=$places/$name.ini
    [[ $name != *:* ]] || file=$places/${name/:/.places:}
    [[ $name != published/* ]] || file=$name # a view that is installed
    code=0
    json=$("$deepfield" verify "$file" "${options[@]}" --accuracy "$accuracy" --quiet --json) || code=$?
    if [[ -z $json ]]; then
        failed+=("$name: no verdict, exit code $code")
        continue
    fi
    far=$(value mismatch_distance_px)
    # shellcheck disable=SC2059
    printf "$line" "$name" "$(value zoom)" "$(value certified)" "$(value mismatches)" \
        "$(printf %.3g "$(value mismatches_expected)")" "$(printf %.2g "$far")" \
        "$(printf %.2g "$(value median)")" "$(printf %.2g "$(value p99)")" \
        "$(awk -v a="$(value picture_s)" -v b="$(value truth_s)" 'BEGIN { printf "%.1f", a + b }')"
    ((code == 0)) || failed+=("$name: exit code $code")
    awk -v far="$far" -v px="$accuracy" 'BEGIN { exit !(far > 0.01 && far > 100 * px) }' &&
        failed+=("$name: a count differs $far pixels from the set")
    awk -v p99="$(value p99)" -v px="$accuracy" 'BEGIN { exit !(p99 > px + 0) }' &&
        failed+=("$name: pixels moved by $(value p99), more than the $accuracy asked for")
    [[ $(value certified) == $(value samples) ]] || failed+=("$name: not all samples are decided")
done
printf '%d places, %d not explained\n' "${#names[@]}" "${#failed[@]}"
((!${#failed[@]})) || { printf '%s\n' "${failed[@]}"; exit 1; }
