#!/usr/bin/env bash
# The real viewer under scripts: what the window shows is read back and compared with what
# `deepfield render` makes.
# usage: view.sh DEEPFIELD SAME_PIXELS SCRATCH exact|places|home|hand|deep_steering|files|thumbnails|ranks|refusals|random|changes|screen|colours
same_pixels=$2 mode=$4
set -- "$1" "$3/$4"
# shellcheck source=tests/support/viewer.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/viewer.sh"
launcher=() # of the program: mpirun, a screen

# view NAME WANTED_CODE OPTIONS...: plays the script on stdin.
view() {
    local name=$1 wanted=$2
    shift 2
    played "$name" "$wanted" "${launcher[@]}" "$deepfield" view "$@"
}

# figure NAME PATH-REGEX: a number of the report.
figure() {
    sed -nE "s/.*$2([-0-9.e+]+).*/\1/p" "$1.json"
}

# p99 NAME MEASURE: of the report, in ms.
p99() {
    figure "$1" "\"$2\":.\"count\":[0-9]+,\"p50_ms\":[-0-9.e+]+,\"p99_ms\":"
}

# How long input may take to show: where times are judged, MS, else as long as a test.
slowest_ms() {
    [ ! "${DEEPFIELD_LONG-}" ] && echo 600000 || echo "${VIEW_REACTION_MS:-$1}"
}

# Colours by planes, and a layer: in the window what render makes, and the view of a picture brings them back.
layers() {
    view by 0 seahorse --size 160x90 --samples 2 --by count+stripe --stripes 3 --palette meridian+ocean \
        --layer overlay --layer-by trap_circle --trap 0.1,-0.2 <<'SCRIPT'
settle
key tab
settle
expect same-as-render
picture by.png
SCRIPT
    "$deepfield" render by.png -q -f -o by_again.png > /dev/null
    "$same_pixels" by.png by_again.png || complain "colours by planes are not in the view"
    # A deep place has no sums along orbits: it says so once, and what is written has counts.
    view by_deep 0 published/kf-1e50 --size 160x90 --samples 1 --by stripe \
        --palette auto+ocean --layer screen --layer-by count+triangle <<'SCRIPT'
settle
expect notice has "averages and traps are not computed here"
key tab
settle
expect same-as-render
picture by_deep.png
SCRIPT
    "$deepfield" render by_deep.png -q -f -o by_deep_again.png > /dev/null ||
        complain "a deep picture by planes does not render"
    "$same_pixels" by_deep.png by_deep_again.png || complain "a deep picture has other colours"
    ! grep -aqE 'stripe|triangle' by_deep.png || complain "a deep picture says planes that it has not"
}

