#!/usr/bin/env bash
# Does each header compile alone, and twice?
# usage: headers_alone.sh ROOT COMPILER [OPTION...]
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/files.sh"
cd -- "$1"
compiler=("${@:2}" -std=c17 -D_GNU_SOURCE -I. -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c -)

failed=0 headers=0
while IFS= read -r header; do
    headers=$((headers + 1))
    if ! printf '#include "%s"\n#include "%s"\nint unit_is_not_empty;\n' "$header" "$header" |
        "${compiler[@]}"; then
        printf '%s does not compile alone\n' "$header"
        failed=1
    fi
done < <(product | grep '\.h$')
printf '%d headers\n' "$headers"
((headers)) && exit "$failed"
