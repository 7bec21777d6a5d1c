#!/usr/bin/env bash
# Is the C code laid out as .clang-format says?
# usage: format.sh ROOT
#
# Only clang-format 14 decides: each version of it lays some lines out differently.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/files.sh"
cd -- "$1"

for tool in clang-format-14 clang-format; do
    if "$tool" --version 2>/dev/null | grep -qE 'version 14\.'; then
        mapfile -t sources < <(ours '*.[ch]' '*.inc' '*.cu')
        if ! found=$("$tool" --dry-run -Werror -- "${sources[@]}" 2>&1); then
            grep -oE '^[^ ]+:[0-9]+:[0-9]+: error' <<<"$found" | sed 's/: error//' | sed -n 1,40p
            printf '\nIn these places, and maybe more. To lay a file out: %s -i FILE\n' "$tool"
            exit 1
        fi
        printf '%d files are in form\n' "${#sources[@]}"
        exit 0
    fi
done
skip "no clang-format 14 here"
