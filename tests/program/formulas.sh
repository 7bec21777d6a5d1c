#!/usr/bin/env bash
# Every formula: pictures whose counts, fractions, distances and phases are proven.
#
# usage: formulas.sh DEEPFIELD SCRATCH SAME_PIXELS
# With DEEPFIELD_LONG all formulas at five places, one of them a Julia set, one deep; else some. Odd numbers,
# because on a fold itself, where y_2 = 0 for c = 1/2 - 2/3 i, a distance has two values.
# shellcheck source=tests/support/program.sh
source "$(dirname "$0")/../support/program.sh"
proven=0 same_pixels=$(realpath "$3")
configs=$(realpath "$(dirname "$0")/../../configs")
sums=stripe,triangle,trap_point,trap_cross,trap_circle
planes=count,fraction,distance,phase,$sums

# prove FORMULA OPTION...: 128 pixels of a picture.
prove() {
    "$deepfield" verify --formula "$@" --size 320x180 --limit 300 --pixels 128 \
        --planes "$planes" >message 2>&1 || complain "$*"
    proven=$((proven + 1))
}

# Those that divide or converge, which are the last: without folds, and Nova without distances.
mapfile -t formulas < <("$deepfield" help formulas |
    awk 'seen && !/^  [a-z]/ {exit} /^  [a-z]/ {seen = 1} /^  [a-z]/ && $1 !~ /^(mandelbrot|julia)$/ {print $1}')
