#!/bin/bash
# What a deep picture says about itself: blocks and accuracy as asked for, what computed it, how much
# memory; and no pixel depends on ranks or on being asked.
# usage: deep_report.sh DEEPFIELD SCRATCH
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
printf '%s\n' '[view]' \
    're = -1.759817130804847813610825010561798238243999999999999999999800' \
    'im = -0.012593310799749865383746631843264858450340000000000000000000' \
    'zoom = 1e14' 'limit = 4036' > deep.ini

# report NAME OPTIONS...: the picture's line of JSON in NAME.json
report() {
    local name=$1
    shift
    "$deepfield" render deep.ini --size 97x61 --quiet -f -o "$name.npy" --json "$@" \
        > "$name.json" 2> "$name.log" || complain "$name: $(cat "$name.log")"
}

# field NAME KEY: the value of a key, as text
field() {
    grep -o "\"$2\":[^,}]*" "$1.json" | head -n 1 | cut -d : -f 2
}

# more A B KEY: is A's figure larger?
more() {
    [ "$(field "$1" "$3")" -gt "$(field "$2" "$3")" ] ||
        complain "$3: $1 has $(field "$1" "$3"), $2 $(field "$2" "$3")"
}

equal() {
    [ "$(field "$1" "$3")" = "$(field "$2" "$3")" ] ||
        complain "$3: $1 has $(field "$1" "$3"), $2 $(field "$2" "$3")"
}

for blocks in none auto; do
    report $blocks --blocks $blocks
    report ${blocks}_ranks --blocks $blocks --ranks 3 --tile 32
    # Not the iterations: of several ranks an idle one may compute what a slow one still has.
    for key in blocks table_bytes orbit_bytes count fraction; do
        equal $blocks ${blocks}_ranks $key
    done
done
[ "$(field none table_bytes)" = 0 ] || complain "a table without blocks"
more auto none table_bytes
more none auto iterations
report scalar --backend scalar
[ "$(field scalar backend)" = '"scalar"' ] || complain "--backend is not that of perturbation"
for key in iterations count fraction; do
    equal scalar auto $key
done

# A pixel that may be moved farther takes longer blocks, and leaves the reference sooner.
report exact --explain
equal exact auto iterations
report rough --explain --accuracy 1e-3
for name in exact rough; do
    single=$(field $name single_steps_per_pixel)
    printf '{"single":%d}\n' "${single%%.*}" > $name.json
done
more exact rough single
report rough --accuracy 1e-3
[ "$(field rough fraction)" != "$(field auto fraction)" ] || complain "--accuracy changes nothing"
[ "$(field rough accuracy_px)" = 0.001 ] || complain "accuracy $(field rough accuracy_px)"

# To be asked changes nothing, and rank 0 can answer without computing.
for ranks in 1 3; do
    report explained --explain --ranks $ranks
    for key in count fraction table_bytes; do
        equal explained auto $key
    done
    for words in 'blocks: quartic' 'the longest that are used' 'without the reference' \
        'orbit  *[0-9]* steps of [0-9]* bits' 'orbit  *by the processor' 'on each computing rank'; do
        grep -q "$words" explained.log || complain "--explain with $ranks ranks does not say: $words"
    done
    grep -q '"levels":\[{"steps":8,"blocks":' explained.json || complain "no levels in JSON"
done
"$deepfield" render deep.ini --size 97x61 --dry-run --blocks none | grep -q 'step by step' ||
    complain "--dry-run does not say that there are no blocks"

"$deepfield" info deep.ini --size 97x61 > info.txt
for words in 'depth  *1e14' 'places ' 'orbit  *a reference orbit takes [0-9]* bits' \
    'blocks  *quartic.* up to ' 'plan  *perturbation in fp64'; do
    grep -q "$words" info.txt || complain "info does not say: $words"
done

# What multiplies what was added to cannot be had by perturbation. Who asked for more than fp64 can is told so; nobody
# else. A Julia set can.
for formula in 'sqr, add c, sqr, add c' mandelbrot; do
    julia=(render deep.ini --formula "$formula" --julia '-0.8,0.156' --set view.zoom=1e8 --size 32x18
        -f -o julia.png)
    "$deepfield" "${julia[@]}" 2> julia.log > julia.txt || complain "julia: $(cat julia.log)"
    ! grep -q perturbation julia.log || complain "a complaint about an accuracy that nobody asked for"
    "$deepfield" "${julia[@]}" --accuracy 1e-12 2> julia.log > julia.txt ||
        complain "julia: $(cat julia.log)"
    [ "$formula" = mandelbrot ] || cp julia.log twice.log
done
! grep -q perturbation julia.log || complain "a Julia set without perturbation"
grep -q 'no perturbation of this formula here' twice.log || complain "an accuracy missed in silence"
verdict
