#!/usr/bin/env bash
# What --ranks does around mpirun: no word of the user reaches it, its chatter is kept, what hangs is
# ended, Ctrl-Z reaches the ranks, and ranks with different commands end at once.
# usage: launch.sh DEEPFIELD SCRATCH [hang]
# shellcheck disable=SC2317 # until_holds calls them
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"
part=${3:-quick}
mkdir fake
real_path=$PATH
real=$(command -v mpirun)
code=0

# Interior without short-cuts and a limit without end: it never finishes by itself.
printf '[view]\nre = -0.1\nim = 0\nzoom = 100\nlimit = 9000000000000000000\n' > endless.ini
endless=(render endless.ini --size 640x360 --set compute.shortcuts=off -o picture.png)
small=(render seahorse --size 64x36 --quiet)

# mpirun_is LINES...: what plays mpirun; "$@" is -n N PROGRAM WORD NAME.
mpirun_is() {
    printf '%s\n' '#!/bin/bash' "$@" > fake/mpirun
    chmod +x fake/mpirun
    PATH=$scratch/fake:$real_path
}

mpirun_is_real() {
    PATH=$real_path
}

# says CODE WORDS COMMAND...: it ends with this code, and the only line on stderr has the words.
says() {
    local wanted=$1 words=$2
    shift 2
    code=0
    timeout -k 5 60 "$@" > out 2> message || code=$?
    [[ $code == "$wanted" ]] || complain "$*: code $code, not $wanted"
    [[ $(wc -l < message) == 1 && $(< message) == deepfield:* && $(< message) == *"$words"* ]] ||
        complain "$*: it does not say '$words' alone"
}

# until COMMAND...: waits until it holds, a minute at most.
until_holds() {
    for ((i = 0; i < 1200; i++)); do
        "$@" && return
        sleep 0.05
    done
    complain "$* does not come true"
}

