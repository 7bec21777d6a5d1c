#!/usr/bin/env bash
# Has a region the counts, numbers and colours that the whole picture has there, shallow and deep, whatever
# its samples, on any ranks and in strips? Does it go on after a kill?
# usage: region.sh DEEPFIELD SCRATCH SAME_PIXELS
# shellcheck disable=SC2154 # program.sh assigns them
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
export DEEPFIELD_SAMPLES=1 # what is not about samples
set +eo pipefail # codes are looked at one by one
same_pixels=$3

# crops REGION WORDS...: the region against the whole picture of these words
crops() {
    local region=$1 x y
    shift
    IFS=, read -r x y _ <<<"$region"
    rm -f w.* p.*
    ends 0 "" render "$@" --size 200x150 --quiet -o w.png -o w.npy
    ends 0 "" render "$@" --size 200x150 --quiet -o p.png -o p.npy --region "$region" --ranks 3 --oversubscribe
    for file in p.*.npy p.png; do
        "$same_pixels" "w${file#p}" "$file" "$x" "$y" >message || complain "$region of $*: $file"
    done
}

crops 50,35,60x45 seahorse
crops 0,0,1x1 seahorse --bits 16
crops 199,149,1x1 rosettes --samples 4
crops 37,41,100x66 rosettes --samples auto
crops 13,10,101x77 published/kf-1e14 --samples 5
crops 11,13,150x125 seahorse --samples auto --memory 0.0625 --rotation 30 --mirror --planes count,fraction,distance,phase
crops 75,50,50x50 whole-set --interior distance --planes count,fraction,period,inside
crops 75,50,50x50 formulas:burning-ship-miniship --stretch 2@30
crops 2,3,5x4 seahorse --density 2

# ---- narrow pictures, whose regions are cut out of all of it ----
rm -f w.* p.*
ends 0 "" render seahorse --size 7x300 --quiet -o w.png
ends 0 "" render seahorse --size 7x300 --quiet -o p.png --region 1,200,5x50
"$same_pixels" w.png p.png 1 200 >message || complain "narrow"

# ---- in strips, and after a kill ----
large=(whole-set --size 2000x2000 --quiet --memory 0.0625 --samples 4 --limit 300)
rm -f w.* p.*
ends 0 "" render "${large[@]}" -o w.png
mkdir killed
# shellcheck disable=SC2054
region=(--region 601,303,900x1307 --set output.journal=0.001)
kill_keeping killed/p.png "$deepfield" render "${large[@]}" "${region[@]}" --threads 1 -o p.png
ends 0 "" resume killed/p.png
"$same_pixels" w.png killed/p.png 601 303 >message || complain "after a kill"
ends 0 "" render "${large[@]}" "${region[@]}" -o p.png
cmp -s p.png killed/p.png || complain "other bytes after a kill"

# ---- its view: the same again, and colours anew ----
ends 0 "" render rosettes --size 400x300 --quiet --samples 1 --region 37,41,200x133 -o a.png -o a.npy -o a.exr
ends 0 "" render a.png --quiet -o b.png
cmp -s a.png b.png || complain "the view in a region is not that of the region"
ends 0 "" colour a.npy -o c.png
"$same_pixels" a.png c.png >message || complain "coloured anew"
ends 0 "" render rosettes --samples 1 --size 400x300 --quiet -f -o w.png
ends 0 "" render a.png --quiet --region '' -o all.png
"$same_pixels" w.png all.png >message || complain "all of it, from the view of a region"
grep -q '"centre_pixel":\[162.5,108.5\]' <(tr -d ' \n' <a.planes.json) || complain "which point a pixel is: $(<a.planes.json)"
ends 78 "the region of a file is of its own size" render a.png --quiet --size 800x600 -o d.png
for wrong in 400,0,1x1 0,0,401x1 0,0,0x1 -1,0,1x1 1,2,3 0,0,1x1x 9999999999,0,1x1; do
    ends 78 "a region is X,Y,WxH, whole pixels inside the picture of 400x300" render seahorse --size 400x300 --region="$wrong" -o d.png
done
ends 0 '"region":[37,41,200,133]' render rosettes --size 400x300 --region 37,41,200x133 -o e.png --dry-run --json --quiet
verdict
