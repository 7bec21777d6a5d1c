#!/usr/bin/env bash
# Everything that needs a GPU, in one command: builds, runs the tests labelled gpu, the benchmarks, and
# every kernel under compute-sanitizer, and leaves one file of results.
# usage: tests/gpu.sh [-o RESULTS] [-b BUILD] [-s STEPS] [-D NAME=VALUE]...
#   RESULTS  gpu-results.txt
#   BUILD    folder to build in; a temporary one is made, and removed, without it
#   STEPS    some of build,tests,bench,sanitizer; all without it
#   NAME     a variable of CMake, such as CMAKE_CUDA_ARCHITECTURES
# Exit code: 0 if all that ran passed, 1 if something failed, 77 where there is no GPU. After the build
# it takes two to four minutes, and ends after eight whatever happens.
set -euo pipefail

root=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
results=gpu-results.txt build='' steps=build,tests,bench,sanitizer variables=()

usage() {
    sed -n '4,10s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 64
}

while getopts o:b:s:D: option; do
    case $option in
        o) results=$OPTARG ;;
        b) build=$OPTARG ;;
        s) steps=$OPTARG ;;
        D) variables+=(-D "$OPTARG") ;;
        *) usage ;;
    esac
done
((OPTIND > $#)) || usage
for step in ${steps//,/ }; do
    [[ ,build,tests,bench,sanitizer, == *,"$step",* ]] || usage
done

scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
build=${build:-$scratch/build}
export PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HWLOC_COMPONENTS=-gl,-opencl
failures=0 deadline=0
LONGEST=470 # seconds, without the build

wanted() {
    [[ ,$steps, == *,"$1",* ]]
}

# record NAME SECONDS COMMAND...: runs it; one line of summary, and all it said.
record() {
    local name=$1 seconds=$2 code=0 began=$SECONDS verdict
    shift 2
    ((deadline == 0 || began + seconds <= deadline)) || seconds=$((deadline - began))
    ((seconds > 0)) || seconds=1 # no time is left: it is to be seen in the summary
    printf '== %s\n' "$name"
    timeout -k 10 "$seconds" "$@" >"$scratch/said" 2>&1 </dev/null || code=$?
    case $code in
        0) verdict=passed ;;
        77) verdict='NOT RUN' ;;
        124 | 137) verdict="FAILED: longer than $seconds s" failures=$((failures + 1)) ;;
        *) verdict="FAILED: code $code" failures=$((failures + 1)) ;;
    esac
    printf '%-34s %s, %d s\n' "$name" "$verdict" $((SECONDS - began)) | tee -a "$scratch/summary"
    { printf '\n---- %s\n$ %s\n' "$name" "$*"; cat "$scratch/said"; } >>"$scratch/details"
}

configure_and_build() {
    local generator=()
    ! command -v ninja >/dev/null || generator=(-G Ninja)
    cmake -S "$root" -B "$build" "${generator[@]}" -D CMAKE_BUILD_TYPE=Release -D DEEPFIELD_CUDA=ON \
        "$@" && cmake --build "$build" --parallel "$(nproc)"
}

# compute-sanitizer's tools over small tiles that touch every kernel.
sanitize() {
    command -v compute-sanitizer >/dev/null || { echo "there is no compute-sanitizer"; return 77; }
    compute-sanitizer --error-exitcode 9 --print-limit 20 "$@" "$build/tests/kernels/test_gpu" tour
}

# With a GPU there, a test that is skipped is none that passed. Cases within a test that want a second
# GPU are named.
gpu_tests() {
    ctest --test-dir "$build" -L gpu -LE long --output-on-failure --no-tests=error | tee "$scratch/ctest" || return
    grep -oE '\[ +SKIPPED +\] [a-z].*' "$build/Testing/Temporary/LastTest.log" | sort -u || true
    ! grep -F '***Skipped' "$scratch/ctest"
}

machine() {
    printf 'deepfield on GPUs, %s\ncommit    %s\nmachine   %s, %s cores\n' "$(date -u '+%F %T UTC')" \
        "$(git -c safe.directory='*' -C "$root" describe --always --dirty 2>/dev/null ||
            echo 'unknown: not a git checkout')" \
        "$(uname -sr)" "$(nproc)"
    nvidia-smi --query-gpu=index,name,pci.bus_id,memory.total,driver_version --format=csv,noheader \
        2>/dev/null | sed 's/^/gpu       /' || true
    nvcc --version 2>/dev/null | sed -n 's/^.*release/nvcc      release/p' || true
}

write_results() {
    {
        machine
        printf '\n'
        cat -- "$scratch/summary"
        cat -- "$scratch/details"
    } >"$results"
    printf '%s\n' "$results"
}

export -f sanitize configure_and_build gpu_tests
export root build scratch
: >"$scratch/summary"
: >"$scratch/details"

! wanted build || record "build" 1200 bash -c 'configure_and_build "$@"' build "${variables[@]}"
deepfield=$build/app/deepfield
if [[ ! -x $deepfield ]] || ((failures > 0)); then # what an earlier build left is not to be tested
    wanted build || printf "there is no %s: without the step build, -b must name an earlier build\n" \
        "$deepfield" >&2
    write_results
    exit 1
fi
deadline=$((SECONDS + LONGEST))
if ! "$deepfield" devices --backend cuda >/dev/null 2>"$scratch/why"; then
    cat -- "$scratch/why" >&2
    exit 77
fi
record "devices" 60 "$deepfield" devices
gpus=$("$deepfield" devices --json --backend cuda | grep -o '"rank":' | wc -l)
if wanted tests; then
    record "tests labelled gpu" 600 bash -o pipefail -c gpu_tests
fi
if wanted bench; then
    record "bench direct" 60 "$deepfield" bench direct --backend cuda
    record "bench deep" 60 "$deepfield" bench deep --backend cuda
    for suite in transport scaling; do
        record "bench $suite, one process" 60 "$deepfield" bench "$suite"
        ((gpus < 2)) || record "bench $suite, $((gpus + 1)) ranks" 60 \
            "$deepfield" bench "$suite" --ranks $((gpus + 1))
    done
fi
if wanted sanitizer; then
    record "memcheck" 240 bash -c 'sanitize --tool memcheck --leak-check full'
    record "racecheck" 240 bash -c 'sanitize --tool racecheck'
    record "initcheck" 240 bash -c 'sanitize --tool initcheck'
    record "synccheck" 240 bash -c 'sanitize --tool synccheck'
fi
write_results
((failures == 0))
