#!/usr/bin/env bash
# A picture in parts: are the files that are made of them those of one run, byte for byte, whoever made the
# parts and in which order? Are parts that are missing, damaged, or of another picture told?
# usage: parts.sh DEEPFIELD SCRATCH
# shellcheck disable=SC2154 # program.sh assigns them
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
set +eo pipefail # codes are looked at one by one

# joins WORDS...: four parts, one of them by three ranks, against one run
joins() {
    rm -rf whole parts
    mkdir whole parts
    ends 0 "" render "$@" --quiet -o whole/x.png -o whole/x.npy -o whole/x.exr -o whole/x.tif -o whole/x.jpg -o whole/x.webp -o whole/x.dzi
    local outs=(-o parts/x.png -o parts/x.npy -o parts/x.exr -o parts/x.tif -o parts/x.jpg -o parts/x.webp -o parts/x.dzi) part
    for part in 3 1 4; do ends 0 "parts/x.png.part-$part-of-4.rows" render "$@" --quiet "${outs[@]}" --part $part/4; done
    ends 66 "parts of it are missing: 2; make each with --part K/4" render "$@" --quiet "${outs[@]}"
    ends 0 "" render "$@" --quiet "${outs[@]}" --part 2/4 --ranks 3 --oversubscribe
    ends 0 "parts/x.dzi" render "$@" --quiet "${outs[@]}"
    same_folders whole parts "the parts of $*"
}

joins seahorse --size 200x151
joins rosettes --size 120x91 --samples auto
joins published/kf-1e14 --size 100x71 --samples 4 --region 10,11,75x57
joins whole-set --size 64x48 --limit 5000000000 --interior period --planes count,fraction,period,inside --bits 16

# ---- one is killed, and goes on; one that is complete is left alone ----
picture=(rosettes --size 500x400 --quiet --set output.journal=0.001)
rm -rf whole parts && mkdir whole parts
ends 0 "" render "${picture[@]}" -o whole/x.png
kill_keeping parts/x.png.part-1-of-2.rows "$deepfield" render "${picture[@]}" --threads 1 -o x.png --part 1/2
ends 0 "goes on from parts/x.png.part-1-of-2.rows.deepfield" render "${picture[@]}" --set output.quiet=0 -o parts/x.png --part 1/2
ends 0 "" render "${picture[@]}" -o parts/x.png --part 2/2
before=$(stat -c '%i %Y' parts/x.png.part-2-of-2.rows)
ends 0 '"already_complete":true' render "${picture[@]}" -o parts/x.png --part 2/2 --json
[[ $(stat -c '%i %Y' parts/x.png.part-2-of-2.rows) == "$before" ]] || complain "a complete part was made again"
cp -a parts kept
ends 0 '"already_complete":false' render "${picture[@]}" -o parts/x.png --json
same_folders whole parts "after a kill"


# ---- the files are complete, but a kill has left parts: the same command removes them ----
cp kept/x.png.part-2-of-2.rows parts/
ends 0 '"already_complete":true' render "${picture[@]}" -o parts/x.png --json
same_folders whole parts "after a kill while parts were removed"
cp kept/x.png.part-2-of-2.rows parts/
ends 66 "parts of it are missing: 1" render "${picture[@]}" --limit 77 -o parts/x.png
[[ -e parts/x.png.part-2-of-2.rows ]] || complain "a part beside another picture was removed"

# ---- the light of samples holds the relief: automatic relief is not that of a part ----
deep=(published/kf-1e14 --size 60x40 --samples 4 --quiet -o kept/deep.png)
ends 0 "" render "${deep[@]}" --part 1/2 --relief 0.9
ends 0 "" render "${deep[@]}" --part 2/2
ends 65 "it has look.relief = '0.9', this one '0.5'; make it again, by the same command with --part and --force" render "${deep[@]}"
ends 0 "" render "${deep[@]}" --part 1/2 --force
ends 0 "" render "${deep[@]}"

# ---- and it holds the palette, whose file may have changed under its name ----
printf '255 0 0\n0 0 255\n' >colours.map
mapped=(seahorse --size 60x40 --samples 4 --quiet -o kept/mapped.png --palette colours.map)
ends 0 "" render "${mapped[@]}" --part 1/2
printf '0 255 0\n0 0 255\n' >colours.map
ends 0 "" render "${mapped[@]}" --part 2/2
ends 65 "part 1 of 2 of kept/mapped.png has the colours of another palette; make it again" render "${mapped[@]}"
ends 0 "" render "${mapped[@]}" --part 1/2 --force
ends 0 "" render "${mapped[@]}"

# ---- parts that are not those of the picture ----
ends 73 "holds another picture: it has view.limit = '50000', this one '77'; --force replaces it" \
    render "${picture[@]}" --limit 77 -o kept/x.png --part 2/2
ends 65 "part 1 of 2 holds another picture: it has view.limit" render "${picture[@]}" --limit 77 -o kept/x.png
ends 65 "is of another picture, or of other files" render "${picture[@]}" -o kept/x.png --samples 1
ends 0 "" render "${picture[@]}" -o kept/x.png --part 1/3
ends 78 "there are parts of" render "${picture[@]}" -o kept/x.png
rm kept/x.png.part-1-of-3.rows
cp kept/x.png.part-1-of-2.rows good
printf '\377' | dd of=kept/x.png.part-1-of-2.rows bs=1 seek=10000 conv=notrunc status=none
ends 65 "part-1-of-2.rows: its rows are damaged; make this part again, with --force" render "${picture[@]}" -o kept/x.png
for bytes in 0 10 30 5000; do
    head -c $bytes good >kept/x.png.part-1-of-2.rows
    ends 65 "make this part again" render "${picture[@]}" -o kept/x.png
done
for byte in 0 8 12 16 20 24 28; do # each member of its head
    cp good kept/x.png.part-1-of-2.rows
    printf '\377\377\377\377' | dd of=kept/x.png.part-1-of-2.rows bs=1 seek=$byte conv=notrunc status=none
    ends 65 "part" render "${picture[@]}" -o kept/x.png
done
[[ -e kept/x.png.part-2-of-2.rows && ! -e kept/x.png ]] || complain "a join that failed: $(ls kept)"
ends 78 "the picture has only 2 rows" render seahorse --size 20x2 -o few.png --part 1/3
ends 64 "-o few.rows: a .rows file is what --part K/N writes beside the picture" render seahorse --size 20x8 -o few.rows
ends 64 "must be K/N" render seahorse --size 20x2 -o few.png --part 0/3
verdict
