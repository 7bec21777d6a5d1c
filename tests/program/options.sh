#!/usr/bin/env bash
# Does every option that a command takes change what comes out, or is it refused? Each option of the
# tables below is given to each kind of formula, shallow and deep, and to each command; an option that
# `--help` shows and no table has is a failure, so a new one needs a row. One in seventeen is tried, with
# DEEPFIELD_LONG all of them.
# usage: options.sh DEEPFIELD SCRATCH SAME_PIXELS VIEWS
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
same_pixels=$3
views=$4
every=$((${DEEPFIELD_LONG:-0} ? 1 : 17))
cell=0
tried=0
printf 'sqr # the square\nadd c\n' >square.formula
printf 'pow 2, add c\n' >power.formula
printf 'sqr, scale 0.9, add c\n' >own.formula
printf 'sqr, add c; absx, absy, sqr, add c\n' >turns.formula
printf '%s\n' '[look]' "distribution = 1.9,0.3$(printf ',%d' {0..63})" >distribution.ini

# What a picture is made of, by the kind of formula. Each has pixels inside and outside.
centre='--re=-0.7 --im=0.2 --zoom=2'
formulas=(
    "$centre"
    "$centre --formula=mandelbrot"
    "$centre --formula=square.formula"
    "$centre --formula=power.formula"
    "--julia=-0.123,0.745 --re=0.1 --im=0.2 --zoom=1"
    "$views/seahorse-deep.ini --limit=3000 --im=0.1 --zoom=30"
    published/kf-1e14
    "--formula=multibrot_3 --re=0.1 --im=0.3 --zoom=1"
    "--formula=celtic --re=-0.6 --im=0.2 --zoom=1"
    "--formula=celtic --julia=-0.4,0.3 --re=0.1 --im=0.2 --zoom=1"
    "--formula=burning_ship --re=-0.6 --im=0.2 --zoom=1"
    "formulas:burning-ship-3-deep"
    "--formula=newton_3 --re=0.1 --im=0.2 --zoom=1"
    "--formula=nova --re=-0.3 --im=0.2 --zoom=3"
    "--formula=nova --julia=0.1,0.2 --re=0.1 --im=0.2 --zoom=1"
    "--formula=magnet_1 --re=1.5 --im=0.2 --zoom=0.7"
    "--formula=magnet_2 --re=1.5 --im=0.2 --zoom=0.7"
    "--formula=lambda --re=1.2 --im=0.2 --zoom=0.7"
    "--formula=phoenix --re=-0.6 --im=0.2 --zoom=1"
    "--formula=phoenix --julia=0.56,0.1 --re=0.1 --im=0.2 --zoom=1"
    "$centre --formula=own.formula"
    "$centre --formula=turns.formula"
)

# Options that say what is computed, and how it is coloured; a plan has what is asked for. Behind `with`
# stands what an option needs: the picture with it alone is what the option changes.
two=--palette=meridian+ocean
# shellcheck disable=SC2054
numbers=(--re=-0.61 --im=0.27 --zoom=1.7 --rotation=20 --mirror --stretch=2@30 --size=30x20 --limit=3
    --bailout=300 --formula=tricorn --julia=0.3,0.4)
colours=(--palette=ocean --density=2 --runs=3 --contrast=0.1 --offset=0.27 --relief=0.9 --light=10 --lines=0.5
    --interior=#ff8000 --interior=period --interior=distance --samples=9 --config=distribution.ini
    --by=phase --by=count+binary --by=stripe '--by-runs=3 with --by=phase' '--stripes=3 with --by=stripe'
    '--trap=0.3,0.2 with --by=trap_point' '--trap-radius=0.8 with --by=trap_circle' "--layer=multiply with $two"
    "--layer-by=phase with $two --layer=screen" "--layer-runs=3 with $two --layer=screen --layer-by=phase"
    "--layer-offset=0.4 with $two --layer=screen" "--layer-opacity=0.4 with $two --layer=screen")
plans=('--accuracy=1e-5 "accuracy_px":1[.0-9]*e-05,' '--exact "accuracy_px":1[.0-9]*e-09,' '--precision=fp64 "number":"fp64"'
    '--precision=fp32 "number":"fp32"' '--precision=ds "number":"ds"' '--tile=16 "tile_px":16,' '--schedule=dynamic "schedule":"dynamic"'
    '--planes=count,phase "planes_saved":\["count","phase"\]')