# At rest the window shows the bytes of a rendered picture: shallow, deep, a Julia set, turned.
exact() {
    # Other colours while pixels are being averaged: what is written stays what render makes.
    view smooth 0 seahorse --size 320x180 --samples 8 <<'SCRIPT'
settle
wait 0.05
key p
wait 0.2
key period
wait 0.1
key p
settle
picture smooth.png
wait until samples = 8
key tab
expect same-as-render
shot smooth_shot.png
picture smooth_later.png
key p
wait until smooth = 1
expect samples = 8
expect same-as-render
key escape
key r
settle
SCRIPT
    "$deepfield" render smooth.png -q -f -o smooth_again.png > /dev/null
    "$same_pixels" smooth.png smooth_again.png || complain "colours changed while averaging"
    cmp -s smooth.png smooth_later.png || complain "a picture that waits for samples is another one"
    "$same_pixels" smooth.png smooth_shot.png || complain "a smooth picture is not what is shown"
    grep -aq '^samples = 8$' smooth.png || complain "smooth.png does not say its samples"
    # Roots of Newton's method have colours of their own here, too.
    view roots 0 --formula newton_3 --size 160x90 --samples 1 <<'SCRIPT'
settle
key tab
expect same-as-render
SCRIPT
    # Who moves on before it is smooth gets what was there.
    view moved 0 seahorse --size 320x180 --samples 1024 <<'SCRIPT'
settle
picture moved.png
wheel 4 at 80 45
settle
SCRIPT
    "$deepfield" render moved.png -q -f -o moved_again.png > /dev/null
    "$same_pixels" moved.png moved_again.png || complain "who moves on loses the picture"
    grep -aq '^samples = 1$' moved.png || complain "moved.png does not say that it has one sample"
    # A print has the samples, too.
    view print 0 seahorse --size 160x120 --samples 3 <<'SCRIPT'
settle
picture seen.png
settle
picture print.png 96 54
settle
SCRIPT
    "$deepfield" render print.png -q -f -o print_again.png > /dev/null
    "$deepfield" render seahorse --size 160x120 --samples 3 -q -o three.png > /dev/null
    "$same_pixels" seen.png three.png || complain "the viewer's 3 samples are not those of render"
    "$same_pixels" print.png print_again.png || complain "a print of samples is not what render makes"
    grep -aq '^samples = 3$' print.png || complain "print.png does not say its samples"
    local places=(
        "-0.75 0.1 1"
        "-0.7436447860 0.1318252536 2e5"
    )
    local name=place i=0 place
    for place in "${places[@]}"; do
        i=$((i + 1))
        view "$name$i" 0 --size 201x113 --samples 1 <<SCRIPT
key g
text "$place"
key enter
settle
key tab
expect same-as-render
SCRIPT
    done
    view deep 0 published/kf-1e50 --size 160x90 --samples 1 <<'SCRIPT'
settle
expect method has "perturbation"
key tab
expect same-as-render
wheel 8 at 40 30
settle
expect same-as-render
SCRIPT
    # Where doubles have no exponent for a pixel any more.
    view deepest 0 published/kf-4e533 --size 160x90 --samples 1 <<'SCRIPT'
settle
expect method has "perturbation"
key tab
expect same-as-render
wheel 4 at 125 30
settle
expect undo > 0
expect same-as-render
SCRIPT
    view turned 0 seahorse --size 201x113 --samples 1 <<'SCRIPT'
key tab
drag 150 56 100 100 over 0.2 with ctrl
settle
expect same-as-render
key p
key period
key ]
settle
expect same-as-render
key j
settle
expect julia = 1
expect same-as-render
key j
settle
expect julia = 0
expect same-as-render
key shift+n
settle
expect mirrored = 1
expect same-as-render
key ctrl+z
settle
expect mirrored = 0
key shift+e
key shift+e
settle
expect stretch near 1.21
expect same-as-render
key shift+q
settle
expect stretch near 1.1
key ctrl+n
settle
expect stretch = 1
expect same-as-render
key ctrl+z
settle
expect stretch near 1.1
key shift+q
settle
expect stretch = 1
key shift+f
key f
key f
settle
expect formula = 1
expect same-as-render
key j
settle
expect julia = 1
expect formula = 1
expect same-as-render
key j
key shift+f
settle
expect formula = 0
resize 170 140
settle
expect width = 170
expect same-as-render
SCRIPT
}

# One place, one picture, by every way in: the file rendered, the file viewed, and its text copied,
# pasted, typed and opened in a viewer whose colours, limit, formula and rotation are others.
one_place() {
    local text=$1 name=${1%.*} way line
    local others=$'key period\nkey p\nkey i\nkey q\nkey c\nkey j\nwait 0.05'
    line=$(sed -e 's/["]/\\&/g;s/\r//g;s/$/\\n/' "$text" | tr -d '\n')
    "$deepfield" render "$text" --quiet --size 160x120 --samples 1 -o "$name-rendered.png" > /dev/null
    view "way-$name" 0 "$text" --size 160x120 --samples 1 <<SCRIPT
settle
picture $name-viewed.png
key ctrl+c
key home
$others
key ctrl+v
settle
picture $name-copied.png
$others
clipboard "$line"
key ctrl+v
settle
picture $name-pasted.png
$others
key g
text "$line"
key enter
settle
picture $name-typed.png
$others
key ctrl+o
text "$text"
key enter
wait 0.1
settle
picture $name-opened.png
SCRIPT
    for way in viewed copied pasted typed opened; do
        "$same_pixels" "$name-rendered.png" "$name-$way.png" || complain "$text: $way"
    done
    return $((failures > 0))
}

