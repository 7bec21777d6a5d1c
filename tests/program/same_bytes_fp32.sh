#!/bin/bash
# Counts and fractions of deep pictures in fp32 are the same, byte for byte, for every backend, number of
# threads, tile size, number of ranks, schedule and transport, and where a render was killed and resumed:
# of z^2 + c, of a formula and of a Julia set.
# usage: same_bytes_fp32.sh DEEPFIELD SCRATCH PLACES   with KILLING
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
places=$3/formulas.places

# compare WHAT
compare() {
    local plane
    for plane in count fraction; do
        cmp -s "first.$plane.npy" "other.$plane.npy" || complain "$1: plane $plane differs"
    done
    rm -f other.*.npy other.planes.json
}

# same OPTIONS...: renders with the options and compares with the first picture
same() {
    "$deepfield" render "${view[@]}" -o other.npy "$@" >message 2>&1 || complain "${view[0]} $*"
    compare "${view[0]} $*"
}

# picture VIEW BACKEND-OPTIONS... -- RANK-OPTIONS...
picture() {
    local -a one=()
    rm -f first.*
    view=("$1" --size 85x48 --precision fp32 --planes "count,fraction" --quiet)
    "$deepfield" info "$1" --size 85x48 --precision fp32 --json >plan 2>message || complain "${view[0]}: info"
    [[ $(<plan) == *'"method":"perturbation"'*'"number":"fp32"'* ]] || complain "${view[0]} is not deep in fp32"
    shift
    while [[ $1 != -- ]]; do one+=("$1") && shift; done
    shift
    "$deepfield" render "${view[@]}" -o first.npy --backend scalar --threads 1 >message 2>&1 ||
        fail "${view[0]}"
    for backend in $("$deepfield" devices | awk '$2 == "yes" && $1 != "scalar" { print $1 }'); do
        same --backend "$backend" "${one[@]}"
    done
    same "$@"
    kill_keeping other.npy "$deepfield" render "${view[@]}" -o other.npy --threads 1 --tile 8 \
        --set output.journal=0.001
    "$deepfield" resume other.npy --threads 3 >message 2>&1 || complain "${view[0]}: resume"
    compare "${view[0]}: killed and resumed"
}

picture published/kf-1e14 --threads 3 --tile 17 -- --ranks 3 --schedule dynamic --transport sent --tile 16
picture "$places:ship-fold" --threads 2 --tile 8 -- --ranks 5 --schedule cyclic --transport gatherv --tile 8
picture "$places:julia-1e40" --threads 5 -- --ranks 2 --schedule dynamic --transport staged --forecast on
verdict
