#!/usr/bin/env bash
# Compares values of a constant of a kernel by the processor time of the six deep places of Kalles
# Fraktaler, and their counts. Builds the program with each value, then puts the file back; runs
# alternate, so a machine with other work gives the same ratios.
# usage: tests/tune.sh BUILD FILE CONSTANT 'VALUE VALUE...' [OPTION OF render...]
#   BUILD: a build of these sources. FILE, CONSTANT: an enumerator or macro that is a number or a
#   shift, as in
#     tests/tune.sh build/release kernels/deep/lanes/along_rounds.h ALONG_FEW '2 1 4' --backend avx2
#     tests/tune.sh build/release kernels/deep/deep_body.h STEPS_OF_ROUND '1<<16 1<<14'
#     TUNE_ORBIT=1 tests/tune.sh build/release kernels/orbit/team.c POLLS_AT_ONCE '200 50'
# usage: tests/tune.sh --constants
#   Prints the constants that were tuned, with what they are today; fails if one is gone.
# TUNE_RUNS: runs of each value (5). TUNE_PLACES: other views. TUNE_ORBIT=1: times the reference
# orbits, by the clock and in pictures of 16x9 pixels, because threads of a team wait for each other.
# Prints for each place the median of the first value in seconds and those of the others over it,
# with '!' where the counts are not those of the first.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
number='-?[0-9][0-9a-fxp.-]*( ?<< ?[0-9]+)?'

# constants_print: the constants that this script has tuned
constants_print() {
    local file constant line
    while read -r file constant; do
        line=$(grep -oE "(#define $constant |\b$constant = )$number" "$root/$file") ||
            { echo "$file has no number $constant" >&2; return 1; }
        echo "$file $constant ${line#*"$constant"}" | tr -s ' =' ' '
    done <<'END'
kernels/deep/deep_kernels.h DEEP_CHUNK_PX
kernels/deep/lanes/along_rounds.h ALONG_FEW
kernels/deep/deep_body.h STEPS_OF_ROUND
kernels/deep/deep_body.h PACKS
kernels/deep/deep.c SHORTEST_DEFAULT
kernels/deep/direct.h DIRECT_ROUNDINGS
kernels/deep/table.c MERGED_AT_ONCE
kernels/orbit/team.c POLLS_AT_ONCE
kernels/orbit/team.c POLLS_BEFORE_YIELD
kernels/orbit/team.c LIMBS_LEAST
kernels/orbit/team.c LIMBS_OF_DIGITS_LEAST
kernels/orbit/digits.c VECTORS_OF_PARTS
kernels/orbit/orbit.c BATCHES_PER_TRIAL
kernels/orbit/taper.c TEAM_LIMBS_LEAST
END
}

if [[ ${1:-} == --constants ]]; then
    constants_print
    exit
fi
if (($# < 4)); then
    sed -n '2,/^set/{/^set/d;s/^# //p}' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
build=$1 file=$2 constant=$3
read -r -a values <<<"$4"
shift 4
options=("$@")
folder=$(mktemp -d)
cp "$root/$file" "$folder/file"
trap 'cp "$folder/file" "$root/$file"; rm -rf "$folder"' EXIT
read -r -a places <<<"${TUNE_PLACES:-$(echo "$root"/configs/views/published/kf-*.ini)}"

# programs_build: a program for each value, $folder/VALUE
programs_build() {
    local value
    for value in "${values[@]}"; do
        sed -E "s/(#define $constant |\b$constant = )$number/\1$value/" \
            "$folder/file" >"$folder/tuned"
        if ! grep -qE "(#define $constant |\b$constant = )$value\b" "$folder/tuned"; then
            echo "$file has no number $constant" >&2
            exit 2
        fi
        cp "$folder/tuned" "$root/$file"
        cmake --build "$build" --target deepfield >"$folder/log"
        cp "$build/app/deepfield" "$folder/$value"
    done
}

# user_time VALUE PLACE: its seconds of a processor, without system calls; of orbits, by the clock
user_time() {
    local TIMEFORMAT=%U what=(--size 480x270 --orbit-cache "$folder/orbits")
    if [[ ${TUNE_ORBIT:-0} == 1 ]]; then
        TIMEFORMAT=%R what=(--size 16x9)
    fi
    { time "$folder/$1" render "$2" "${what[@]}" -o "$folder/$1.npy" --force "${options[@]}" \
        >"$folder/log" 2>&1; } 2>&1
}

# median: of numbers, one a line
median() {
    sort -g | awk '{ number[NR] = $1 } END { print number[int((NR + 1) / 2)] }'
}

# place_compare PLACE: a line of the table
place_compare() {
    local run value first="" first_one=1 name
    name=$(basename "$1" .ini)
    rm -f "$folder"/*.times
    user_time "${values[0]}" "$1" >/dev/null # fills the cache
    for ((run = 0; run < ${TUNE_RUNS:-5}; run++)); do
        for value in "${values[@]}"; do
            user_time "$value" "$1" >>"$folder/$value.times"
        done
    done
    printf '%s' "$name"
    for value in "${values[@]}"; do
        local seconds mark=""
        seconds=$(median <"$folder/$value.times")
        first=${first:-$seconds}
        cmp -s "$folder/${values[0]}.count.npy" "$folder/$value.count.npy" || mark='!'
        awk -v s="$seconds" -v f="$first" -v mark="$mark" -v is_first="$((first_one))" \
            'BEGIN { printf "\t%.3f%s", is_first ? s : s / f, mark }'
        first_one=0
    done
    echo
}

programs_build
printf '%s' "$constant"
printf '\t%s' "${values[@]}"
echo
for place in "${places[@]}"; do
    place_compare "$place"
done
