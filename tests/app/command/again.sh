#!/usr/bin/env bash
# Is the view inside a picture the whole view? A picture made from a picture is the same file, also
# when the centre has 60,000 digits.
# usage: again.sh DEEPFIELD SCRATCH
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"

digits=$(printf '%06d' {100000..109999}) # 60,000 of them
printf '# credit: A. Finder\nre = -0.743643%s\nim = 0.1318%s\nzoom = 3e4\niterations = 700\n' \
    "$digits" "$digits" >long.txt

# again VIEW OPTIONS...: renders VIEW, then the picture, then the picture of the picture.
again() {
    rm -f -- ./*.png
    "$deepfield" render "$@" --size 97x61 --quiet -o one.png >/dev/null
    "$deepfield" render one.png --quiet -o two.png >/dev/null
    cmp one.png two.png
}

again seahorse
again elephant --palette ice --interior '#204060' --density 0.7 --offset 0.25 --bits 16 \
    --bailout 100 --limit 321 --set view.rotation=33.5 --set view.title='semicolon ; and # mark'
again whole-set --precision fp32 --planes count --accuracy 1e-3
again julia-seahorse
again seahorse --formula julia --julia -0.123456789012345678,7.45e-1
again julia-seahorse --formula mandelbrot
again long.txt

facts=$("$deepfield" info one.png)
[[ $facts == *'(60006 digits)'* && $facts == *'A. Finder'* ]]
# Settings read back from the settings that were printed are the same settings.
"$deepfield" render one.png --print-config | grep -v '^;' >printed.ini
"$deepfield" render one.png --config printed.ini --print-config | grep -v '^;' | cmp - printed.ini
# Two formats at once, and the paths on stdout.
paths=$("$deepfield" render one.png --quiet -o three.png -o three.npy)
[[ $paths == $'three.png\nthree.count.npy\nthree.fraction.npy\nthree.planes.json' ]]
cmp one.png three.png
# Of a picture larger than the memory only the head is read (the rest of this file is a hole).
cp one.png huge.png
truncate -s 100G huge.png
cmp <("$deepfield" info huge.png) <("$deepfield" info one.png | sed 's/one/huge/')
