#!/usr/bin/env bash
# The panel of the viewer under scripts: each page by mouse, fingers, keys and gamepad, and what of
# it is kept on the disk. Places are those of a window of 1000 x 480 at the scale 1.
# usage: view_panels.sh DEEPFIELD SCRATCH mouse|touch|keys|pad|colours|layers|files|film|thumbnails|hints|languages
mode=$3
set -- "$1" "$2/$3"
# shellcheck source=tests/support/viewer.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/viewer.sh"

# view NAME OPTIONS...: plays the script on stdin.
view() {
    local name=$1
    shift
    played "$name" 0 "$deepfield" view --size 1000x480 --ui-scale 1 --samples 1 "$@"
}

mouse() {
    view settings <<'SCRIPT'
settle
key f2
expect panel = 4
click left at 920 382
expect limit-asked = 4000
click left at 660 382
expect limit-asked = 2000
click left at 660 418
expect limit-asked = 0
wheel -3 at 760 368
click left at 799 23
expect panel = 5
click left at 760 139
text "seahorse tail"
click left at 760 190
wait until zoom > 1e5
click left at 928 95
expect panel = 0
key f2
click left at 670 59
expect panel = 10
click left at 760 311
expect notice has "multibrot_3"
shot formulas.png
click left at 760 188
text heart
click left at 760 227
expect notice has "quartic_false_quasi_heart"
click left at 928 95
key ctrl+z
settle
key ctrl+z
settle
expect zoom > 10
SCRIPT
    # Beside the panel the picture is moved as ever, and other keys are what they are. The list is
    # where the palette in use is.
    view beside <<'SCRIPT'
settle
key f4
drag 60 200 160 200 over 0.1
wheel 4 at 100 200
settle
expect zoom > 2
expect panel = 6
click left at 760 325
expect palette is "mist"
key p
expect palette is "moss"
key escape
expect panel = 0
SCRIPT
}

touch_() {
    view touch <<'SCRIPT'
settle
finger 1 down 0.2 0.8
finger 1 up 0.2 0.8
finger 1 down 0.96 0.075
finger 1 up 0.96 0.075
expect panel = 4
finger 1 down 0.92 0.796
finger 1 up 0.92 0.796
expect limit-asked = 4000
finger 1 down 0.744 0.8
finger 1 move 0.744 0.3
finger 1 up 0.744 0.3
expect limit-asked = 4000
expect panel = 4
finger 1 down 0.928 0.198
finger 1 up 0.928 0.198
expect panel = 0
wait 3.2
finger 1 down 0.96 0.075
finger 1 up 0.96 0.075
expect panel = 0
SCRIPT
}

keys() {
    view keys <<'SCRIPT'
settle
key f2
key end
key right
expect ui-scale = 1.25
key left
expect ui-scale = 1
key up
key right
expect language is "de"
key left
expect language is "en"
key end
key tab
key tab
key enter
expect panel = 5
key enter
wait until zoom > 10
key f2
expect panel = 4
key f2
expect panel = 0
key g
text "-0.5 0.25 16"
clipboard "7"
key ctrl+v
key enter
wait until zoom = 167
expect panel = 0
SCRIPT
}

pad() {
    view pad <<'SCRIPT'
settle
pad button start down
pad button start up
expect panel = 4
pad button down down
pad button down down
pad button down down
pad button down down
pad button down down
pad button right down
expect limit-asked = 4000
pad button down down
pad button south down
expect limit-asked = 0
pad button shoulder-right down
expect panel = 5
pad button down down
pad button south down
wait until zoom > 1.5
pad button shoulder-left down
pad button shoulder-left down
expect panel = 11
pad button shoulder-right down
pad button shoulder-right down
pad button shoulder-right down
expect panel = 9
pad button south down
expect panel = 0
pad button start down
pad button shoulder-left down
expect panel = 11
pad button east down
expect panel = 0
pad button start down
pad button shoulder-right down
pad button shoulder-right down
pad button shoulder-right down
expect panel = 10
pad button down down
pad button down down
pad button south down
expect notice has "multibrot_3"
pad button start down
pad button down down
pad button down down
pad button down down
pad button down down
pad button south down
expect panel = 1
pad button down down
pad button east down
expect panel = 0
pad button stick-right down
expect julia = 1
SCRIPT
}

