#!/usr/bin/env bash
# Does clang take every C file, with its warnings as errors? The presets clang, tsan and fuzz are built
# by it, everything else by gcc.
# usage: clang.sh BUILD CLANG; BUILD has a compile_commands.json
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/files.sh"
command -v "$2" >/dev/null || skip "there is no $2"

# What the build says of each file, from the first option on.
options() {
    sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$1/compile_commands.json" | sed 's/\\\(.\)/\1/g' |
        grep -E '\.c$' | grep -v /third_party/ | sed 's/^[^-]* -/-/; s/ -o .* -c / /'
}

export clang=$2
# shellcheck disable=SC2016 # expanded by the shell that runs each
options "$1" | tr '\n' '\0' | xargs -0 -P 2 -I{} bash -c \
    'eval "\"\$clang\" -fsyntax-only -Wno-unknown-warning-option -Werror $1"' _ {}
files=$(options "$1" | wc -l)
printf '%d files\n' "$files"
((files > 400))
