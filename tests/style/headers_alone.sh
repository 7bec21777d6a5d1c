#!/usr/bin/env bash
# Does each header compile alone, and twice?
# usage: headers_alone.sh ROOT COMPILER [OPTION...]
#
# One that is the first thing that a file of the product includes has been compiled alone by the
# build, and twice if it has a guard; the others are compiled here.
#
# A header that is the body of a file, included under macros, says so by an #error when they are
# missing: then that must be what the compiler says first. Where there is no CUDA or no SDL, headers
# that need theirs cannot be compiled at all.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/files.sh"
cd -- "$1"
compiler=("${@:2}" -std=c17 -D_GNU_SOURCE -I. -Wall -Wextra -Wpedantic -Werror
    -Wno-unused-function -fsyntax-only)

compile() {
    local header=$1 options=()
    case $header in
        *avx2* | *f32_x86*) options=(-mavx2 -mfma) ;;
        *avx512*) options=(-mavx512f -mavx512dq -mavx512vl -mfma) ;;
    esac
    printf '#include "%s"\n#include "%s"\nint unit_is_not_empty;\n' "$header" "$header" |
        "${compiler[@]}" "${options[@]}" -x c -
}

first_of_files() { # with -m 1 grep shows the first #include of each
    product | grep '\.c$' | xargs grep -hm 1 '^#include' | sed -n 's/^#include "\(.*\)"$/\1/p' | sort -u
}
mapfile -t guarded < <(product | grep '\.h$' | xargs grep -lE '^#ifndef [A-Z0-9_]+_H$')

failed=0 headers=0
while IFS= read -r header; do
    headers=$((headers + 1))
    if ! said=$(compile "$header" 2>&1) &&
        ! grep -m 1 'error:' <<<"$said" |
            grep -qE 'error: ((#error )?"|.?(cuda_runtime|SDL)\.h)'; then
        printf '%s does not compile alone:\n%s\n' "$header" "$(head -n 8 <<<"$said")"
        failed=1
    fi
done < <(comm -23 <(product | grep '\.h$' | sort) \
    <(comm -12 <(first_of_files) <(printf '%s\n' "${guarded[@]}" | sort)))
printf '%d headers, and the others by the build\n' "$headers"
((headers)) && exit "$failed"