places() {
    local text way job jobs=()
    printf '# numbers\n-0.7436, 0.1318\n40\n' > numbers.txt
    printf 're = -0.7436\nim = 0.1318\nzoom = 300\niterations = 150\n' > lines.txt
    printf 'Re: -0.7436\r\nIm: 0.1318\r\nZoom: 3E2\r\nIterations: 300\r\nRotateAngle: 20\r\n' > kalles.kfr
    cat > all.ini <<'INI'
[view]
re = -0.7436
im = 0.1318
zoom = 300
rotation = 30
size = 160x120
limit = 200
bailout = 50
[look]
palette = fire
density = 2
offset = 0.1
interior = "#204060"
[compute]
accuracy = 1e-9
INI
    printf '[view]\nre = 0\nim = 0\nzoom = 1\nlimit = 70\njulia = -0.8,0.156\n' > julia.ini
    for text in numbers.txt lines.txt kalles.kfr all.ini julia.ini; do
        one_place "$text" &
        jobs+=($!)
    done
    for job in "${jobs[@]}"; do
        wait "$job" || failures=$((failures + 1))
    done
    # Nobody says how many samples: as many in the viewer at rest as in the file.
    "$deepfield" render lines.txt --quiet --size 160x120 -o samples-rendered.png > /dev/null
    view samples 0 lines.txt --size 160x120 <<'SCRIPT'
settle
wait until smooth = 1
expect samples = 16
picture samples-viewed.png
SCRIPT
    "$same_pixels" samples-rendered.png samples-viewed.png || complain "samples of the viewer"
    # A picture is a place, too.
    "$deepfield" render all-viewed.png --quiet -o again.png > /dev/null
    "$same_pixels" all-rendered.png again.png || complain "the picture of the viewer, rendered"
    # No perturbation where nobody can tell the pictures apart: it settled in 16 s instead of 0.8.
    printf -- '-0.743643887037158704752191506114774 0.131825904205311970493132056385139 2.936e6\n' \
        > doubles.txt
    "$deepfield" info doubles.txt --size 1280x720 | grep -q '^plan *direct iteration in fp64' ||
        complain "$("$deepfield" info doubles.txt --size 1280x720)"
    # Farther in, the limit of a place is not enough; one that is said with the command is kept.
    for way in '' --limit=150; do
        view farther 0 lines.txt --size 160x120 --samples 1 ${way:+"$way"} <<SCRIPT
settle
expect limit-asked = 150
wheel 4 at 30 20
settle
expect limit-asked = ${way:+15}0
SCRIPT
    done
    # Flags say where it begins, alone or together; what is pasted and Home are elsewhere.
    view flags 0 --re 0.3 --im 0.2 --zoom 50 --size 160x120 --samples 1 <<'SCRIPT'
expect zoom = 50
expect limit-asked = 10000
expect density = 0
clipboard "-0.7436 0.1318 300"
key ctrl+v
expect zoom = 300
key home
expect zoom near 1.4
SCRIPT
    for flag in --re=0.3 --im=0.3 --zoom=1.4; do
        view flag 0 "$flag" --size 64x36 <<< 'expect zoom near 1.4'
    done
    # What is no place is named, and where we are is kept; places of other programs open.
    printf 'program = "fraktaler-3"\nlocation.real = "-1"\n' > f3.toml
    view named 0 seahorse --size 160x120 --samples 1 <<'SCRIPT'
clipboard "https://example.org/m?re=0"
key ctrl+v
expect notice has "'https://example.org/m?re=0' is a web address, not a place"
expect zoom = 4e5
key ctrl+o
text "f3.toml"
key enter
wait until zoom = 1
SCRIPT
}

# All that a mash of keys has done Home takes back, and undo takes back Home.
home() {
    view home 0 --size 160x90 --samples 1 <<'SCRIPT'
settle
shot begun.png
key p
key t
key m
key shift+j
key h
key period
key ]
key q
key i
wheel 4 at 30 20
settle
key j
settle
expect julia = 1
key escape
key escape
key escape
key escape
shot mashed.png
key home
settle
expect julia = 0
expect palette is "meridian"
expect hud = 1
key escape
key escape
key escape
key escape
shot home.png
key backspace
settle
expect julia = 1
expect hud = 2
key escape
key escape
key escape
key escape
shot undone.png
key home
settle
key t
key h
key home
expect hud = 1
key backspace
expect hud = 2
SCRIPT
    # A window without anything to see says why, unless all but the picture is hidden.
    view blank 0 --size 160x120 --samples 1 <<'SCRIPT'
