#!/usr/bin/env bash
# Does the window do on Wayland, where one unit is two pixels, what it does elsewhere? Weston shows
# itself on an X screen, because without a mouse and keys SDL 2.26 ends in its own fault there.
# usage: window_wayland.sh PROGRAM [ARGUMENT...]
set -euo pipefail
if [ "${1-}" != --on-a-screen ]; then
    for tool in weston xvfb-run Xvfb xauth; do
        command -v "$tool" > /dev/null || { echo "skipped: no $tool here"; exit 77; }
    done
    exec xvfb-run -a -s '-screen 0 1600x1200x24 -noreset' "$0" --on-a-screen "$@"
fi
shift
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap 'kill "$weston" 2> /dev/null || true; wait; rm -rf "$XDG_RUNTIME_DIR"' EXIT
printf '[core]\nidle-time=0\n' > "$XDG_RUNTIME_DIR/weston.ini"
unset WAYLAND_DISPLAY SDL_VIDEODRIVER
weston --backend=x11-backend.so --use-pixman --scale=2 --width=700 --height=500 --socket=tested \
    --config="$XDG_RUNTIME_DIR/weston.ini" > "$XDG_RUNTIME_DIR/weston.log" 2>&1 &
weston=$!
for ((i = 0; i < 300; i++)); do
    [ -S "$XDG_RUNTIME_DIR/tested" ] && break
    sleep 0.1
done
[ -S "$XDG_RUNTIME_DIR/tested" ] || { echo "skipped: weston does not start"; exit 77; }
WAYLAND_DISPLAY=tested SDL_VIDEODRIVER=wayland "$@"