for ((first = 0; first < ${#formulas[@]}; first++)); do
    [[ ${formulas[first]} != lambda ]] || break
done
divided=("${formulas[@]:first}")
formulas=("${formulas[@]:0:first}")
((${#divided[@]} >= 12)) || fail "only ${#divided[@]} formulas divide or converge"
((${#formulas[@]} > 50)) || fail "only ${#formulas[@]} formulas are listed"
[[ -n ${DEEPFIELD_LONG-} ]] ||
    formulas=(burning_ship multibrot_7 celtic_3 quartic_celtic_false_quasi_heart simonbrot_6)
for formula in "${formulas[@]}"; do
    prove "$formula" --re=-0.41372 --im=-0.20931 --zoom 1
    [[ -n ${DEEPFIELD_LONG-} ]] || continue
    prove "$formula" --re=-1.20483 --im=-0.01277 --zoom 30 --bailout 20
    prove "$formula" --re 0.10713 --im 0.00239 --zoom 1.1 --julia=-0.6,0.35
done
[[ -n ${DEEPFIELD_LONG-} ]] || divided=(phoenix newton_5 nova_4 magnet_2)
for formula in "${divided[@]}"; do
    planes=count,fraction,distance,phase
    [[ $formula != nova* ]] || planes=count,fraction,phase
    prove "$formula" --re=0.51372 --im=-0.20931 --zoom 1
    [[ -n ${DEEPFIELD_LONG-} ]] || continue
    prove "$formula" --re=1.20483 --im=0.61277 --zoom 30 --bailout 20
    prove "$formula" --re=0.5137224 --im=-0.409312 --zoom 1e9
    ! "$deepfield" info --formula "$formula" --julia 0.6,0.35 >/dev/null 2>&1 ||
        prove "$formula" --re 0.70713 --im 0.00239 --zoom 1.1 --julia=0.6,0.35
done
# Numbers that nearly cancel are divided beside 1, where most orbits are over after one step.
planes=count,fraction,distance,phase
for exact in "" --exact; do
    prove magnet_2 --julia 1e-4,0 --re 1 --im 0 --zoom 1e4 ${exact:+"$exact"}
done
# Islands of each, in reach of doubles and deep (beyond 1e300 proofs take minutes); by default some
# deep ones of different operations.
mapfile -t places < <("$deepfield" views | awk '/^formulas:/ && !/deepest/ {print $1}')
((${#places[@]} > 90)) || complain "only ${#places[@]} places of formulas are listed"
size=320x180 pixels=128
[[ -n ${DEEPFIELD_LONG-} ]] || {
    size=48x27 pixels=12
    places=(formulas:celtic-4-deep formulas:burning-ship-3-deep formulas:quintic-celtic-mandelbar-deep
        formulas:newton-5-deep)
}
for place in "${places[@]}"; do
    # Nova has no distances, and what divides no sums.
    case $place in
        formulas:nova*) planes=count,fraction,phase ;;
        formulas:lambda* | formulas:phoenix* | formulas:newton* | formulas:magnet*)
            planes=count,fraction,distance,phase ;;
        *) planes=count,fraction,distance,phase,$sums ;;
    esac
    "$deepfield" verify "$place" --size "$size" --pixels "$pixels" \
        --planes "$planes" >message 2>&1 || complain "$place"
    proven=$((proven + 1))
done
planes=count,fraction,distance,phase,$sums
# The ship's mast, and where fp64 nears its end.
prove burning_ship --re=-1.7579317963 --im=-0.052705991307 --zoom 220
prove burning_ship --re=-1.75447986925797869140 --im=-0.0257815715351479535 --zoom 1e9
# Flat: the set is 1e12 pixels away, so that the last places of z move a pixel by 1e-5.
"$deepfield" verify --formula 'swap, absx, pow 4, conj, swap, negx, add c; swap, absy, absx, keep, mul, conj, absy, add c, scale 0.7 0.3, absx' \
    --re 1.177576590858153162577118876570 --im=-0.694891859294543525519243804997 --zoom 4e18 \
    --size 33x7 --exact --pixels 48 >message 2>&1 || complain flat
# Phoenix, whose pixels cannot rebase: what --exact promises also beside a reference that escapes
# first, step by step and stretched.
printf '%s\n' '[view]' 'formula = phoenix' 'julia = 0.051800925279347612,0.87837147277658012' \
    're = 0.0651368641501903767' 'im = 0.9581623499307170277' 'zoom = 2.097152e6' 'limit = 548' >wing.ini
for options in '--blocks auto' '--blocks none' '--stretch 300@70' '--stretch 300@70 --blocks none'; do
    # shellcheck disable=SC2086 # several words
    "$deepfield" verify wing.ini --exact $options --size 64x36 --pixels 24 --quiet --json >message 2>&1 ||
        complain "phoenix --exact $options"
    awk -v most="$(sed -E 's/.*"max":([^,}]*).*/\1/' message)" 'BEGIN {exit !(most < 1e-10)}' ||
        complain "phoenix --exact $options is off by more than 1e-10 px"
done
# Magnets about c = 0, where the law by which they converge does not hold at 1/R; what doubles do not
# hold: w at a root of Newton's method, and z beside a pole.
planes=count,fraction,distance,phase
prove magnet_1 --re 0.0005 --im 0.0003 --zoom 500 --limit 3000
prove magnet_2 --re 0.0005 --im 0.0003 --zoom 500 --limit 3000
prove magnet_1 --julia 1e-9,0 --re 1 --im 0 --zoom 1e6
prove magnet_2 --julia 1e-9,0 --re 1 --im 0 --zoom 1e6
prove newton_3 --re=-0.5 --im 0.86602540378443864676372317075294 --zoom 1e20
prove magnet_1 --re 2 --im 0 --zoom 1e170
grep -q 'The 128 counts that were proven are right' message || complain "right counts are called: $(tail -1 message)"
# A pixel that stays, on the way to where others leave: dz is 0 there, nearly, and the count changes.
"$deepfield" verify formulas:cubic-quasi-perpendicular-burning-ship-deep --size 64x36 --pixels 40 --seed 3 \
    >message 2>&1 || complain "a pixel beside a zero of dz"
# "The counts are right" is said where they are.
"$deepfield" verify formulas:celtic-3-deep --size 48x27 --pixels 24 >message 2>&1 || complain "noise"
grep -q 'The counts are noise here: ' message || complain "noise is called: $(tail -1 message)"
# Points about which distances change within 1/100 px: there z_824 is 0, before another list.
"$deepfield" verify --formula 'sqr, add c; sqr, absx, add c; conj, sqr, add c' \
    --re=-0.7630653923147087602793547865849366566079246191806242 \
    --im=-0.6919793551232915190003637183002291661850684437153882 --zoom 2.7271e24 --size 160x90 \
    --limit 20000 --planes "$planes" >message 2>&1 || complain critical
# What a formula does not have is said, with what to do.
refuse() {
    local code=0
    "$deepfield" render --formula "$@" --size 32x18 -q -o refused.png >message 2>&1 || code=$?
    ((code)) || complain "$* is not refused"
}
refuse nova --relief 0.5
grep -q 'relief has no effect here: this formula has no distances' message || complain "nova --relief: $(cat message)"
refuse nova --planes distance
grep -q "nova has no distances: .*leave 'distance' out" message || complain "nova --planes: $(cat message)"
refuse newton_3 --julia 0,1
grep -q 'newton_3 has no c' message || complain "newton_3 --julia: $(cat message)"
refuse 'sqr, add c, sqr, add c' --re 1 --im 0 --zoom 1e15
grep -q 'fp64 ends at zoom 1e1[1-4]' message || complain "added twice, deep: $(cat message)"
refuse lambda --re 3.1 --im 0.2 --zoom 1e20 --bailout 2.2
grep -q 'bailout radius of 2.2 is too small .* use --bailout 3' message ||
    complain "lambda, deep, from beyond whose radius orbits come back: $(cat message)"
# Of |c| < 1 no pixel escapes; of a Julia set whose c is 0 no radius is large enough.
"$deepfield" render --formula lambda --re 0 --im 0 --zoom 1e20 --size 32x18 --limit 100 -q -o inside.png \
    >message 2>&1 || complain "lambda, deep, about 0: $(cat message)"
refuse lambda --julia 0,0 --re 0.5 --im 0 --zoom 1e20
grep -q 'c is too small for perturbation' message || complain "lambda, deep, c = 0: $(cat message)"
# Near a cycle in a spiral each step takes errors back, and where phoenix escapes all the same they
# do not count.
"$deepfield" render --formula phoenix --re=-1.1212963 --im=-0.4861111 --zoom 14.4 --size 96x54 -q \
    -o phoenix-cycle.png >message 2>&1 || complain "phoenix near a cycle: $(cat message)"
"$deepfield" find --formula lambda --re 3.84 --im 0.006 --zoom 300 >message 2>&1
grep -q 'nucleus of period 3' message || complain "no nucleus of lambda: $(cat message)"
"$deepfield" render --formula magnet_2 --size 32x18 --explain -o explained.png >message 2>&1
grep -q 'until |z_n| > R or |z_n - 1| <= 1/R' message || complain "magnet_2 is not explained"
! grep -q 'the only one for this formula' message || complain "magnet_2 has perturbation"
"$deepfield" render --formula 'sqr, add c, sqr, add c' --size 32x18 --explain -o twice.png >message 2>&1
grep -q 'the only one for this formula, which multiplies' message || complain "added twice: how deep is not said"
# Relief of a place or a file of settings is left out where there are no distances, as in the viewer.
printf '%s\n' '[view]' 'formula = nova' 're = 0' 'im = 0' 'zoom = 1' '[look]' 'relief = 0.5' 'lines = 1' > relief.ini
"$deepfield" render relief.ini --size 32x18 -q -o relief.png >message 2>&1 || complain "a Nova set whose place has relief"
"$deepfield" render relief.ini --size 32x18 --relief 0 --lines 0 -q -o flat.png >message 2>&1 || complain "without"
"$same_pixels" relief.png flat.png || complain "relief of a Nova set"
"$deepfield" film relief.ini --size 32x18 --to 2 --seconds 0.1 --fps 20 -q -o relief.y4m >message 2>&1 ||
    complain "a film of a Nova set whose place has relief"
# Places of the list have a limit of their own: merges have lost them.
lacking=$(awk 'function end() { if (name && !limit) print name }
    /^\[place /{ end(); name = $2; limit = 0 } /^limit = /{ limit = 1 }
    END { end() }' "$configs/views/formulas.places")
[[ ! $lacking ]] || complain "places without a limit: $lacking"
# What z^2 + c alone has is left out, of films, too.
"$deepfield" film tricorn-arm --from 1 --to 2 --seconds 0.1 --fps 20 --size 32x18 --samples 1 \
    --set look.interior=period -q -o inside.y4m >message 2>&1 || complain "a film with look.interior"
printf '%d pictures are as proven\n' "$((proven - failures))"
exit "$((failures > 0))"