settle
expect blank is ""
clipboard "-0.2 0.1 30"
key ctrl+v
settle
expect blank has "which were set; Ctrl+I"
shot told.png
key ctrl+i
settle
expect blank has "inside of the set"
clipboard "1.9 0.9 30"
key ctrl+v
settle
expect blank has "outside the set"
SCRIPT
    view hidden 0 --size 160x120 --samples 1 <<'SCRIPT'
key tab
clipboard "-0.2 0.1 30"
key ctrl+v
settle
expect same-as-render
shot hidden.png
SCRIPT
    ! "$same_pixels" told.png hidden.png > /dev/null || complain "a black window says nothing"
    "$same_pixels" begun.png home.png || complain "Home leaves something of what was there"
    "$same_pixels" mashed.png undone.png || complain "undo leaves something of Home"
}

# Colours follow the picture when the hand rests, and are those of a picture from a file.
colours() {
    view colours 0 seahorse --size 320x180 --samples 1 <<'SCRIPT'
key tab
settle
expect same-as-render
expect contrast = 0.8
expect distances = 0
key v
settle
expect contrast = 0.9
expect same-as-render
key x
settle
expect relief = 0.1
expect distances = 1
expect same-as-render
key shift+x
settle
expect relief = 0
expect distances = 0
key backspace
settle
expect relief = 0.1
expect same-as-render
key backspace
key backspace
settle
expect contrast = 0.8
expect same-as-render
key home
key tab
settle
key k
settle
expect interior = 1
expect periods = 1
expect same-as-render
key k
settle
expect interior = 2
expect periods = 0
expect insides = 1
expect same-as-render
clipboard "-1.76858983134469512574 -0.00113195507766281 1e16"
key ctrl+v
settle
expect insides = 0
expect distances = 1
expect same-as-render
key k
expect notice has "inside: a colour for each period; deep views keep one colour"
settle
expect periods = 0
expect same-as-render
picture deep.png
wheel 2 at 30 20
settle
expect same-as-render
SCRIPT
    "$deepfield" render --quiet deep.png -o again.png > /dev/null
    "$same_pixels" deep.png again.png || complain "a picture of the window has other colours"
    view julia 0 julia-seahorse --size 160x90 --samples 16 <<'SCRIPT'
settle
key tab
key k
settle
expect periods = 1
expect same-as-render
key k
expect notice has "inside: by distance; Julia sets keep one colour"
settle
expect insides = 0
expect same-as-render
SCRIPT
}

# What hands do, and back again.
hand() {
    view hand 0 --size 320x180 --samples 1 <<'SCRIPT'
settle
expect zoom near 1.4
key r
settle
expect pictures > 1
wheel 4 at 100 60
settle
expect zoom near 2.8
expect undo = 1
click right at 100 60
settle
expect zoom near 1.4
key ctrl+z
settle
expect zoom near 2.8
key ctrl+z
settle
expect zoom near 1.4
expect redo = 2
key ctrl+y
settle
expect zoom near 2.8
key home
settle
finger 1 down 0.4 0.5
finger 2 down 0.6 0.5
finger 1 move 0.3 0.5
finger 2 move 0.7 0.5
finger 1 up 0.3 0.5
finger 2 up 0.7 0.5
settle
expect zoom > 1
key f1
expect panel = 1
finger 1 down 0.5 0.8
finger 1 move 0.5 0.3
finger 1 up 0.5 0.3
expect panel = 1
finger 1 down 0.5 0.5
finger 1 up 0.5 0.5
expect panel = 0
key f1
key escape
expect panel = 0
key escape
key escape
clipboard "-0.5 0.25 16"
key ctrl+v
settle
expect zoom = 16
expect re = -0.5
key p
settle
wait 0.3
key ctrl+z
expect palette is "porcelain:reversed"
expect re = -0.5
key i
expect limit-asked > 1
key ctrl+i
expect limit-asked = 0
key g
text "0 1 1e150600"
key enter
expect notice has "too deep"
expect zoom = 16
key shift+f12
text "1000000x1000000"
key enter
expect notice has "would take"
clipboard "what is this?"
key ctrl+v
expect zoom = 16
key ctrl+shift+equals
expect ui-scale = 1.25
SCRIPT
}

