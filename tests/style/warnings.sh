#!/usr/bin/env bash
# Does another compiler, or another level of optimisation, take every C file with warnings as errors? The
# presets clang, tsan and fuzz are built by clang, everything else by gcc with -O3 or -g; users have others,
# and gcc sees other things at each level.
# usage: warnings.sh BUILD COMPILER OPTION...; BUILD has a compile_commands.json
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/files.sh"
build=$1
shift
command -v "$1" >/dev/null || skip "there is no $1"

# What the build says of each file, from the first option on.
options() {
    sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$build/compile_commands.json" | sed 's/\\\(.\)/\1/g' |
        grep -E '\.c$' | grep -v /third_party/ | sed 's/^[^-]* -/-/; s/ -o .* -c / /'
}

export command="$* -Werror"
# shellcheck disable=SC2016 # expanded by the shell that runs each
options | tr '\n' '\0' | xargs -0 -P 2 -I{} bash -c 'eval "${command%% *} $1 ${command#* }"' _ {}
files=$(options | wc -l)
printf '%d files\n' "$files"
((files > 400))
