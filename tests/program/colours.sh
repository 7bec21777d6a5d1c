#!/usr/bin/env bash
# Automatic colours: the same bytes for any ranks, tiles and threads; the numbers that they come from
# are in the picture, so that it, another size and a part of it are coloured alike.
# usage: colours.sh DEEPFIELD SCRATCH
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"

render() { "$deepfield" render --quiet "$@" >/dev/null; }
# pixels FILE: its compressed pixels, which the text of the view stands before
pixels() { tail -c +"$(grep -abo IDAT "$1" | head -1 | cut -d: -f1)" "$1"; }
# distribution FILE: the numbers in its view
distribution() { "$deepfield" render "$1" --print-config | sed -n 's/^distribution = //p'; }

render seahorse --size 240x135 -o plain.png
numbers=$(distribution plain.png)
[[ $(tr -cd , <<<"$numbers" | wc -c) == 22 ]] || fail "no 23 numbers in a picture: '$numbers'"

render seahorse --size 240x135 --tile 16 --threads 3 -o tiles.png
render seahorse --size 240x135 --ranks 3 --oversubscribe -o ranks.png
render plain.png -o again.png
for picture in tiles ranks; do
    cmp plain.png $picture.png || fail "$picture.png differs"
done
cmp plain.png again.png || fail "a picture that is rendered again differs"

# Another size and another zoom keep the numbers of the picture; another centre does not.
render plain.png --size 120x68 -o small.png
[[ $(distribution small.png) == "$numbers" ]] || fail "another size has other colours"
render plain.png --zoom 1e6 -o zoomed.png
[[ $(distribution zoomed.png) == "$numbers" ]] || fail "a frame of a film has other colours"
render plain.png --re -0.75 --im 0.1 --zoom 10 --size 120x68 -o other.png
[[ $(distribution other.png) != "$numbers" ]] || fail "another place has the old colours"

# Fixed colours need no numbers.
render seahorse --size 120x68 --density 1 -o fixed.png
[[ $(distribution fixed.png) == auto ]] || fail "a fixed density was measured"

# Each choice changes the pixels, none as another does.
choices=('--contrast 0.2' '--runs 3' '--density 1' '--relief 0.5' '--relief 1' '--relief 1 --light 45'
    '--lines 1' '--offset 0.1' '--contrast 0.8')
for choice in "${choices[@]}"; do
    read -r -a options <<<"$choice"
    render plain.png --size 120x68 "${options[@]}" -o choice.png --force
    pixels choice.png >"choice$(tr -d ' ' <<<"$choice")"
done
[[ $(md5sum choice--* | cut -d' ' -f1 | sort -u | wc -l) == "${#choices[@]}" ]] ||
    fail "two choices give the same picture"
