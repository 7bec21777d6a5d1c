#!/bin/sh
# Blocks and steps of pixels in fp32 have no arithmetic in fp64, which most GPUs do at 1/32 or 1/64
# of the rate: in the PTX that machine code is made from, and in machine code where there is a
# cuobjdump. late_fp64.sh SOURCE_DIR
set -eu
source=$1
command -v nvcc >/dev/null || {
    echo "skipped: no nvcc"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build() {
    nvcc -std=c++17 -O3 -fmad=false -I "$source" "$@" "$source/tests/kernels/late_probe.cu"
}
# Both print kernels with their numbers of instructions, and of those that compute in fp64.
ptx_counts() {
    awk '/\.entry/ { name = $0; sub(/.*entry /, "", name); sub(/\(.*/, "", name); all = wide = 0 }
         /;/ && !/\.reg|\.param|^\.|^\/\// { all++
             if (/\.f64/ && !/[ \t](ld|st|mov)\./) wide++ }
         /^}/ && name { print name, all, wide; name = "" }' "$1"
}
sass_counts() {
    cuobjdump -sass "$1" | awk '
        /Function :/ { if (name) print name, all, wide; name = $3; all = wide = 0 }
        /^[ \t]+\/\*[0-9a-f]+\*\/ / { all++
            if (/ (DFMA|DADD|DMUL|DSETP|DMNMX)[. ]/ || / [FI]2[FI]\.[^ ]*F64/) wide++ }
        END { print name, all, wide }'
}
judge() { # what, counts; kernels of doubles show that the count sees them
    sed "s/^/$1: /" "$2"
    awk '/late_/ { late++; if ($NF) bad = 1 } /early_/ { if ($NF) seen = 1 }
         END { exit bad || late != 2 || !seen }' "$2" || {
        echo "$1: fp64 in the code of pixels in fp32, or none where there must be"
        exit 1
    }
}
build -arch compute_80 -ptx -o "$folder/ptx"
ptx_counts "$folder/ptx" >"$folder/counts"
judge PTX "$folder/counts"
command -v cuobjdump >/dev/null || exit 0
for arch in 86 89 90 120; do
    build -arch "sm_$arch" -cubin -o "$folder/cubin" 2>"$folder/log" || continue # an older nvcc
    sass_counts "$folder/cubin" >"$folder/counts"
    judge "sm_$arch" "$folder/counts"
done