# A hand that never rests, where a coordinate has 100,000 digits: what it does is seen at once. A
# program that reads all of them for each event falls behind, by a second in this script.
deep_steering() {
    local i name
    {
        echo $'[view]\nversion = 1\nzoom = 1e100000\nlimit = 1000'
        for name in re im; do
            for ((i = 0; i < 112; i++)); do
                echo "$name.$i = $( ((i)) || echo -0.1)$(printf '%0100d' $((17 * i + 29)){1..9})"
            done
        done
    } > place.ini
    for ((i = 0; i < (${DEEPFIELD_LONG:-0} ? 8 : 4); i++)); do
        echo "drag $((60 + 50 * (i % 4))) $((100 + 20 * (i % 3))) 200 $((40 + 30 * (i % 4))) over 0.3"
        echo "wheel 1.5 at $((37 * i % 300)) 50"
        echo "wheel -1.5 at $((37 * i % 300)) 50"
    done > steps.txt
    view deep_steering 0 place.ini --size 320x180 --samples 1 <<SCRIPT
$(cat steps.txt)
expect log10-zoom > 99990
expect reaction-p99-ms < $(slowest_ms 200)
SCRIPT
    echo "reaction p99: $(p99 deep_steering reaction) ms"
    # Where pictures still come no touch throws the view out, and turned back it is upright.
    view deepest 0 --size 320x180 --samples 1 <<'SCRIPT'
key g
text "-2 0 1e150500"
key enter
drag 200 100 180 90 over 0.2
expect log10-zoom near 150500
wheel 1 at 100 100
key q
key e
wait 1
expect log10-zoom > 150500
expect rotation = 0
SCRIPT
}

# Pictures, places, bookmarks and the history on the disk.
files() {
    view write 0 seahorse --size 160x90 --samples 1 --palette ocean <<'SCRIPT'
settle
picture seen.png
settle
picture large.png 320 180
settle
key shift+f12
text "96x54"
key enter
settle
key tab
shot shot.png
key b
wait 0.1
settle
wheel 4 at 80 45
settle
key b
settle
key ctrl+s
settle
SCRIPT
    "$same_pixels" seen.png shot.png || complain "the picture is not what the window showed"
    mv deepfield-*.png print.png
    # What was seen is written, though the hand moves on at once; what was not finished is told.
    view still 0 seahorse --size 160x90 --samples 1 --palette ocean <<'SCRIPT'
settle
picture still.png
wheel 4 at 80 45
settle
picture unfinished.png 3000 2000
SCRIPT
    "$same_pixels" seen.png still.png || complain "the picture is not what was seen when it was asked for"
    grep -q 'not finished in time' still.log || complain "a picture is lost, and nobody says so"
    [ ! -e unfinished.png ] || complain "unfinished.png was written"
    for name in seen large print; do
        "$deepfield" render "$name.png" --quiet -o "$name-again.png" > /dev/null
        "$same_pixels" "$name.png" "$name-again.png" || complain "$name.png is not what render makes"
    done
    "$deepfield" render deepfield-*.ini --quiet -o saved.png > /dev/null || complain "the saved place"
    view read 0 --size 160x90 --samples 1 <<'SCRIPT'
settle
expect undo > 0
key ctrl+b
wait 0.1
settle
expect bookmarks = 2
expect panel = 3
finger 1 down 0.5 0.8
finger 1 move 0.5 0.3
finger 1 up 0.5 0.3
expect panel = 3
finger 1 down 0.95 0.66
finger 1 up 0.95 0.66
expect panel = 0
key ctrl+b
wait 0.1
settle
key enter
settle
expect zoom > 1e5
key ctrl+b
wait 0.1
settle
key delete
wait 0.1
settle
expect bookmarks = 1
SCRIPT
    [ "$(find data/deepfield/bookmarks -name '*.png' | wc -l)" = 1 ] || complain "bookmarks on disk"
    [ -s data/deepfield/history.log ] || complain "no history on disk"
}

