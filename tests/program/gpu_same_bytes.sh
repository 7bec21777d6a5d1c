#!/usr/bin/env bash
# The program on the GPU, alone and by ranks that share what GPUs there are: the checksums of its
# planes are those of the CPU. (All views: all_views.) A start of the program with several GPUs takes
# seconds, so each place meets one number of ranks; with DEEPFIELD_LONG=1 it meets all.
# usage: gpu_same_bytes.sh DEEPFIELD SCRATCH
set -euo pipefail
deepfield=$1 scratch=$2
mkdir -p "$scratch"
cd "$scratch"

grep -qE '^ +cuda +yes' <<<"$("$deepfield" devices)" || { echo "skipped: no GPU"; exit 77; }
cpu=$("$deepfield" devices | awk '$2 == "yes" && $1 != "cuda" { print $1; exit }')

# checksums BACKEND VIEW OPTIONS...: those of the planes, if that backend computed them.
checksums() {
    local json
    json=$("$deepfield" render "$2" --size 640x360 --backend "$1" --json --quiet --force \
        -o picture.npy "${@:3}" 2>error.log) || { printf 'failed: %s\n' "$(tail -n 1 error.log)"; return; }
    [[ $json == *"\"backend\":\"$1\""* ]] || { printf 'not computed by %s\n' "$1"; return; }
    grep -oE '"checksums":\{[^}]*\}' <<<"$json"
}

runs=0 failures=0
# same LABEL WANT OPTIONS...
same() {
    local label=$1 want=$2 got
    shift 2
    runs=$((runs + 1))
    got=$(checksums cuda "$@")
    if [[ $got != "$want" ]]; then
        printf '%s: %s\n   on the CPU: %s\n' "$label" "$got" "$want"
        failures=$((failures + 1))
    fi
}

place=0
# meets K N: does this place meet the K-th of N ways?
meets() {
    [[ ${DEEPFIELD_LONG-} ]] || (((place - 1) % $2 + 1 == $1))
}

want=$(checksums "$cpu" rosettes --accuracy 0.05)
[[ $want == *count*fraction* ]] || { printf 'on the CPU: %s\n' "$want"; exit 1; }
same "one process" "$want" rosettes --accuracy 0.05
same "GPU 0 alone" "$want" rosettes --accuracy 0.05 --devices 0
same "two ranks" "$want" rosettes --accuracy 0.05 --ranks 2 --tile 128
same "five ranks on GPU 0" "$want" rosettes --accuracy 0.05 --ranks 5 --devices 0 --tile 64
want=$(checksums "$cpu" whole-set --precision fp32 --accuracy 0.05)
same "fp32" "$want" whole-set --precision fp32 --accuracy 0.05
want=$(checksums "$cpu" whole-set --precision ds --accuracy 0.05)
same "ds" "$want" whole-set --precision ds --accuracy 0.05
for c in -0.123,0.745 0.25,0 0.4,0.6; do # Julia sets: with an inside, slow, dust
    place=$((place + 1))
    julia=(julia-seahorse --julia "$c" --limit 5000)
    want=$(checksums "$cpu" "${julia[@]}")
    [[ $want == *count*fraction* ]] || { printf 'julia %s on the CPU: %s\n' "$c" "$want"; exit 1; }
    same "julia $c" "$want" "${julia[@]}"
    ! meets 1 2 || same "julia $c, two ranks" "$want" "${julia[@]}" --ranks 2 --tile 128
    meets 2 2 || continue
    want=$(checksums "$cpu" "${julia[@]}" --precision fp32)
    same "julia $c, fp32" "$want" "${julia[@]}" --precision fp32
done
for view in seahorse whole-set julia-seahorse; do # distances and phases by direct iteration
    planes=("$view" --precision fp64 --planes "count,fraction,distance,phase")
    want=$(checksums "$cpu" "${planes[@]}")
    [[ $want == *distance_x*phase* ]] || { printf '%s on the CPU: %s\n' "$view" "$want"; exit 1; }
    same "planes of $view" "$want" "${planes[@]}"
    same "planes of $view, two ranks" "$want" "${planes[@]}" --ranks 2 --tile 128
done
for zoom in 1e14 1e60 1e290 1e600; do # by perturbation, about a Misiurewicz point
    place=$((place + 1))
    printf '%s\n' '[view]' 're = 0' 'im = 1' "zoom = $zoom" 'limit = 20000' >deep.ini
    want=$(checksums "$cpu" deep.ini --exact)
    [[ $want == *count*fraction* ]] || { printf 'zoom %s on the CPU: %s\n' "$zoom" "$want"; exit 1; }
    same "zoom $zoom" "$want" deep.ini --exact
    ! meets 1 3 || same "zoom $zoom, two ranks" "$want" deep.ini --exact --ranks 2 --tile 128
    ! meets 2 3 || same "zoom $zoom, five ranks on GPU 0" "$want" deep.ini --exact --ranks 5 --devices 0 --tile 64
    ! meets 3 3 || same "zoom $zoom, MPI_Gatherv" "$want" deep.ini --exact --ranks 3 --transport gatherv
done
distances=(deep.ini --exact --planes "count,fraction,distance,phase")
want=$(checksums "$cpu" "${distances[@]}")
[[ $want == *distance* ]] || { printf 'distances on the CPU: %s\n' "$want"; exit 1; }
same "distances" "$want" "${distances[@]}"
same "distances, two ranks" "$want" "${distances[@]}" --ranks 2 --tile 128
want=$(checksums "$cpu" deep.ini --exact)
# Rank 1 has a CPU, rank 2 a GPU.
render=("$deepfield" render deep.ini --exact --size 640x360 --tile 64 --json --quiet --force -o picture.npy)
got=$(mpirun -n 1 "${render[@]}" : \
    -n 1 env CUDA_VISIBLE_DEVICES= "${render[@]}" : -n 1 "${render[@]}" 2>error.log |
    grep -oE '"checksums":\{[^}]*\}' || tail -n 1 error.log)
runs=$((runs + 1))
if [[ $got != "$want" ]]; then
    printf 'a CPU beside a GPU: %s\n   on the CPU: %s\n' "$got" "$want"
    failures=$((failures + 1))
fi
# file NAME COMMAND...: the sum of what it writes there.
file() {
    if "$deepfield" "${@:2}" --quiet --force -o "$1" >file.log 2>&1; then
        sha256sum <"$1"
    else
        tail -n 1 file.log
    fi
}
# same_file LABEL NAME COMMAND...: the processor's, whoever computes.
same_file() {
    local want got options words
    want=$(file "${@:2}" --backend "$cpu")
    for options in "--backend cuda" "--backend cuda --transport local" "--backend cuda --ranks 2"; do
        read -ra words <<<"$options"
        got=$(file "${@:2}" "${words[@]}")
        runs=$((runs + 1))
        if [[ $got != "$want" ]]; then
            printf '%s, %s: %s\n   on the CPU: %s\n' "$1" "$options" "$got" "$want"
            failures=$((failures + 1))
        fi
    done
}
same_file "a film" film.y4m film seahorse --to 1e4 --seconds 0.5 --fps 20 --size 160x90 \
    --method frames --samples 4
same_file "a picture of automatic samples" still.png render seahorse --size 320x180 --samples auto
echo "$runs runs on the GPU, $failures failures"
((failures == 0))
