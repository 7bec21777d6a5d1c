#!/usr/bin/env bash
# Does the window of a build without SDL define all that the headers promise, and say how to get one?
# usage: window_none.sh ROOT OBJECT...
set -euo pipefail
root=$1
shift
cd -- "$root/render/window"
mapfile -t promised < <(sed 's|/\*.*\*/||; /\/\*/,/\*\//d' window.h paint.h |
    grep -oE '\b(window|paint)_[a-z_]+\(' | tr -d '(' | sort -u)
((${#promised[@]} > 30)) || { echo "only ${#promised[@]} functions found in the headers"; exit 1; }

failed=0
defined=$(nm --defined-only -- "$@" | awk '$2 == "T" { print $3 }')
for function in "${promised[@]}"; do
    grep -qx -- "$function" <<<"$defined" || { echo "$function is missing"; failed=1; }
done
grep -aq 'DEEPFIELD_WINDOW=ON' -- "$@" || { echo "it does not say how to get one"; failed=1; }
printf '%d functions\n' "${#promised[@]}"
exit "$failed"
