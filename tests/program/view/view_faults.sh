#!/usr/bin/env bash
# The viewer when devices fail, and when ranks are killed or do not answer: it goes on with what is
# left, says who is missing, and ends with that sentence and its code.
# usage: view_faults.sh DEEPFIELD LOSING SCRATCH devices|killed|stopped
#   LOSING   the program, with a seam through which devices fail
losing=$2 mode=$4
set -- "$1" "$3/$4"
# shellcheck source=tests/support/viewer.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/viewer.sh"
export VIEW_FAULTS=$scratch

# view NAME WANTED_CODE COMMAND...: plays the script on stdin; "any" is not looked at.
view() {
    played "$@" --size 320x180 --samples 1
}

# says NAME WORDS
says() {
    grep -qF -- "$2" "$1.log" || complain "$1: it does not say '$2': $(<"$1.log")"
}

# The process that is this rank of the viewer that was started here.
process_of() {
    local of comm
    for of in /proc/[0-9]*; do
        { read -r comm < "$of/comm" && [[ $comm == deepfield ]] &&
            [[ $(tr '\0' '\n' < "$of/environ" |
                grep -cxE -e "VIEW_FAULTS=$scratch" -e "(OMPI_COMM_WORLD|PMI)_RANK=$1") == 2 ]] &&
            echo "${of#/proc/}"; } 2> /dev/null || true
    done
}

# signal_rank SIGNAL RANK: as soon as the script has made victim.png; the process is in victim.pid.
# It is looked for before, which takes seconds where others want the cores.
signal_rank() {
    rm -f -- victim.png victim.pid
    (
        victim=
        for ((i = 0; i < 3000; i++)); do
            [[ $victim ]] || victim=$(process_of "$2")
            [[ -f victim.png ]] && break
            sleep 0.1
        done
        echo "$victim" > victim.pid
        kill -s "$1" "$victim"
    ) &
}

devices() {
    export LOSING_RANK=0 LOSING_AFTER=2 LOSING_FILE=$scratch/victim.png
    # One of two; the picture becomes whole all the same.
    LOSING_TIMES=1 view one 76 "$losing" view seahorse --threads 2 << 'SCRIPT'
settle
shot victim.png
wheel 3 at 100 60
wait until notice has "a device of this program failed: device 0 fell off the bus; the others go on"
settle
expect lost = 1
SCRIPT
    says one "a device of this program failed: device 0 fell off the bus; the others went on"
    rm -f -- victim.png
    # All of them: the window stays with what it has, and says why it gets no more.
    view all 76 "$losing" view seahorse --threads 2 << 'SCRIPT'
settle
picture victim.png
settle
wheel 3 at 100 60
wait until error has "nothing is left to compute with"
wait until notice has "nothing is left to compute with"
expect settled = 0
picture never.png
wait until notice has "no picture: nothing is left to compute with"
drag 100 100 200 100 over 0.2
wait until error has "fell off the bus"
shot last.png
SCRIPT
    # Motions that fail, by hand and by itself: the view stays, and the next ones are as ever.
    unset LOSING_RANK
    rm -f -- victim.png
    LOSING_MOVES=3 view moves 0 "$losing" view seahorse --threads 2 << 'SCRIPT'
settle
shot victim.png
wheel 1 at 100 60
wait until notice has "no memory for the digits of a view"
expect zoom = 400000
key space
wait until autopilot = 0
key space
wait until autopilot = 0
hold left at 100 60 for 1
expect zoom > 400000
SCRIPT
    export LOSING_RANK=0
    says all "fell off the bus; nothing was left"
    [[ -f last.png && ! -e never.png ]] || complain "the window after the last device"
    # All of a rank.
    rm -f -- victim.png
    LOSING_RANK=2 view rank 76 "$losing" view seahorse --ranks 3 << 'SCRIPT'
settle
shot victim.png
wheel 3 at 100 60
settle
wheel 3 at 100 60
settle
wait until trouble has "rank 2 on "
wait until trouble has "fell off the bus; the others go on"
SCRIPT
    says rank "of rank 2 on "
}

# mpirun ends the job, unless it was told otherwise: then the others go on.
killed() {
    mpirun --enable-recovery -n 1 true > /dev/null 2>&1 || {
        echo "skipped: this mpirun ends a job with its first rank"
        exit 77
    }
    local script='settle
shot victim.png
changes 50 1
wait until trouble has "rank 2 on "
settle
wait until trouble has "has ended: it crashed, was killed"
shot survived.png'
    signal_rank KILL 2
    view ended 71 "$deepfield" view seahorse --ranks 3 <<< "$script"
    says ended "rank 2 on "
    wait
    rm -f -- survived.png
    signal_rank KILL 2 # the code is mpirun's, which Open MPI 4.1 loses
    view recovers any mpirun --enable-recovery -n 3 "$deepfield" view seahorse <<< "$script"
    says recovers "rank 2 on "
    [[ -f survived.png ]] || complain "the viewer did not go on: $(<recovers.log)"
    # A rank that dies while nobody has anything to do is noticed all the same.
    signal_rank KILL 2
    view idle any mpirun --enable-recovery -n 3 "$deepfield" view seahorse << 'SCRIPT'
settle
shot victim.png
wait until trouble has "has ended: it crashed, was killed"
shot noticed.png
SCRIPT
    [[ -f noticed.png ]] || complain "nobody noticed: $(<idle.log)"
    wait
    wait
}

stopped() {
    signal_rank STOP 2
    view silent 71 "$deepfield" view seahorse --ranks 3 << 'SCRIPT'
settle
shot victim.png
wait 3
wheel 3 at 100 60
settle
wait until trouble has "rank 2 on "
wait until trouble has "has not answered"
wheel 3 at 100 60
settle
shot goes_on.png
SCRIPT
    says silent "rank 2 on "
    says silent "has not ended 5.0 s after it was told to give up"
    [[ -f goes_on.png ]] || complain "the viewer did not go on: $(<silent.log)"
    wait
    for ((i = 0; i < 600; i++)); do # its alarm ends it
        kill -s 0 "$(<victim.pid)" 2> /dev/null || break
        sleep 0.1
    done
    kill -s KILL "$(<victim.pid)" 2> /dev/null && complain "the rank that was stopped is still there"
    # One that comes back is told, too, and nothing is wrong at the end.
    signal_rank STOP 2
    (
        for ((i = 0; i < 3000; i++)); do
            [[ ! -e silent.png ]] || break
            sleep 0.1
        done
        kill -s CONT "$(<victim.pid)"
    ) &
    view back 0 "$deepfield" view seahorse --ranks 3 << 'SCRIPT'
settle
shot victim.png
wait 0.5
changes 30 1
wait until trouble has "has not answered"
shot silent.png
wait until trouble has "answers again"
settle
SCRIPT
    wait
}

case $mode in
    devices) devices ;;
    killed) killed ;;
    stopped) stopped ;;
    *) complain "what is $mode?" ;;
esac
verdict
