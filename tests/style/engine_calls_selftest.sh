#!/usr/bin/env bash
# Does engine_calls.sh see what it has to see? Plants calls in a tree of its own.
# usage: engine_calls_selftest.sh FOLDER SCRATCH COMPILER
set -euo pipefail
here=$1 scratch=$2 compiler=$3
rm -rf -- "$scratch"
mkdir -p -- "$scratch"/root/{tests/style,app/bench,app/command,render,library} \
    "$scratch"/build/{kernels,decomposition}
cp -- "$here/layering.cmake" "$scratch/root/tests/style/"

# source_add FILE TEXT: a file of the tree, and its object where a build has it.
source_add() {
    local folder=${1%%/*} object
    object=$scratch/build/$folder/CMakeFiles/deepfield_$folder.dir/${1#*/}.o
    mkdir -p -- "${object%/*}"
    printf '%s\n' "$2" >"$scratch/root/$1"
    "$compiler" -c -o "$object" "$scratch/root/$1"
}

# expects CODE TEXT: the test ends so, and says so.
expects() {
    local code=0 said
    said=$("$here/engine_calls.sh" "$scratch/root" "$scratch/build" 2>&1) || code=$?
    if [[ $code != "$1" || $said != *"$2"* ]]; then
        printf 'expected %s and "%s", got %s: %s\n' "$1" "$2" "$code" "$said"
        exit 1
    fi
}

source_add render/a.c 'int engine_call(void) { return 0; }'
source_add library/b.c 'int deepfield_call(void) { return 0; } int engine_call(void); int deeper(void) { return engine_call(); }'
source_add app/bench/c.c 'int engine_call(void); int measure(void) { return engine_call(); }'
source_add app/d.c 'int deepfield_call(void); int keeps(void) { return deepfield_call(); }'
expects 0 '0 functions'
source_add app/command/e.c 'int engine_call(void); int calls(void) { return engine_call(); }'
expects 1 'app/command/e engine_call render/a'
source_add app/command/e.c 'int calls(void) { return 0; }'
expects 0 '0 functions'
printf 'calls are seen\n'
