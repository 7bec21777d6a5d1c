#!/usr/bin/env bash
# Faults of all kinds in a job of --ranks: the picture is complete each time, the same bytes, and
# message and exit code say what happened. Prints a table: fault, exit code, seconds, what was said.
# usage: faults.sh HANGING LOSING SCRATCH some|all
#   HANGING   the program, with ranks that fail by themselves (hanging.c)
#   LOSING    the program, with devices that fail (losing.c)
set -euo pipefail
hanging=$1 losing=$2 scratch=$3 which=$4
rm -rf -- "$scratch"
mkdir -p -- "$scratch"
cd -- "$scratch"
picture=(render rosettes --accuracy 0.05 --size 480x270 --tile 32 --limit 2000 --quiet)
export HANG_SILENT_S=10 HANG_LOST_S=30 # as usual

# fault NAME CODE WORDS PROGRAM OPTION...: how it fails is in the environment. All cases run at the
# same time, since they mostly wait. CODE is a pattern.
fault() {
    (
        name=$1 wanted=$2 words=$3 program=$4 failures=0 code=0 begin=$SECONDS
        shift 4
        mkdir -- "$name"
        export HANG_FILE=$scratch/$name/victim
        timeout 250 "$program" "${picture[@]}" "$@" --ranks 3 --force -o "$name/picture.npy" \
            > "$name/out" 2> "$name/message" || code=$?
        # shellcheck disable=SC2053 # a pattern
        [[ $code == $wanted ]] || failures=1
        [[ ! $words ]] || grep -qE -- "$words" "$name/message" || failures=1
        for plane in count fraction; do
            cmp -- "whole.$plane.npy" "$name/picture.$plane.npy" >> "$name/message" 2>&1 ||
                failures=1
        done
        [[ -z $(find "$name" -name '*.part') ]] || failures=1
        ((SECONDS - begin <= 80)) || [[ ! ${DEEPFIELD_LONG-} ]] || failures=1 # 70 s after the fault
        if [[ -s $name/victim ]] && kill -s 0 "$(< "$name/victim")" 2> /dev/null &&
            [[ ${HANG_AT-} != @(slow|damage|epoch)* ]]; then
            for ((tries = 0; tries < 600; tries++)); do
                kill -s 0 "$(< "$name/victim")" 2> /dev/null || break
                sleep 0.1
            done
            ((tries < 600)) || failures=1
        fi
        printf '%s %-16s %3s %3s s  %s\n' "$( ((failures)) && echo FAILED || echo ok)" "$name" "$code" \
            $((SECONDS - begin)) "$(tail -n 1 "$name/message")"
        echo "$failures" > "$name/failures"
    ) &
}

# Of a rank that was killed: Open MPI lets the others go on, MPICH ends the job, which then starts again.
saved='complete and saved, but rank [12] on [^ ]+ has'
# Hydra ends the others at once, and the launcher names the rank that it misses first.
first='rank 0'
! mpirun --version 2> /dev/null | grep -q HYDRA || first='rank [012]'
again='starting again with 2 ranks \(restart 1 of 3\)'

# An mpirun that gets SIGNAL when a rank has stopped at tile 5, which then goes on: of a rank that did
# not wait the picture may be complete, and MPI ended, before the signal comes.
mpirun_fails() { # SIGNAL NAME
    (
        for ((tries = 0; tries < 1200; tries++)); do
            [[ ! -s $2/victim || $(ps -o stat= -p "$(< "$2/victim")") != T* ]] || break
            sleep 0.1
        done
        victim=$(< "$2/victim")
        kill -s "$1" "$(ps -o ppid= -p "$victim" | tr -d ' ')"
        kill -s CONT "$victim"
    ) &
}

some() {
    HANG_SIGNAL=9 HANG_RANK=0 HANG_AT='call 4' fault killed-0 0 "$first has ended.*$again" "$hanging"
    HANG_SIGNAL=9 HANG_RANK=1 HANG_AT='tile 5' fault killed-1 '@(71|0)' "$saved ended|$again" "$hanging"
    HANG_SIGNAL=9 HANG_RANK=2 HANG_AT=init fault killed-init 0 "${first/#rank 0/rank 2} has ended.*$again" "$hanging"
    HANG_RANK=2 HANG_AT='damage 3' fault damaged 0 "$again" "$hanging" --transport staged
    HANG_RANK=2 HANG_AT='slow 30000' fault slow 0 '' "$hanging"
}

others() {
    HANG_RANK=1 HANG_AT='tile 5' fault mpirun-killed '@(0|71)' '' "$hanging"
    mpirun_fails KILL mpirun-killed
    HANG_RANK=1 HANG_AT='tile 5' fault mpirun-stopped 71 'MPI does not return' "$hanging"
    mpirun_fails STOP mpirun-stopped
    HANG_SIGNAL=9 HANG_RANK=2 HANG_AT='tile 5' fault killed-2 '@(71|0)' "$saved ended|$again" "$hanging"
    HANG_SIGNAL=9 HANG_RANK=2 HANG_AT='tile 5' fault killed-gatherv '@(71|0)' "$saved ended|$again" "$hanging" \
        --schedule cyclic --transport gatherv
    HANG_RANK=0 HANG_AT='call 4' fault stopped-0 0 "rank 0 was stopped.*$again" "$hanging"
    HANG_RANK=1 HANG_AT='tile 5' fault stopped-1 71 "$saved not answered" "$hanging"
    HANG_RANK=2 HANG_AT='tile 5' fault stopped-2 71 "$saved not answered" "$hanging"
    HANG_RANK=2 HANG_AT='tile 5' fault stopped-gatherv 71 "$saved not answered" "$hanging" \
        --schedule cyclic --transport gatherv
    HANG_RANK=2 HANG_AT='call 4' fault stopped-early 0 "$again" "$hanging"
    HANG_RANK=2 HANG_AT='epoch 3' fault old-epoch '@(0|71)' '' "$hanging" --transport staged
    HANG_RANK=2 HANG_EPOCH=1 HANG_AT='epoch 3' fault new-epoch 0 "$again" "$hanging" --transport staged
    LOSING_RANK=2 LOSING_AFTER=5 fault device 76 'complete and saved, but a device of rank 2' "$losing"
}

"$hanging" "${picture[@]}" --tile 256 -o whole.npy > out 2> message
some
[[ $which == some ]] || others
wait
failures=0
for result in */failures; do
    failures=$((failures + $(< "$result")))
done
((failures == 0))
