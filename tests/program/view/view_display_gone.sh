#!/usr/bin/env bash
# The viewer when its X display ends, or when another program destroys the window: one sentence and
# the code of a failed system, at once, and no rank is left behind.
# usage: view_display_gone.sh DEEPFIELD SCRATCH
command -v Xvfb > /dev/null || { echo "skipped: no Xvfb here"; exit 77; }
# shellcheck source=tests/support/program.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"
unset WAYLAND_DISPLAY SDL_VIDEODRIVER XAUTHORITY
export DEEPFIELD_LANGUAGE=en XDG_DATA_HOME=$scratch/data VIEW_DISPLAY_GONE=$scratch
server=
trap 'screen_end TERM' EXIT

# shown NAME VIEWER: waits until the script has made its picture, or the viewer has ended.
shown() {
    for ((i = 0; i < 3000; i++)); do
        [[ -e $1.png ]] && return
        kill -0 "$2" 2> /dev/null || return
        sleep 0.1
    done
}

# A screen of our own.
screen_start() {
    rm -f -- number
    Xvfb -displayfd 1 -screen 0 800x600x24 -noreset -nolisten tcp > number 2> server.log &
    server=$!
    for ((i = 0; i < 600; i++)); do
        [[ -s number ]] && break
        sleep 0.1
    done
    [[ -s number ]] || { echo "Xvfb does not start: $(<server.log)"; exit 1; }
    DISPLAY=:$(<number)
    export DISPLAY
}

screen_end() {
    [[ $server ]] || return 0
    kill -s "$1" "$server"
    wait "$server" 2> /dev/null || true
    server=
}

window_destroy() {
    xdotool search --name deepfield windowclose || complain "no window to destroy"
}

# How many processes of the viewer that was started here are left?
left() {
    local of comm count=0
    for of in /proc/[0-9]*; do
        { read -r comm < "$of/comm" && [[ $comm == deepfield || $comm == mpirun || $comm == prterun ]] &&
            tr '\0' '\n' < "$of/environ" | grep -qFx "VIEW_DISPLAY_GONE=$scratch" &&
            count=$((count + 1)); } 2> /dev/null || true
    done
    echo "$count"
}

# gone NAME DEED STEP OPTIONS...: while a viewer plays the step, the display is `killed` or `ended`,
# or the window `destroyed`.
gone() {
    local name=$2-$1 deed=$2 step=$3 code=0 viewer sentence
    shift 3
    screen_start
    printf 'settle within 250\nshot %s.png\n%s\n' "$name" "$step" > "$name.txt"
    timeout 400 "$deepfield" view seahorse --size 320x180 "$@" --script "$name.txt" \
        > "$name.out" 2> "$name.log" &
    viewer=$!
    shown "$name" "$viewer"
    [[ -e $name.png ]] || complain "$name: no window: $(<"$name.log")"
    SECONDS=0
    sentence='the X display has ended, or has closed the connection of the window'
    case $deed in
        killed) screen_end KILL ;;
        ended) screen_end TERM ;;
        destroyed)
            window_destroy
            sentence='the window is gone: another program destroyed it'
            ;;
    esac
    wait "$viewer" 2> /dev/null || code=$?
    echo "$name: code $code after $SECONDS s"
    ((SECONDS < 120)) || complain "$name: noticed only after $SECONDS s"
    [[ $code == 71 ]] || complain "$name: code $code, not 71"
    [[ $(<"$name.log") == "deepfield: $sentence" ]] ||
        complain "$name: it says '$(<"$name.log")', not '$sentence' alone"
    for ((i = 0; i < 600; i++)); do
        [[ $(left) == 0 ]] && break
        sleep 0.1
    done
    [[ $(left) == 0 ]] || complain "$name: $(left) processes are left"
    screen_end TERM
}

deeds=(killed ended)
if command -v xdotool > /dev/null; then
    deeds+=(destroyed)
else
    echo "no xdotool here: no window is destroyed"
fi
# Alone and with ranks, idle and busy, each deed; with DEEPFIELD_LONG=1 the product of them.
gone idle killed 'wait 1000'
SDL_RENDER_DRIVER=opengl gone opengl killed 'random 1000 60 1'
[[ ! ${DEEPFIELD_LONG-} ]] || gone idle_ranks killed 'wait 1000' --ranks 3
for deed in "${deeds[@]}"; do
    [[ ! ${DEEPFIELD_LONG-} && $deed != ended ]] || gone busy "$deed" 'random 1000 60 1'
    [[ ! ${DEEPFIELD_LONG-} && $deed == ended ]] || gone busy_ranks "$deed" 'random 1000 60 1' --ranks 3
done
verdict