# A bookmark of a picture that is not finished yet gets its thumbnail when it is, if not now then
# when it is opened again.
thumbnails() {
    local bookmark
    view thumbnails 0 seahorse --size 640x360 --samples 1 <<'SCRIPT'
key b
settle
key b
settle
SCRIPT
    local kept=(data/deepfield/bookmarks/*.png)
    [ "${#kept[@]}" = 2 ] || complain "${#kept[@]} bookmarks"
    "$same_pixels" "${kept[@]}" || complain "the thumbnail of an unfinished picture stays as it was"
    cmp -s "${kept[@]}" || complain "the text of an unfinished picture stays as it was"
    rm -r data
    view moved 0 seahorse --size 640x360 --samples 1 <<'SCRIPT'
key b
wheel 4 at 100 100
settle
SCRIPT
    bookmark=$(echo data/deepfield/bookmarks/*.png)
    grep -q 'thumbnail is not finished' "$bookmark" || complain "a thumbnail is said to be finished"
    view renamed 0 --size 640x360 --samples 1 <<'SCRIPT'
settle
key ctrl+b
wait 0.1
settle
key down
text "Another name"
key down
key down
key down
key enter
key up
key up
key up
key up
key enter
wait 0.1
settle
SCRIPT
    grep -q '^title = "Another name"' "$bookmark" || complain "a bookmark is not renamed"
    grep -q 'thumbnail is not finished' "$bookmark" || complain "with its name a thumbnail is finished"
    view opened 0 --size 640x360 --samples 1 <<'SCRIPT'
settle
key ctrl+b
wait 0.1
settle
key enter
settle
expect zoom = 4e5
key b
settle
SCRIPT
    kept=(data/deepfield/bookmarks/*.png)
    "$same_pixels" "${kept[@]}" || complain "the thumbnail stays unfinished for ever"
}

# Many ranks show the bytes of one.
ranks() {
    local script='settle
key tab
wheel 4 at 60 40
settle
shot SHOT.png'
    view one 0 seahorse --size 200x120 --samples 1 <<< "${script/SHOT/one}"
    for count in 2 3 5; do
        launcher=(mpirun -n "$count")
        view "many$count" 0 seahorse --size 200x120 --samples 1 <<< "${script/SHOT/many$count}"
        launcher=()
        "$same_pixels" one.png "many$count.png" || complain "$count ranks"
    done
    view launched 0 seahorse --size 200x120 --samples 1 --ranks 2 <<< "${script/SHOT/launched}"
    "$same_pixels" one.png launched.png || complain "--ranks 2"
}

refusals() {
    view wrong 70 --size 64x36 --samples 1 <<< $'settle\nexpect zoom > 100\nshot later.png'
    grep -q 'wrong.txt:2: zoom > 100, but it is 1.4' wrong.log || complain "$(cat wrong.log)"
    view typo 65 <<< 'whel 3 at 4 5'
    view late 70 --size 640x360 --samples 1 <<< $'settle within 0.001\nshot later.png'
    [[ ! -e later.png ]] || complain "a script goes on after what was not so"
    local begun=$SECONDS
    view never 70 --formula 'sqr, add c, sqr, add c' --re 0.1 --im 0 --zoom 5e15 --size 64x36 <<< 'settle'
    grep -q 'never.txt:1: there will be no picture to settle: ' never.log || complain "$(cat never.log)"
    ((SECONDS - begun < 200)) || complain "$((SECONDS - begun)) s to say that a picture cannot be had"
    view stopped 70 published/kf-1e1086 --size 640x360 \
        <<< $'wait until requests >= 1\nkey escape\nsettle'
    grep -q 'stopped.txt:3: there will be no picture to settle: computing was stopped' stopped.log ||
        complain "$(cat stopped.log)"
    for size in 100000x100000 16385x100 100x16385; do
        view large 78 --size "$size" <<< 'settle'
        grep -qx "deepfield: --size: a window of $size is too large; it can be at most 16384x16384" large.log ||
            complain "--size $size: $(cat large.log)"
    done
    view screens 69 --display 2 <<< 'settle'
    grep -qE '^deepfield: there is no screen 2; there is 1 \(.*, [0-9]+x[0-9]+ at 0,0\)$' screens.log ||
        complain "--display: $(cat screens.log)"
    view first 0 --display 1 --size 64x36 <<< quit
    view widest 0 --size 16384x120 --samples 1 <<< $'expect width = 16384'
    env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER "$deepfield" view 2> none.log && complain "no display"
    grep -q '^deepfield: there is no display' none.log || complain "not told: $(cat none.log)"
    "$deepfield" view 2> dummy.log && complain "a person before a screen that is none"
    view quits 0 --size 64x36 <<< $'key escape\nkey ctrl+q\nexpect zoom > 100'
    env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER timeout 60 mpirun -n 2 "$deepfield" view \
        2> rank.log && complain "two ranks without a display"
    grep -q '^deepfield: there is no display' rank.log || complain "rank 0 has no display: $(cat rank.log)"
    printf 'shot running.png\nwait 250\n' > stopped.txt
    "$deepfield" view --size 64x36 --script stopped.txt &
    while [ ! -f running.png ] && kill -0 $!; do
        sleep 0.1
    done
    kill -INT $!
    code=0
    wait $! || code=$?
    [[ $code == 75 ]] || complain "a viewer that is stopped in its script ends with $code"
    "$deepfield" view nowhere-at-all 2> nowhere.log && complain "a view that is not there"
    [ "$("$deepfield" view --script none.txt 2>&1 > /dev/null; echo $?)" != 0 ] || complain "no script"
}

# Anything at 60 events a second: no error, no growth, and the view stays finite and settles.
random() {
    local seconds=${VIEW_SECONDS:-3} name grown reaction
    view random 0 --size 320x180 --samples 2 <<SCRIPT
settle
random 1 60 2
key escape
random $seconds 60 1
key escape
key escape
key home
settle
expect width = 320
SCRIPT
    for name in reaction cancel coarse; do
        echo "$name p99: $(p99 random "$name") ms"
    done
    for name in fetch compose paint upload present request begin plan compute show; do
        [ "$(figure random "\"$name\":.\"count\":")" -gt 0 ] || complain "no $name in the report"
    done
    reaction=$(p99 random reaction)
    awk -v ms="$reaction" -v most="$(slowest_ms 250)" 'BEGIN { exit !(ms > 0 && ms < most) }' ||
        complain "input shows after $reaction ms" # a picture of its own would take as long
    grown=$(($(figure random '"end_bytes":') - $(figure random '"settled_bytes":')))
    echo "memory: $grown bytes more than at the first settled picture"
    [ "$grown" -lt $((${VIEW_GROWTH_MIB:-96} << 20)) ] || complain "memory grew by $grown bytes"
}

# A hundred views in a second, again and again; every now and then one may settle, and is compared.
changes() {
    local rounds=3
    [ ! "${DEEPFIELD_LONG-}" ] || rounds=10
    view changes 0 --size 240x135 --samples 1 <<SCRIPT
settle
key tab
$(for ((i = 0; i < rounds; i++)); do printf 'changes 100 1\nsettle\nexpect same-as-render\n'; done)
SCRIPT
    echo "$(figure changes '"requests":') requests, $(figure changes '"late":') late results dropped"
}

# The same on a screen, with and without a graphics card.
screen() {
    local renderer
    for tool in xvfb-run Xvfb xauth; do
        command -v "$tool" > /dev/null || { echo "skipped: no $tool here"; exit 77; }
    done
    unset SDL_VIDEODRIVER WAYLAND_DISPLAY
    launcher=(xvfb-run -a -s "-screen 0 800x600x24 -noreset")
    for renderer in false true; do
        view "screen-$renderer" 0 seahorse --size 320x180 --samples 1 \
            --set viewer.software=$renderer <<'SCRIPT'
settle
key tab
expect same-as-render
wheel 4 at 60 40
settle
expect same-as-render
key tab
key h
key t
key f1
shot help.png
SCRIPT
        grep -q '"driver":"x11"' "screen-$renderer.json" || complain "no screen"
    done
}

case $mode in
    exact) exact ;;
    places) places ;;
    home) home ;;
    colours) colours ;;
    hand) hand ;;
    deep_steering) deep_steering ;;
    files) files ;;
    thumbnails) thumbnails ;;
    ranks) ranks ;;
    refusals) refusals ;;
    random) random ;;
    changes) changes ;;
    screen) screen ;;
    layers) layers ;;
    *) complain "what is $mode?" ;;
esac
verdict
