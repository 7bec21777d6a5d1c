#!/usr/bin/env bash
# What somebody tries first: are the planes, the lists and the line of JSON what they promise?
# usage: first_use.sh DEEPFIELD SCRATCH
set -euo pipefail
deepfield=$1
scratch=$2
rm -rf -- "$scratch"
mkdir -p -- "$scratch"
cd -- "$scratch"

fail() {
    printf '%s\n' "$*"
    exit 1
}

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
[[ $paths == $'both.png\nboth.count.npy\nboth.distance.npy' ]] || fail "planes: $paths"
[[ ! -e both.fraction.npy ]] || fail "a plane that nobody asked for was saved"
[[ $(render --planes count -o count.npy --json) != *'"fraction"'* ]] || fail "computed for nobody"

# The lists: the names that render takes, and nothing but text where no terminal reads it.
names=$("$deepfield" views | cut -d ' ' -f 1)
[[ $names == *$'\nseahorse\n'* && $names == *whole-set* ]] || fail "views: $names"
[[ $names == "$(LC_ALL=C sort <<<"$names")" ]] || fail "views are not sorted"
grep -qE '^seahorse +4e5 +A seahorse tail and its island$' <("$deepfield" views) || fail "views: no line"
palettes=$(TERM=xterm-256color COLORTERM=truecolor "$deepfield" palettes)
[[ $palettes != *$'\033'* ]] || fail "colours go into a pipe"
while read -r name _; do
    "$deepfield" render seahorse -p "$name" --dry-run >/dev/null || fail "no palette $name"
done <<<"$palettes"
[[ $palettes == *$'\nmeridian '*'night blue'* ]] || fail "palettes: $palettes"
[[ $("$deepfield" views --json) == '{"folder":"'*'"name":"seahorse","title":'*']}' ]] || fail "views --json"
[[ $("$deepfield" palettes --json) == '{"folder":"'*'"name":"grey",'*']}' ]] || fail "palettes --json"
# A terminal gets colours, unless it is asked not to.
if command -v script >/dev/null; then
    unset NO_COLOR
    export TERM=xterm-256color
    COLORTERM=truecolor script -qec "'$deepfield' palettes" /dev/null </dev/null >typed
    grep -qF $'\033[48;2;' typed || fail "no colours on a terminal"
    NO_COLOR=1 script -qec "'$deepfield' palettes" /dev/null </dev/null >typed
    ! grep -qF $'\033' typed || fail "colours in spite of NO_COLOR"
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
