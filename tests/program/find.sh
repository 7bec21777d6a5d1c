#!/bin/bash
# `deepfield find`: words, JSON and a view file say the same, the file is a view that renders, and a
# long search is stopped with the status of a stop, leaving no file.
# usage: find.sh DEEPFIELD SCRATCH PLACES
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
places=$3

# field NAME KEY: the first value of a key in NAME.json
field() {
    grep -o "\"$2\":[^,}]*" "$1.json" | head -n 1 | cut -d : -f 2 | tr -d '"'
}

# An island whose period and centre the place's own file names.
for name in nucleus:60 nested:180 island-1e842:700; do
    place=${name%:*}
    "$deepfield" find "$places/hard/$place.ini" --json > "$place.json" 2> message ||
        complain "find $place"
    [ "$(field "$place" period)" = "${name#*:}" ] || complain "$place: $(field "$place" period)"
    [ "$(field "$place" proven)" = true ] || complain "$place is not proven"
    known=$(sed -n 's/^re\(\.[0-9]*\)\? = //p' "$places/hard/$place.ini" | tr -d '\n')
    found=$(field "$place" re)
    length=$(("${#known}" < "${#found}" ? "${#known}" : "${#found}"))
    [ "${known:0:length - 2}" = "${found:0:length - 2}" ] || complain "$place: another centre"
done

"$deepfield" find seahorse --size 96x54 -o found.ini > found.txt 2> message || complain "find -o"
for words in 'nucleus of period 71' 'a cardioid' 'exactly one such point' '^found.ini$'; do
    grep -q "$words" found.txt || complain "find does not say: $words"
done
grep -q 'title = "\?nucleus of period 71' found.ini || complain "no title in the view file"
"$deepfield" render found.ini --quiet -o found.png > /dev/null 2> message || complain "render"
"$deepfield" find found.ini --json > again.json 2> message || complain "find of what was found"
[ "$(field again period)" = 71 ] || complain "the view that was found has another nucleus"

"$deepfield" find mast --mirror --json > mirrored.json 2> message || complain "find of a mirrored view"
[ "$(field mirrored mirrored)" = true ] || complain "the view found is not mirrored: $(cat mirrored.json)"
"$deepfield" find misiurewicz --misiurewicz --json > spiral.json 2> message || complain "spiral"
[ "$(field spiral preperiod) $(field spiral period)" = '24 1' ] || complain "another spiral"

# Of another formula: the nucleus, and its view.
"$deepfield" find mast --rotation 30 -o ship.ini > ship.txt 2> message || complain "find mast"
for words in 'nucleus of period' 'times as long as wide' 'proofs are those of z^2 + c'; do
    grep -qF "$words" ship.txt || complain "find of the ship does not say: $words"
done
for words in 'rotation = 30' 'mirror = \(true\|yes\|on\|1\)'; do
    grep -q "^$words\$" ship.ini || complain "the view of a ship's island is not $words"
done
grep -q 'formula = "\?burning_ship' ship.ini || complain "the view of a ship's island has no formula"
# An island that is skewed by 1.72 is upright, and as wide, in its view; a disc keeps its turn.
"$deepfield" find formulas:burning-ship-deep -o skewed.ini > skewed.txt 2> message ||
    complain "find burning-ship-deep"
for words in 'rotation = 37\.07.*' 'stretch = 1\.71710.*@30\.1867.*' 'mirror = false'; do
    grep -q "^$words\$" skewed.ini || complain "the view of a skewed ship is not $words"
done
status=0
"$deepfield" find mast --misiurewicz > none.txt 2> message || status=$?
[ $status = 78 ] || complain "a Misiurewicz point of the ship ended with $status"

# Where a step of Newton's method leads to orbits that escape, nothing is found, and that is said.
status=0
"$deepfield" find --formula quartic_celtic_partial_ship_real --re=0.55401744276273834414112794 \
    --im=0.08255740702380376193282107 --zoom 1e25 > none.txt 2> message || status=$?
[ $status = 65 ] || complain "orbits that escape ended with $status"
grep -q 'no nucleus of a period of at most 10000' message || complain "no sentence of orbits that escape"

# Nothing there: one sentence, status 65, no file.
status=0
"$deepfield" find --re 1 --im 1 --zoom 100 -o none.ini > none.txt 2> message || status=$?
[ $status = 65 ] || complain "nothing found ended with $status"
[[ ! -e none.ini && ! -s none.txt ]] || complain "a file of nothing"
grep -q 'no nucleus of a period of at most 10000' message || complain "no sentence"

# A long one is stopped.
"$deepfield" find published/kf-1e1086 --limit 100000000 --box 0,0,4x4 -o long.ini \
    > long.txt 2> message &
process=$!
if busy $process 20; then
    kill -TERM $process
    status=0
    wait $process || status=$?
    [ $status = 75 ] || complain "a search that was stopped ended with $status"
    [ ! -e long.ini ] || complain "a file of a search that was stopped"
else
    complain "the long search has ended"
fi
verdict
