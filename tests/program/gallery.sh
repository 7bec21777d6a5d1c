#!/usr/bin/env bash
# The commands of the gallery are ones that the program takes, and there are twelve of them.
# usage: gallery.sh DEEPFIELD ROOT
set -euo pipefail
deepfield=$1
root=$2
cd -- "$root"
export XDG_CONFIG_HOME=$root/none
count=0 failures=0
while read -r program words; do
    [[ $program == deepfield ]] || continue
    count=$((count + 1))
    read -ra words <<<"$words"
    code=0
    said=$("$deepfield" "${words[@]}" --dry-run --quiet 2>&1) || code=$?
    if ((code != 0)) || [[ $said != *"would write:"*"${words[-1]}" ]]; then
        printf 'FAILED: %s\n%s\n' "${words[*]}" "$said"
        failures=$((failures + 1))
    fi
done <assets/gallery/gallery.md
((count == 12)) || { echo "FAILED: $count commands, not 12" && exit 1; }
((failures == 0))
