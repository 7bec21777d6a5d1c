#!/usr/bin/env bash
# Does libOpenEXR read from an .exr what the .npy files of the same picture hold?
# usage: exr_readback.sh DEEPFIELD SOURCE SCRATCH
set -euo pipefail
deepfield=$1
source=$2
scratch=$3
rm -rf -- "$scratch"
mkdir -p -- "$scratch"
cd -- "$scratch"
skip() {
    echo "skipped: $*"
    exit 77
}
command -v c++ >/dev/null || skip "no c++"
read -ra flags < <(pkg-config --cflags --libs OpenEXR 2>/dev/null) || skip "pkg-config knows no OpenEXR"
# Of the library, not of ours: neither its warnings nor a sanitizer.
c++ -O1 -w "$source" "${flags[@]}" -o readback || skip "the headers of libOpenEXR are not there"
for size in 1x1 3x16 97x61; do
    "$deepfield" render seahorse --size "$size" --planes 'count,fraction,distance,phase,stripe,triangle,trap_point,trap_cross,trap_circle,period,inside' --quiet \
        -o "$size.exr" -o "$size.npy" >/dev/null
    ./readback "$size.exr" "$size.npy"
done
