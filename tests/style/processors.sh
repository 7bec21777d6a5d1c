#!/usr/bin/env bash
# Big-endian and 32-bit processors are refused when the build is configured, each with a sentence.
# usage: processors.sh PROJECT SCRATCH COMPILER
set -euo pipefail
project=$1 scratch=$2 compiler=$3
failures=0
rm -rf -- "$scratch"
mkdir -p "$scratch"

# refused NAME BYTE-ORDER BYTES-OF-A-POINTER WORDS: by a toolchain file that says so.
refused() {
    cat >"$scratch/$1.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $1)
set(CMAKE_C_COMPILER "$compiler")
set(CMAKE_C_COMPILER_WORKS ON)
set(CMAKE_C_ABI_COMPILED ON)
set(CMAKE_C_BYTE_ORDER $2)
set(CMAKE_C_SIZEOF_DATA_PTR $3)
TOOLCHAIN
    if cmake -G Ninja -S "$project" -B "$scratch/$1" --toolchain "$scratch/$1.cmake" >"$scratch/$1.log" 2>&1 ||
        ! tr -s ' \n' ' ' <"$scratch/$1.log" | grep -qF "$4" || grep -q 'Could NOT find' "$scratch/$1.log"; then
        echo "$1: not refused by a sentence first of all"
        cat "$scratch/$1.log"
        failures=$((failures + 1))
    fi
}

refused s390x BIG_ENDIAN 8 "needs a little-endian processor"
refused armv7l LITTLE_ENDIAN 4 "needs a 64-bit system"
((failures == 0))
