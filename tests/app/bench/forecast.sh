#!/bin/sh
# The forecast has a row for each place and type, in which an H200 takes no less than the least, and
# an RTX 4090 at least five times as long in fp64 as in fp32 (four times as in double-single, where
# pixels are iterated directly). forecast.sh DEEPFIELD
set -eu
deepfield=$1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$deepfield" bench deep --forecast --backend scalar --json >"$out"
fail() {
    echo "$1"
    cat "$out"
    exit 1
}
rows=$(grep -o '"place"' "$out" | wc -l)
[ "$rows" -eq 12 ] || fail "$rows rows"
grep -q '"device":""' "$out" || fail "a processor is no device of it"
tr '{' '\n' <"$out" | sed -n 's/.*"number":"\(fp..\)".*"factor":\([0-9.e+-]*\).*"rtx_4090_least_s":\([0-9.e+-]*\).*/\1 \2 \3/p' |
    awk '$2 < 1 { bad = 1 } $1 == "fp64" { wide = $3; next } wide < 5 * $3 { bad = 1 }
         END { exit bad || NR != 12 }' || fail "an order of times is wrong"
tr '{' '\n' <"$out" | sed -n 's/.*"number":"\(ds\|fp64\)".*"RTX 4090":\([0-9.e+-]*\).*/\1 \2/p' |
    awk '{ rate[$1] = $2 } END { exit rate["ds"] < 4 * rate["fp64"] }' || fail "double-single is not faster"
for words in "--size 64x36" "--precision fp32" "--exact"; do
    # shellcheck disable=SC2086
    "$deepfield" bench deep --forecast $words >/dev/null 2>"$out" && fail "$words is taken"
    grep -q "3840x2160, 0.01 px" "$out" || fail "$words"
done
"$deepfield" bench deep --precision ds 2>"$out" && fail "a deep pixel in double-single"
grep -q "fp32 or fp64" "$out" || fail "--precision ds without the remedy"
"$deepfield" bench orbit --forecast 2>"$out" && fail "another suite takes it"
"$deepfield" render --forecast on --help >/dev/null || fail "render has lost its own --forecast"
