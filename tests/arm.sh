#!/usr/bin/env bash
# Is the program for 64-bit ARM that of this machine, to the bit? Builds it by the cross compiler (preset `arm64`)
# and has qemu run it: the checksums of deep places, of every formula and of all number types, on each of its
# backends, and a picture byte for byte; then unit tests of kernels. The first run takes some minutes, most of them
# for the build. Without the tools, or the folder of cmake/arm64_root.sh, it says so and skips (77).
# usage: arm.sh DEEPFIELD
#   DEEPFIELD: the program of this machine. DEEPFIELD_ARM64_ROOT: that folder, if not build/arm64-root.
set -euo pipefail
here=$(readlink -f -- "$1")
cd -- "$(dirname -- "$0")/.."
root=$(readlink -m -- "${DEEPFIELD_ARM64_ROOT:-build/arm64-root}")

skip() {
    echo "skipped: $*"
    exit 77
}

command -v aarch64-linux-gnu-gcc >/dev/null || skip "no aarch64-linux-gnu-gcc"
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || skip "no qemu-aarch64-static"
[[ -d $root/usr ]] || skip "no $root: cmake/arm64_root.sh makes it"
cmake --preset arm64 -D DEEPFIELD_ARM64_ROOT="$root" >/dev/null
cmake --build --preset arm64
there=("$qemu" -L "$root" "$PWD/build/arm64/app/deepfield")
export OMP_WAIT_POLICY=passive # the program would start itself again to set it, which qemu cannot
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

mkdir "$scratch/formulas" "$scratch/nova" "$scratch/here" "$scratch/there"
for name in $("$here" help formulas | awk 'seen && !/^  [a-z]/ { exit } /^  [a-z]/ { seen = 1; print $1 }'); do
    folder=formulas
    [[ $name == julia ]] && continue
    [[ $name != nova* ]] || folder=nova # it has no distances
    printf '[view]\nformula = %s\n' "$name" >"$scratch/$folder/$name.ini"
done
formulas=("$scratch"/formulas/*.ini)
((${#formulas[@]} > 75))

# checksums SIDE WORDS...: of the planes of all pictures, by the program there or here.
checksums() {
    local -n run=$1
    "${run[@]}" render "${@:2}" --json --quiet --force -o "$scratch/$1/{index}.npy" >"$scratch/$1.json" ||
        echo "$1: failed"
    grep -oE '"backend":"[^"]*"|"checksums":\{[^}]*\}' "$scratch/$1.json" || true
}

runs=0 failures=0
# same LABEL WORDS...
same() {
    local label=$1 backend want got
    shift
    want=$(checksums here "$@" --backend cpu | grep checksums)
    [[ $want == *count*fraction* ]] || { printf '%s: %s\n' "$label" "$want"; exit 1; }
    for backend in "${backends[@]}"; do
        runs=$((runs + 1))
        got=$(checksums there "$@" --backend "$backend")
        [[ $(grep backend <<<"$got" | sort -u) == "\"backend\":\"$backend\"" ]] &&
            [[ $(grep checksums <<<"$got") == "$want" ]] && continue
        printf '%s differs on %s\n' "$label" "$backend"
        diff <(printf '%s\n' "$want") <(grep checksums <<<"$got") || true
        failures=$((failures + 1))
    done
}

mapfile -t backends < <("${there[@]}" devices | awk '$2 == "yes" && $1 != "cuda" { print $1 }')
((${#backends[@]}))
planes=(--planes 'count,fraction,distance,phase')
same "deep places" published/kf-1e14 published/kf-1e50 published/kf-5e113 published/kf-5e227 published/kf-4e533 \
    published/kf-1e1086 --size 24x13 "${planes[@]}"
same "deep places in fp32" published/kf-1e50 published/kf-4e533 --size 24x13 --precision fp32
same "formulas" "${formulas[@]}" --size 24x13 --limit 500 "${planes[@]}"
same "nova" "$scratch"/nova/*.ini --size 24x13 --limit 500
same "a formula of its own" --formula 'sqr, add c; absx, absy, sqr, add c' --re -0.5 --im 0 --zoom 0.6 \
    --size 24x13 "${planes[@]}"
same "Julia set" julia-seahorse --size 24x13 "${planes[@]}"
for number in fp32 ds fp64; do
    same "$number" whole-set seahorse --size 48x27 --precision "$number"
done
same "sums and attractors" elephant --size 48x27 \
    --planes count,fraction,stripe,triangle,trap_point,trap_cross,trap_circle,period,inside

"$here" render seahorse --size 96x54 --samples 4 --quiet -o "$scratch/here.png" >/dev/null
"${there[@]}" render seahorse --size 96x54 --samples 4 --quiet -o "$scratch/there.png" >/dev/null
runs=$((runs + 1))
cmp "$scratch/here.png" "$scratch/there.png" || failures=$((failures + 1))
printf '%d comparisons on %s, %d differ\n' "$runs" "${backends[*]}" "$failures"
ctest --preset arm64 --output-on-failure || failures=$((failures + 1))
((failures == 0))
