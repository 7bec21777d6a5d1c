#!/usr/bin/env bash
# A build without a preset, as a user or a packager makes it, treats no warning as an error: their compilers
# and MPIs warn of what ours do not.
# usage: user_build.sh PROJECT SCRATCH COMPILER
set -euo pipefail
rm -rf -- "$2"
cmake -G Ninja -S "$1" -B "$2" -D CMAKE_C_COMPILER="$3" -D DEEPFIELD_TESTS=OFF -D DEEPFIELD_CUDA=OFF >"$2.log" 2>&1 ||
    { cat "$2.log"; exit 1; }
grep -q -e '-Wextra' "$2/compile_commands.json"
! grep -m 1 -e '-Werror' "$2/compile_commands.json" || exit 1
