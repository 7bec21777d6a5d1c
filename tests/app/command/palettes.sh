#!/usr/bin/env bash
# Does `deepfield palettes` list, show, draw and convert, and do pictures take what it lists?
# usage: palettes.sh DEEPFIELD SCRATCH
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"

render() { # render PALETTE FILE
    "$deepfield" render seahorse --size 48x27 --limit 2000 --quiet -p "$1" -o "$2" >/dev/null
}

# The list: at least 24, the marks, and one in full.
lines=$("$deepfield" palettes)
(($(wc -l <<<"$lines") >= 24)) || fail "too few palettes"
grep -qE '^viridis +safe +Viridis' <<<"$lines" || fail "no mark: $lines"
grep -qE '^cathedral +coloured glass' <<<"$lines" || fail "a mark too many: $lines"
(($(wc -L <<<"$lines") + 18 <= 80)) || fail "lines longer than 80 with their strips"
one=$("$deepfield" palettes harbour)
[[ $one == *'licence    MIT'*'round and round'*'colour-blind'*'L* '* ]] || fail "one: $one"

# Several gradients of one file, with blanks in a name.
cat >all.ugr <<'UGR'
Night {
gradient:
  title="Night and day" smooth=no index=0 color=0 index=200 color=16777215
}
Two words {
gradient:
  title="Fire" smooth=yes rotation=100 index=0 color=255 index=133 color=65535 index=266 color=0
opacity:
  smooth=no index=0 opacity=255
}
UGR
[[ $("$deepfield" palettes all.ugr | cut -d ' ' -f 1,2) == $'Night \nTwo words' ]] || fail "names"
[[ $("$deepfield" palettes all.ugr --json) == *'"name":"Two words","title":"Fire"'* ]] || fail json
render 'all.ugr:Two words' first.png
"$deepfield" render first.png --quiet -o again.png >/dev/null
cmp first.png again.png || fail "the view in a picture does not bring its gradient back"

# A sheet: a row of 28 pixels for each, and half of one as margin.
[[ $("$deepfield" palettes -o sheet.png) == sheet.png ]] || fail "the path is not printed"
rows=$(od -An -tu1 -j 20 -N 4 sheet.png | awk '{ print ($3 * 256 + $4 - 14) / 28 }')
[[ $rows == "$(wc -l <<<"$lines")" ]] || fail "the sheet has $rows rows"
cp sheet.png two.png
"$deepfield" palettes all.ugr -o two.png -o too.png --force >/dev/null
cmp two.png too.png || fail "two sheets of the same differ"
(($(od -An -tu1 -j 23 -N 1 two.png) == 2 * 28 + 14)) || fail "a sheet of two"

# Converted; test_palette_kinds holds what comes back against what went.
"$deepfield" palettes 'all.ugr:Two words' -o fire.csv -o fire.ggr >/dev/null
[[ $(head -n 2 fire.ggr) == $'GIMP Gradient\nName: Fire' ]] || fail "$(head -n 2 fire.ggr)"
render fire.csv second.png
render fire.ggr third.png
