#!/usr/bin/env bash
# What tests/gpu.sh does where there is no GPU, where the build fails, and with words it does not know.
# usage: gpu_script.sh GPU_SH BUILD SCRATCH
#   BUILD  where app/deepfield is
set -euo pipefail
script=$1 build=$2 scratch=$3
rm -rf -- "$scratch"
mkdir -p -- "$scratch/bin"
cd -- "$scratch"
printf '#!/bin/sh\necho "told: $*"\nexit 3\n' >bin/cmake
chmod +x bin/cmake
export CUDA_VISIBLE_DEVICES='' # also where there are GPUs
failures=0

# expect CODE WORDS OPTIONS...: WORDS are said, or in the results.
expect() {
    local want=$1 words=$2 code=0
    shift 2
    rm -f -- results
    PATH=$scratch/bin:$PATH "$script" -o results "$@" >said 2>&1 </dev/null || code=$?
    touch results
    if [[ $code != "$want" ]] || ! grep -qF -- "$words" said results; then
        printf '%s: code %s, wanted %s with "%s"; it said:\n' "$*" "$code" "$want" "$words"
        cat said results
        failures=$((failures + 1))
    fi
}

expect 64 "usage: tests/gpu.sh" -x
expect 64 "usage: tests/gpu.sh" -s tests,benches
expect 64 "usage: tests/gpu.sh" word
expect 77 "backend 'cuda'" -b "$build" -s tests,bench,sanitizer
expect 1 "there is no $scratch/none/app/deepfield" -b "$scratch/none" -s tests
expect 1 "-D DEEPFIELD_CUDA=ON -D ONE=a b -D TWO=2" -D "ONE=a b" -D TWO=2
expect 1 "build                              FAILED: code 3" -b "$build" # not what is left there
echo "$failures failures"
((failures == 0))