# What colours go by, and a layer: at once, undone step by step, also where flags say others.
layers() {
    # Rows of what planes along orbits measure, in a window that shows them.
    played orbit 0 "$deepfield" view --size 1000x1000 --ui-scale 1 --samples 1 --by stripe <<'SCRIPT'
settle
key f6
click left at 900 885
expect stripes = 13
key escape
settle
key f10
expect same-as-render
key ctrl+z
expect stripes = 5
SCRIPT
    played trap 0 "$deepfield" view --size 1000x1000 --ui-scale 1 --samples 1 --by trap_circle <<'SCRIPT'
settle
key f6
click left at 883 885
expect trap-re > 0.9
click left at 705 949
expect trap-im < -0.9
SCRIPT
    view by --by stripe <<'SCRIPT'
settle
key shift+k
expect by is "triangle"
key shift+k
key shift+k
key shift+k
key shift+k
expect by is "count"
wait 0.5
key shift+k
expect by is "count+phase"
expect notice has "colours by: angle of escape"
wait 0.5
key f6
key end
key shift+tab
key shift+tab
key right
expect layer is "multiply"
wait 0.5
key tab
key right
expect palette has "+agate"
wait 0.5
key p
expect palette has "+agate"
key ctrl+z
key tab
key right
wait 0.5
key escape
settle
key f10
expect same-as-render
key f10
key ctrl+z
key ctrl+z
expect layer is "multiply"
key ctrl+z
expect layer is "none"
expect by is "count+phase"
key ctrl+z
expect by is "count"
key ctrl+z
expect by is "stripe"
key ctrl+y
expect by is "count"
settle
SCRIPT
}

colours() {
    # A stop is dragged, added, removed; nothing is computed again, and all of it is undone.
    view stops --palette '#000000@0#ff0000@0.5' <<'SCRIPT'
settle
expect pictures = 1
key f6
expect panel = 7
drag 794 178 879 178 over 0.2
expect palette has "#ff0000@0.7"
wait 0.4
key ctrl+z
expect palette is "#000000@0#ff0000@0.5"
key ctrl+y
expect palette has "#ff0000@0.7"
click double at 710 148
expect palette has "@0.25"
click left at 920 263
expect palette has "#000000@0.0000#ff0000@0.7"
click left at 660 268
key escape
settle
expect pictures = 1
key f10
settle
expect same-as-render
key f10
key ctrl+7
wait until notice has "favourite 7"
key p
expect palette is "agate"
key 7
expect palette has "#ff0000@0.7"
key 3
expect notice has "no favourite 3"
settle
SCRIPT
    # A colour is typed; so is a formula by a part of its name.
    view typed --palette '#000000@0#ff0000@0.5' <<'SCRIPT'
settle
key f6
key tab
key tab
key tab
key tab
key tab
key tab
key tab
key tab
key tab
key ctrl+a
text "#12ab34"
expect palette has "#12ab34"
key ctrl+z
expect palette has "#000000@0"
key escape
key f2
pad button shoulder-right down
pad button shoulder-right down
pad button shoulder-right down
text "heart"
key enter
expect notice has "heart"
settle
SCRIPT
    view favourites <<'SCRIPT'
settle
key 7
expect palette has "#ff0000@0.7"
key f6
key end
key shift+tab
text "mine"
key enter
expect notice has "palettes/mine.csv"
key f4
settle
SCRIPT
    "$deepfield" palettes data/deepfield/palettes/mine.csv > /dev/null || complain "the saved palette"
    # It is the first of the list, and what is imported is edited at once.
    printf '# cyclic: yes\n0,0,0,0\n0.5,0,1,0\n1,0,0,0\n' > green.csv
    view import <<'SCRIPT'
settle
key f4
key tab
key enter
expect panel = 8
text "green.csv"
key enter
expect panel = 7
expect palette has "#00ff00@0.5"
key escape
key f4
click left at 760 283
expect palette has "#fd0000@0.7"
SCRIPT
    # How colours are laid on: relief computes distances once, the rest nothing.
    view look <<'SCRIPT'
settle
key f6
key end
key shift+tab
key shift+tab
key shift+tab
key shift+tab
key shift+tab
key shift+tab
key right
expect contrast > 0.8
settle
expect pictures = 1
key tab
key right
settle
expect relief = 0.05
expect distances = 1
expect pictures = 2
key tab
key left
settle
expect light = 130
expect pictures = 2
SCRIPT
}

files() {
    mkdir a-folder
    printf '[view]\nre = -1\nim = 0.25\nzoom = 40\n' > a-folder/place.ini
    view chooser <<'SCRIPT'
settle
key ctrl+o
expect panel = 8
key down
key down
key enter
expect panel = 8
key down
key down
key enter
wait until zoom = 40
expect panel = 0
key ctrl+shift+s
text "kept"
key enter
wait until notice has "kept.ini"
key ctrl+shift+s
text "kept"
key enter
wait until notice has "kept.ini is there already"
key ctrl+o
text "nowhere.ini"
key enter
wait until notice has "nowhere.ini"
expect zoom = 40
key ctrl+shift+s
text "kept.kfr"
key enter
wait until notice has "kept.kfr"
key ctrl+shift+s
text "kept.kfr"
key enter
expect notice has "kept.kfr is there already"
key ctrl+shift+s
text "kept.xyz"
key enter
expect notice has "known are .png"
SCRIPT
    grep -q '^Zoom: 40' a-folder/kept.kfr || complain "the place of Kalles Fraktaler"
    grep -q '^zoom = 40' a-folder/kept.ini || complain "the place that was saved under a name"
}

