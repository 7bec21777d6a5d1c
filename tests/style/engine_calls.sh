#!/usr/bin/env bash
# Which modules of app/ call the engine by other ways than include/deepfield/deepfield.h?
# usage: engine_calls.sh ROOT BUILD
#
# tests/style/layering.cmake says what app/ may include, and so call, and whose calls are theirs.
# Includes do not tell all: a header of settings brings those of the engine along.
set -euo pipefail
root=$1 build=$2 scratch=$(mktemp -d)
trap 'rm -r -- "$scratch"' EXIT

# prefixes NAME: the words of a list in layering.cmake, as one regular expression.
prefixes() {
    sed -n "/^set($1 /{:all;/)/!{N;b all};p}" "$root/tests/style/layering.cmake" | tr '\n' ' ' |
        sed "s/set($1 *//; s/ *) *$//; s/[.]h//g; s/  */|/g"
}

# symbols WAY FOLDER...: "SYMBOL MODULE" of the objects below the folders.
symbols() {
    local way=$1
    shift
    (cd -- "$build" && find "$@" -name '*.c.o' -path '*CMakeFiles/deepfield_*' -print0 |
        xargs -0 nm -A -g "$way" -- 2>/dev/null) |
        sed -E 's|CMakeFiles/deepfield_[a-z_]*[.]dir/||; s/[.]c[.]o:/ /' |
        awk '$NF ~ /^[a-z]/ { print $NF, $1 }' | sort -u | while read -r name module; do
        [[ ! -f $root/$module.c ]] || printf '%s %s\n' "$name" "$module" # objects of files that have gone stay
    done
}

symbols --defined-only kernels decomposition render library >"$scratch/engine"
symbols --undefined-only app >"$scratch/app"
join "$scratch/engine" "$scratch/app" | awk -v open="^($(prefixes open_to_app))" \
    -v theirs="^($(prefixes engine_is_theirs))" -v runs="^($(prefixes world_is_theirs))" \
    '$2 !~ open && $3 !~ theirs && !($3 ~ runs && $2 ~ /^decomposition\/world\//) && $1 !~ /^deepfield_/ { print $3, $1, $2 }' | sort >"$scratch/calls"
printf '%d functions and lists of the engine, called by %d modules of app/\n' \
    "$(cut -d' ' -f2 "$scratch/calls" | sort -u | wc -l)" "$(cut -d' ' -f1 "$scratch/calls" | sort -u | wc -l)"

[[ -s $scratch/engine && -s $scratch/app ]] || { printf 'no objects below %s\n' "$build"; exit 1; }
[[ -s $scratch/calls ]] || exit 0
printf 'app/ reaches the engine by include/deepfield/deepfield.h. These call it (module, name, of):\n'
cat -- "$scratch/calls"
exit 1
