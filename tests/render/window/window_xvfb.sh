#!/usr/bin/env bash
# Does the window do on an X screen what it does without one?
# usage: window_xvfb.sh PROGRAM [ARGUMENT...]
set -euo pipefail
for tool in xvfb-run Xvfb xauth; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool here"; exit 77; }
done
unset WAYLAND_DISPLAY SDL_VIDEODRIVER
code=0
xvfb-run -a -s '-screen 0 1920x1200x24 -noreset' "$@" || code=$?
((code == 0 || code == 77)) || printf '%s on an X screen ended with %d\n' "$1" "$code" # 139: a crash
exit "$code"
