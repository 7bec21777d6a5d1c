#!/usr/bin/env bash
# Does a build without SDL have all that the program calls of the window once the viewer is left out,
# and does it say how to get one?
# usage: window_none.sh APP_ARCHIVE OBJECT...
set -euo pipefail
archive=$1
shift
defined=$(nm --defined-only -- "$@" | awk '$2 == "T" { print $3 }')
called=$(nm -A --undefined-only -- "$archive" |
    grep -vE ':(viewer|viewer_[a-z]*|page_[a-z]*|ui|overlay_[a-z]*|hud)\.c\.o:' |
    awk '{ print $NF }' | grep -E '^(window|paint|viewer_run)' | sort -u)
failed=0
for function in $called; do
    grep -qx -- "$function" <<<"$defined" ||
        { echo "$function is missing"; failed=1; }
done
[[ $called == *viewer_run* && $called == *paint_fonts_open* ]] || { echo "calls only: $called"; failed=1; }
grep -aq 'DEEPFIELD_WINDOW=ON' -- "$@" || { echo "it does not say how to get one"; failed=1; }
exit "$failed"
