#!/usr/bin/env bash
# What somebody tries first: are the planes, the lists and the line of JSON what they promise?
# usage: first_use.sh DEEPFIELD SCRATCH
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"

render() {
    "$deepfield" render --re -0.745 --im 0.1126 --zoom 3e3 --limit 600 --size 64x36 --quiet "$@"
}

# Colours need the fractions, whatever is saved. The texts inside the pictures differ in a word of 8
# letters and the 4 bytes of their checksum.
render --planes count,distance,distance -o without.png >/dev/null
render --planes count,fraction,distance -o with.png >/dev/null
different=$(cmp -l without.png with.png | wc -l) || true
((different > 0 && different <= 12)) || fail "a picture without its fractions: $different bytes differ"
# Not saved unless asked for, and not computed where only numbers are saved.
paths=$(render --planes distance -o both.png -o both.npy)
[[ $paths == $'both.png\nboth.count.npy\nboth.distance_x.npy\nboth.distance_y.npy\nboth.planes.json' ]] || fail "planes: $paths"
[[ ! -e both.fraction.npy ]] || fail "a plane that nobody asked for was saved"
[[ $(render --planes count -o count.npy --json) == *'"planes":["count"],'* ]] || fail "computed for nobody"

# The lists: the names that render takes, and nothing but text where no terminal reads it.
names=$("$deepfield" views | cut -d ' ' -f 1)
[[ $names == *$'\nseahorse\n'* && $names == *whole-set* ]] || fail "views: $names"
# Views first, then the places of files.
[[ $names == "$(LC_ALL=C sort < <(grep -v : <<<"$names"); LC_ALL=C sort < <(grep : <<<"$names"))" ]] ||
    fail "views are not sorted"
# A folder that has the name of a view, or of the file of places, does not hide it.
mkdir -p hidden/seahorse hidden/formulas
for view in seahorse formulas:celtic-island; do
    (cd hidden && "$deepfield" render "$view" --print-config >/dev/null) || fail "$view beside a folder"
done
grep -qE '^seahorse +4e5 +A seahorse tail and its island$' <("$deepfield" views) || fail "views: no line"
palettes=$(TERM=xterm-256color COLORTERM=truecolor "$deepfield" palettes)
[[ $palettes != *$'\033'* ]] || fail "colours go into a pipe"
while read -r name _; do
    "$deepfield" render seahorse -p "$name" --size 64x36 --dry-run >/dev/null || fail "no palette $name"
done <<<"$palettes"
[[ $palettes == *$'\nmeridian '*'night blue'* ]] || fail "palettes: $palettes"
[[ $("$deepfield" views --json) == '{"schema":"views/1","folder":"'*'"name":"seahorse","title":'*']}' ]] || fail "views --json"
[[ $("$deepfield" palettes --json) == '{"schema":"palettes/1","folder":"'*'"name":"grey",'*']}' ]] || fail "palettes --json"
# A terminal gets colours, unless it is asked not to: 17 views or more, 25 characters x 7 lines each.
on_terminal() { # on_terminal WORD [NAME=VALUE]...
    env -u NO_COLOR -u LC_CTYPE TERM=xterm-256color COLORTERM=truecolor LC_ALL=C.UTF-8 "${@:2}" \
        script -qec "'$deepfield' $1" /dev/null </dev/null >typed
}
# A folder made a machine by chroot may have no pseudo-terminals.
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    on_terminal palettes
    grep -qF $'\033[48;2;' typed || fail "no colours on a terminal"
    on_terminal palettes NO_COLOR=1
    ! grep -qF $'\033' typed || fail "colours in spite of NO_COLOR"
    on_terminal views
    (($(grep -aoF $'m\xe2\x96\x80' typed | wc -l) == 25 * 7 * $(grep -vc : <<<"$names"))) || fail "no pictures of views"
    grep -qE '^seahorse +4e5 ' typed || fail "no list below the pictures"
    on_terminal views LC_ALL=C
    ! grep -qF $'\033' typed || fail "pictures where UTF-8 is not known"
fi
# A broken file of the user's own among them is told, and hides no other.
mkdir -p -- data/assets/palettes data/configs/views
printf '[view]\nre = 0\nim = 0\nzoom = 2\n' >data/configs/views/b.ini
printf '[view]\nre = 0\nim = 0\n' >data/configs/views/a.ini
code=0
text=$(DEEPFIELD_DATA=data "$deepfield" views 2>&1) || code=$?
[[ $code == 65 && $text == *'a.ini: zoom is missing'* && $text == *'b  2 '* ]] || fail "$code $text"

# Help by name is help by option.
cmp <("$deepfield" help render) <("$deepfield" render --help)
cmp <("$deepfield" help) <("$deepfield" --help)
# Examples of the help can be typed as they are.
for command in view render film info find verify devices bench; do
    mapfile -t examples < <("$deepfield" help "$command" | sed -n 's/^  deepfield //p')
    for example in "${examples[@]}"; do
        read -r -a words <<<"$example"
        "$deepfield" "${words[@]}" --print-config >/dev/null || fail "help: deepfield $example"
    done
done

# The line of JSON has all that decides the picture: the same again, from it alone.
render --rotation -12.5 --bailout 64 --offset 0.125 --density 2.5 --interior '#102030' -p ocean \
    --accuracy 0.001 --tile 32 --schedule dynamic --json -o told.png >told.json
value() { # value KEY: of the first member of that name
    grep -oE "\"$1\":(\"[^\"]*\"|[^],}]*)" told.json | head -n 1 | cut -d : -f 2- | tr -d '"'
}
"$deepfield" render --re "$(value re)" --im "$(value im)" --zoom "$(value zoom)" \
    --rotation "$(value rotation_deg)" --size "$(value width)x$(value height)" \
    --limit "$(value limit)" --bailout "$(value bailout)" \
    -p "$(value palette)" --density "$(value density)" --offset "$(value offset)" \
    --interior "$(value interior)" --accuracy "$(value accuracy_px)" --tile "$(value tile_px)" \
    --schedule "$(value schedule)" --quiet -o again.png >/dev/null
cmp told.png again.png
for key in formula method number error_px tile_px schedule forecast transport orbit_bits revision bits; do
    [[ -n $(value "$key") ]] || fail "--json has no $key"
done
grep -q '"planes":\["count","fraction"\]' told.json || fail "--json has no planes"
for command in info verify; do
    "$deepfield" $command told.png --set verify.pixels=4 --json >told.json
    [[ $(value re) == -0.745 && $(value rotation_deg) == -12.5 && $(value limit) == 600 ]] ||
        fail "$command --json does not say which view"
done