# Pictures of a list are made by the first window that shows it, and found by the next.
thumbnails() {
    export XDG_CACHE_HOME=$PWD/cache
    view made <<'SCRIPT'
settle
key f2
pad button shoulder-right down
pad button shoulder-right down
expect panel = 9
wait until tour-thumbnails >= 6
shot tours.png
settle
SCRIPT
    [ "$(find cache -name 'tour-*.png' | wc -l)" -ge 6 ] || complain "the pictures of the tours"
}

# Two keyframes, flown along, made into a film that is cancelled.
film() {
    view film <<SCRIPT
settle
key f2
pad button shoulder-left down
expect panel = 11
key enter
wheel 8 at 300 240
settle
key enter
expect keyframes = 2
expect keyframe = 2
key end
key shift+tab
key shift+tab
key shift+tab
key shift+tab
key shift+tab
key shift+tab
key shift+tab
key enter
expect keyframe = 1
key tab
key enter
expect keyframe = 2
hurry 20
key end
key shift+tab
key enter
expect previews = 1
wait until previews = 0
settle
expect zoom near 5.6
key end
key enter
expect makes = 1
key home
key enter
wait until makes = 0
expect notice has "cancelled: $PWD/deepfield-"
SCRIPT
    grep -q '^time = 8$' data/deepfield/films/*-path.ini || complain "the keyframes of the film"
}

hints() {
    view first <<'SCRIPT'
expect hint is ""
wait until hint has "F2"
key f2
key escape
expect hint is ""
wait until hint has "Drag"
drag 100 100 120 110 over 0.1
expect hint is ""
wait until hint has "wheel"
wheel 1 at 100 100
key j
key f1
key escape
key space
key space
wait until hint has "Hold"
settle
SCRIPT
    [ "$(sort data/deepfield/learnt | tr '\n' ' ')" = "drag help julia play settings wheel " ] ||
        complain "what was learnt: $(cat data/deepfield/learnt)"
    # The mouse finds the panel: its button is seen in the frame after the first move, and fades.
    view second <<'SCRIPT'
wait until hint has "Hold"
key f2
key escape
wait 2.2
expect hint has "Hold"
settle
wait 0.3
expect menu = 0
move 100 100
expect menu = 1
wait until menu = 0
move 970 30
click left at 970 30
expect panel = 4
key escape
settle
SCRIPT
}

languages() {
    unset DEEPFIELD_LANGUAGE
    LC_ALL='' LC_MESSAGES='' LANG=pl_PL.UTF-8 view polish <<'SCRIPT'
expect language is "pl"
settle
key ctrl+y
expect notice is "nie ma czego ponowić"
SCRIPT
    LC_ALL='' LC_MESSAGES='' LANG=es_ES.UTF-8 view spanish <<< 'expect language is "es"'
    LANG=es_ES.UTF-8 view french --language fr <<< 'expect language is "fr"'
    local code=0
    "$deepfield" view --language xx 2> wrong.log || code=$?
    if [ "$code" != 64 ] || ! grep -q 'auto, en, de, fr, es, pl' wrong.log; then
        complain "a wrong language: $code $(cat wrong.log)"
    fi
    # What is chosen in the window stays, unless another is asked for.
    LC_ALL='' LC_MESSAGES='' LANG=C view chosen <<'SCRIPT'
settle
key f2
key end
key up
key right
expect language is "de"
settle
SCRIPT
    LC_ALL='' LC_MESSAGES='' LANG=C view kept <<< 'expect language is "de"'
    view asked --language pl <<< 'expect language is "pl"'
    # Every page, in two languages, at two scales: nothing complains, nothing hangs.
    local language scale
    for language in de fr; do
        for scale in 1 3; do
            view "$language$scale" --language "$language" --ui-scale "$scale" <<SCRIPT
settle
key f2
shot settings-$language-$scale.png
key f3
shot places-$language-$scale.png
key f4
shot palettes-$language-$scale.png
key f6
shot colours-$language-$scale.png
key ctrl+o
shot files-$language-$scale.png
key escape
key g
shot text-$language-$scale.png
key escape
key ctrl+b
wait 0.1
shot bookmarks-$language-$scale.png
SCRIPT
        done
    done
    [ "$(find . -name '*.png' | wc -l)" = 28 ] || complain "pictures of the pages"
}

case $mode in
mouse) mouse ;;
touch) touch_ ;;
keys) keys ;;
pad) pad ;;
colours) colours ;;
layers) layers ;;
files) files ;;
film) film ;;
thumbnails) thumbnails ;;
hints) hints ;;
languages) languages ;;
*) complain "there is no mode '$mode'" ;;
esac
verdict
