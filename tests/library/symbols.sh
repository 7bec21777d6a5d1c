#!/usr/bin/env bash
# Does libdeepfield.so export what is recorded, and does the header declare and explain all of that? Programs
# that were built with an older copy find these names with these versions.
# usage: symbols.sh LIBRARY HEADER LIST [--write]
set -euo pipefail
library=$1 header=$2 list=$3
command -v nm >/dev/null || { echo "skipped: there is no nm"; exit 77; }
export LC_ALL=C
failed=0

exported() {
    nm -D --defined-only --with-symbol-versions "$library" | awk '$2 != "A" { print $3 }' | sort
}
if [[ ${4-} == --write ]]; then
    exported >"$list"
    exit
fi

# Name of each function, and whether a comment stands above it or above its group.
declared() {
    awk '
        /^DEEPFIELD_API/ {
            explained = before ~ /\*\/$/ || (before ~ /;$/ && explained)
            text = ""
            open = 1
        }
        open {
            text = text " " $0
            if ($0 ~ /;$/) {
                open = 0
                match(text, /deepfield_[a-z_]+\(/)
                print substr(text, RSTART, RLENGTH - 1), explained ? "explained" : "alone"
            }
        }
        { before = $0 }' "$header" | sort
}

diff <(exported) "$list" || {
    echo "exported (<) and recorded in ${list##*/} (>) differ; after a wanted change: $0 $1 $2 $3 --write"
    failed=1
}
diff <(sed 's/@.*//' "$list") <(declared | sed 's/ .*//') || {
    echo "recorded in ${list##*/} (<) and declared in the header (>) differ"
    failed=1
}
while read -r name explained; do
    [[ $explained == explained ]] || { echo "$name has no comment"; failed=1; }
done < <(declared)
! grep -vE '^deepfield_[a-z_]+@@DEEPFIELD_[0-9.]+$' "$list" || { echo "names of another kind"; failed=1; }

# A window is the program's; a library is looked for by its name, not by a path.
dynamic=$(readelf -dW "$library")
! grep -E 'NEEDED.*(SDL|X11|/)' <<<"$dynamic" || failed=1
grep -q 'SONAME.*\[libdeepfield\.so\.[0-9]*\]' <<<"$dynamic" || { echo "no SONAME"; failed=1; }
printf '%d functions\n' "$(wc -l <"$list")"
exit "$failed"
