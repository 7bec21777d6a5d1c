#!/usr/bin/env bash
# Does every way to stop the program end it quickly, with exit code 75 and no file?
# usage: stop.sh DEEPFIELD SCRATCH INTERRUPTING
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"
interrupting=$3

# Interior without short-cuts and a limit without end: it never finishes by itself.
printf '[view]\nre = -0.1\nim = 0\nzoom = 100\nlimit = 9000000000000000000\n' >endless.ini
endless=(render endless.ini --size 640x360 --set compute.shortcuts=off -o picture.png)
# The same of a reference orbit: towards -1/2 it goes on for ever, more and more slowly.
printf '[view]\nre = -0.75\nim = 0\nzoom = 1e30\nlimit = 9000000000000000000\n' >orbit.ini

# stops SIGNAL COUNT EXTRA...: COUNT times SIGNAL ends the program, code 75. It would compute for
# ever, so minutes are quickly enough on a machine that has other things to do.
stops() {
    local signal=$1 count=$2 code=0 pid begin
    shift 2
    # A script's background jobs ignore INT, and what is started by nohup ignores HUP.
    env --default-signal=INT,HUP "$deepfield" "${endless[@]}" "$@" 2>message >out &
    pid=$!
    busy "$pid" 10 || complain "$*: it does not compute"
    begin=$(date +%s)
    for ((i = 0; i < count; i++)); do
        kill -s "$signal" "$pid" 2>/dev/null || true
        sleep 0.2
    done
    wait "$pid" || code=$?
    local took=$(($(date +%s) - begin))
    if ((code != 75 || took > 200)) || [[ -e picture.png || -s out ]]; then
        complain "$signal x $count $*: code $code after $took s"
        ls -A
    fi
}

# A stop request while mpirun is starting its ranks must not be lost.
stops_early() {
    local code=0 pid children='' begin
    "$deepfield" "${endless[@]}" --ranks 3 2>message >out &
    pid=$!
    until [[ $children ]]; do
        read -r children 2>/dev/null <"/proc/$pid/task/$pid/children" || true
        kill -0 "$pid" || break
    done
    sleep "$1"
    begin=$(date +%s)
    kill -s TERM "$pid"
    ended "$pid" || code=$?
    if ((code != 75)) || [[ -e picture.png || -s out ]]; then
        complain "TERM $1 s after the start of mpirun: code $code after $(($(date +%s) - begin)) s"
    fi
}

# A log that is a pipe without a reader is waited for, until the program is to stop.
stops_waiting() {
    local code=0 pid i
    rm -f log && mkfifo log
    "$deepfield" "${small[@]}" -o picture.png --log-json log 2>message >out &
    pid=$!
    for ((i = 0; i < 3000; i++)); do
        ! grep -q 'waiting until somebody reads log, a pipe' message || break
        sleep 0.01
    done
    ((i < 3000)) || complain "it does not say that it waits"
    kill -s TERM "$pid"
    ended "$pid" || code=$?
    if ((code != 75)) || [[ -e picture.png ]] || ! grep -q 'waiting for a reader of --log-json log' message; then
        complain "TERM while a log waits for its reader: code $code"
    fi
}

# A benchmark ends where it is, too; what it has printed stands.
stops_bench() {
    local code=0 pid
    env --default-signal=INT "$deepfield" bench "$@" 2>message >out &
    pid=$!
    busy "$pid" 5 || complain "bench $*: it does not compute"
    kill -s INT "$pid"
    wait "$pid" || code=$?
    if ((code != 75)) || ! grep -q 'stopped on request' message; then
        complain "INT, bench $*: code $code"
    fi
}

# names WORDS...: though interrupted twice while its files get their names, it names them all.
names() {
    local code=0
    echo old | tee named.{png,count.npy,fraction.npy,planes.json,kfr,toml} >old
    LD_PRELOAD=$interrupting ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 \
        "$deepfield" "$@" --force 2>message >out || code=$?
    while read -r name; do
        ! cmp -s old "$name" || code="$code, $name is the old one"
    done <out
    if [[ $code != 0 || ! -s out || -n $(find . -name '.?*') ]]; then
        complain "Ctrl-C twice, $*: code $code"
        ls -A
    fi
    rm named.*
}

small=(render seahorse --size 64x36 --quiet)
"$deepfield" "${small[@]}" -o field.exr >out
names "${small[@]}" -o named.png -o named.npy
names colour field.exr -o named.png -o named.npy
names info seahorse -o named.kfr -o named.toml
stops_waiting
stops TERM 1
stops INT 1
stops USR1 1
stops INT 2
stops INT 1 --config orbit.ini
stops TERM 1 --config orbit.ini --ranks 3
stops INT 1 --ranks 3
stops USR2 1 --ranks 3 --schedule dynamic --transport staged
stops HUP 1 --ranks 2 --schedule cyclic --transport gatherv
stops_bench transport --ranks 3
stops_bench scaling --ranks 3
for after in 0.02 0.1; do
    stops_early "$after"
done
leftover=$(find . -name '.*.part' -o -name '*.png')
[[ -z $leftover ]] || complain "left behind: $leftover"
verdict