is_in() { # STATES PROCESS
    local stat
    stat=$(cat "/proc/$2/stat" 2> /dev/null) || return 1
    stat=${stat##*) }
    [[ ${stat%% *} == ["$1"] ]]
}

is_gone() {
    [[ ! -e /proc/$1 ]] || is_in Z "$1"
}

# shellcheck disable=SC2016 # of the script that is written
quick() {
    # Words of the user.
    printf '#!/usr/bin/touch %s/marker\n[view]\nre = 0\nim = 0\nzoom = 1\n' "$scratch" > evil.ini
    chmod +x evil.ini
    says 66 "':'" "$deepfield" render --ranks 2 -p : ./evil.ini
    [[ ! -e marker ]] || complain "mpirun has started evil.ini"

    # Chatter, and what reaches mpirun.
    mpirun_is 'printf "%s\n" "$@" > arguments' 'echo "$OMPI_MCA_orte_mine $PMIX_MCA_mine" > settings' 'echo chatter; echo chatter >&2' "$real"' "$@"; code=$?' \
        'echo more >&2' 'exit $code'
    OMPI_MCA_orte_mine=a PMIX_MCA_mine=b \
        "$deepfield" "${small[@]}" --ranks 2 -f -o words.png > out 2> message || complain "code $?"
    [[ ! -s message && $(< out) == words.png ]] || complain "chatter of a job that succeeds"
    [[ $(wc -l < arguments) == 5 && $(sed -n 4p arguments) == rank-of ]] ||
        complain "mpirun was called with $(tr '\n' ' ' < arguments)"
    [[ $(< settings) == 'a b' ]] || complain "the user's settings of MPI: $(< settings)"
    says 73 'words.png exists' "$deepfield" "${small[@]}" --ranks 2 -o words.png
    mpirun_is 'echo chatter >&2' 'exit 213'
    code=0
    "$deepfield" "${small[@]}" --ranks 2 -o none.png > out 2> message || code=$?
    [[ $code == 71 && $(< message) == chatter$'\n'*'no rank; it ended with code 213'* ]] ||
        complain "mpirun ended with 213: code $code"
    mpirun_is 'exit 0'
    says 71 'no rank' "$deepfield" "${small[@]}" --ranks 2 -o none.png

    # Of another MPI: ranks that do not know each other, and would start ranks without end.
    mpirun_is 'exec "$3" "$4" "$5"'
    says 71 'another MPI' "$deepfield" "${small[@]}" --ranks 2 -o none.png

    # Ctrl-Z; then the third request ends a rank and an mpirun that do not listen.
    mpirun_is "trap '' TERM USR1 HUP" "$real"' "$@"' 'exec sleep 1000'
    "$deepfield" "${endless[@]}" --ranks 2 2> message > out &
    launcher=$!
    busy "$launcher" 30 || complain "no rank computes"
    kill -s TSTP "$launcher"
    until_holds is_in T "$launcher"
    until_holds is_in T "$rank"
    kill -s CONT "$launcher"
    until_holds is_in RSD "$launcher"
    until_holds is_in RSD "$rank"
    kill -s STOP "$rank"
    for ((i = 0; i < 3; i++)); do
        kill -s TERM "$launcher"
        sleep 0.7 # requests that come together are one
    done
    until_holds is_gone "$launcher"
    code=0
    wait "$launcher" || code=$?
    [[ $code == 75 ]] || complain "three requests: code $code"
    until_holds is_gone "$rank"
    mpirun_is_real

    # What Open MPI lacks.
    says 71 'files may be open (ulimit -n)' bash -c 'ulimit -n 24; exec "$@"' - \
        "$deepfield" "${small[@]}" --ranks 2 -o none.png
    says 71 '(ulimit -f)' bash -c 'ulimit -f 100; exec "$@"' - \
        "$deepfield" "${small[@]}" --ranks 2 -o none.png
    mkdir tiny
    # shellcheck disable=SC2016 # expanded by the other shell
    if unshare -m sh -c 'mount -t tmpfs -o size=5m tmpfs tiny' 2> /dev/null; then
        says 77 'MiB free, and mpirun needs' unshare -m \
            sh -c 'mount -t tmpfs -o size=5m tmpfs tiny && TMPDIR=$PWD/tiny exec "$@"' - \
            "$deepfield" "${small[@]}" --ranks 2 -o none.png
    else
        echo "no small file system can be made here"
    fi

    # Ranks of one job with different commands, or wrong usage. (mpirun of Open MPI 5.0.7 crashes at
    # the ":" that would say so.)
    printf '%s\n' '#!/bin/sh' '[ "${OMPI_COMM_WORLD_RANK-${PMIX_RANK-$PMI_RANK}}" = 0 ] && exec "$@"' \
        'exec "$1" $OTHER' > different
    chmod +x different
    local other
    for other in 'render --nonsense' devices; do
        code=0
        OTHER=$other timeout -k 5 60 mpirun -n 2 ./different "$deepfield" "${small[@]}" \
            -o none.png > out 2> message || code=$?
        [[ $code == 64 && $(grep -c '^deepfield: rank 1 on ' message) == 1 ]] ||
            complain "render beside '$other': code $code"
    done
    [[ ! -e none.png ]] || complain "none.png was made"
}

# mpirun does not end though its ranks have: ten seconds later it has to.
hang() {
    # shellcheck disable=SC2016 # of the script that is written
    mpirun_is "$real"' "$@"' 'echo $$ > hanging' "trap '' TERM" 'sleep 1000' 'sleep 1000'
    "$deepfield" "${small[@]}" --ranks 2 -o picture.png > out 2> message || complain "code $?"
    [[ -s picture.png && $(< out) == picture.png ]] || complain "no picture"
    until_holds is_gone "$(< hanging)"
}

case $part in
    quick) quick ;;
    hang) hang ;;
esac
verdict