# Those that say how a picture is computed or shown, which is the same picture by contract; what they
# do is tested elsewhere. --output and what follows say where it goes.
how=' output list region part force quiet writers log-json blocks backend devices devices-per-rank threads orbit-cache '
how+='memory ranks oversubscribe restarts forecast transport mpi-device join-file join-address set config explain print-config '
how+='dry-run json help distribution bits quality overviews schedule '

turn() { (((cell++) % every == 0)); }

# made NAME WORD...: NAME.png and NAME.*.npy, or the exit code
made() {
    local name=$1 code=0
    shift
    "$deepfield" render "$@" -q -f -o "$name.png" -o "$name.npy" --json >"$name.json" 2>message || code=$?
    return "$code"
}

# refused WHAT CODE: only by these codes, with a sentence about the option
refused() { [[ $2 == 6[45] || $2 == 78 ]] || complain "$1 ends with $2"; }

# needs ENTRY: option and companion, of 'OPTION with WORD...'
needs() {
    companion=()
    option=${1%% with *}
    [[ $1 != *' with '* ]] || read -ra companion <<<"${1#* with }"
}

for formula in "${formulas[@]}"; do
    read -ra alone <<<"--size=32x24 $formula"
    rm -f -- base.* other.*
    for entry in "${numbers[@]}" "${colours[@]}"; do
        turn || continue
        tried=$((tried + 1))
        needs "$entry"
        base=("${alone[@]}" "${companion[@]}")
        ((${#companion[@]} == 0)) || rm -f -- base.*
        code=0
        [[ -e base.png ]] || made base "${base[@]}" || code=$?
        if ((code)); then
            ((${#companion[@]})) || fail "no picture of $formula"
            refused "$formula ${companion[*]}" "$code" # and so what it would change
            continue
        fi
        made other "${base[@]}" "$option" || code=$?
        if ((code)); then
            refused "$formula $option" "$code"
        elif [[ $option == --interior=* ]] && grep -q '"interior_fraction":0,' base.json; then
            continue
        elif [[ " ${numbers[*]} " == *" $option "* ]]; then
            ! cmp -s base.count.npy other.count.npy || ! cmp -s base.fraction.npy other.fraction.npy ||
                complain "without effect: render $formula $option"
        else
            ! "$same_pixels" base.png other.png >/dev/null ||
                complain "without effect: render $formula $entry"
        fi
        ((${#companion[@]} == 0)) || rm -f -- base.*
    done
    base=("${alone[@]}")
    for plan in "${plans[@]}"; do
        turn || continue
        tried=$((tried + 1))
        code=0
        "$deepfield" render "${base[@]}" "${plan%% *}" --dry-run --json -f -o other.npy >out 2>message || code=$?
        if ((code)); then
            refused "$formula ${plan%% *}" "$code"
        else
            grep -q -- "${plan#* }" out || complain "without effect: render $formula ${plan%% *}"
        fi
    done
done

# A c makes a Julia set of z^2 + c however that is written.
# shellcheck disable=SC2054
base=(--size=32x24 --re=0.1 --im=0.2 --zoom=1 --julia=0.3,0.4)
made base "${base[@]}"
for formula in mandelbrot julia 'sqr, add c' 'pow 2, add c' square.formula; do
    made other "${base[@]}" --formula "$formula" || complain "$formula"
    cmp -s base.count.npy other.count.npy || complain "--julia without effect for $formula"
    "$deepfield" info --julia=0.3,0.4 --formula "$formula" >message 2>&1
    grep -q '^c  *0.2999' message || complain "info: $formula"
done

# outcome NOISE COMMAND WORD...: what is printed without the lines that match NOISE, and the film
outcome() {
    local noise=$1 code=0
    shift
    "$deepfield" "$@" >message 2>&1 || code=$?
    grep -Ev "$noise" message || true
    ((code)) || case $1 in
        film) md5sum film.y4m ;;
        find) cat island.ini ;;
    esac
    return "$code"
}

# table COMMAND NOISE BASE [MORE]: an option a line on stdin, with what else it needs, behind `with` what it
# changes; the outcome differs, or the option is refused. MORE are options that leave the outcome as it is, by contract or of this base.
table() {
    local command=$1 noise=$2 line code option base row companion reference
    read -ra base <<<"$3"
    outcome "$noise" "$command" "${base[@]}" >base.out || fail "$command $3"
    known="$how${4:-} "
    while read -r line; do
        option=${line%%[ =]*}
        known+="${option#--} "
        turn || continue
        tried=$((tried + 1))
        needs "$line"
        read -ra row <<<"$option"
        code=0
        reference=base.out
        if ((${#companion[@]})); then
            reference=with.out
            outcome "$noise" "$command" "${base[@]}" "${companion[@]}" >with.out || code=$?
        fi
        ((code)) || outcome "$noise" "$command" "${base[@]}" "${companion[@]}" "${row[@]}" >other.out || code=$?
        if ((code)); then
            refused "$command $line" "$code"
        else
            ! cmp -s "$reference" other.out || complain "without effect: $command $3 $line"
        fi
    done
    known_all "$command"
}

# Does $known have each option of a command?
known_all() {
    local option
    for option in $("$deepfield" "$1" --help | grep -oE '^ +(-., +)?--[a-z-]+' | grep -oE -- '[a-z-]{3,}$'); do
        [[ $known == *" ${option#--} "* ]] || complain "no row for $1 $option"
    done
}

known=$how
for option in "${numbers[@]}" "${colours[@]}" "${plans[@]%% *}"; do
    option=${option%%[= ]*}
    known+="${option#--} "
done
known_all render
elsewhere=$(tr " " "\n" <<<"--re=-0.61 --im=0.27 --zoom=1.7e8 --rotation=20 --mirror --stretch=2@30 --size=30x20 \
--limit=3 --formula=tricorn --julia=0.3,0.4")
place="--re=-0.7 --im=0.2 --zoom=20 --size=32x24"
table info '^$' "$place" <<EOF
$elsewhere
--accuracy=1e-5
--exact
--precision=fp64
EOF
table find '^time' "$place --quiet --force -o island.ini" 'rotation mirror' <<'EOF'
--re=-0.61
--im=0.27
--zoom=170
--size=300x20
--limit=3000
--formula=tricorn
--julia=0.3,0.4
--stretch=2@30
--box=0,0,9x9
--misiurewicz
--period=7
--preperiod=3
--embedded=1
--accuracy=1e-5
--exact
EOF
table verify '^time' "$place --pixels=4 --quiet" 'bailout tile stripes trap trap-radius' <<EOF
$elsewhere
--planes=count,distance
--accuracy=1e-6
--exact
--precision=fp64
--pixels=5
--seed=2
--schedule=cyclic --forecast=on
EOF
cat >path.ini <<'EOF'
[begin]
time = 0
zoom = 2
[end]
time = 0.1
zoom = 3
EOF
table film '^(time|.*film.y4m: )' "$views/seahorse.ini --size=32x24 --to=40 --seconds=0.1 --fps=20 --samples=1 \
    --method=frames --quiet --force -o film.y4m" flash-safe <<EOF
$elsewhere
--bailout=300
--palette=ocean
--density=2
--runs=3
--contrast=0.1
--offset=0.27
--relief=0.9
--light=10
--lines=0.5
--by=phase
--by-runs=3 with --by=phase
--stripes=3 with --by=stripe
--trap=0.3,0.2 with --by=trap_point
--trap-radius=0.8 with --by=trap_circle
--layer=multiply with $two
--layer-by=phase with $two --layer=screen
--layer-runs=3 with $two --layer=screen --layer-by=phase
--layer-offset=0.4 with $two --layer=screen
--layer-opacity=0.4 with $two --layer=screen
--interior=#ff8000
--interior=period
--interior=distance --formula=tricorn
--samples=4
--planes=count,phase
--accuracy=1e-5 --dry-run
--exact --dry-run
--precision=fp64 --dry-run
--tile=16 --dry-run
--schedule=cyclic --forecast=on
--from=3
--to=50
--seconds=0.2
--fps=10
--path=path.ini
--autopilot=7
--method=keyframes
--chroma=444
--effort=best
--part=1/2
--tour=the-set
--language=de
--bits=10
EOF
for command in palettes info find; do
    code=0
    "$deepfield" "$command" --force >message 2>&1 || code=$?
    ((code == 64)) || complain "$command --force without -o"
done
echo "$tried options tried"
verdict
