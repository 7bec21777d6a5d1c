#!/usr/bin/env bash
# A rank hangs (SIGSTOP) or is killed while a picture is computed: the others finish it, the files
# are those of a run without trouble, the rank is named, the exit code is 71, and no process is
# left. Where the picture cannot be finished the job ends with a sentence that names the rank.
# usage: hanging.sh HANGING SCRATCH some|all
#   HANGING   the program, with ranks that stop by themselves and are called silent after 2 s
# shellcheck source=tests/support/program.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
which=$3
ranks=(--ranks 3 --restarts 0)
direct=(render rosettes --accuracy 0.05 --size 480x270 --tile 32 --limit 2000)
deep=(render rosettes --accuracy 1e-9 --size 160x90 --tile 32 --limit 500)

# Waits until that process is gone.
expect_gone() {
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        kill -s 0 "$1" 2> /dev/null || return 0
        sleep 0.1
    done
    complain "$name: process $1 is still there"
}

# hangs NAME RANK AT CODE FILES WORDS COMMAND...: FILES is whole, or none. All cases run at the same
# time, since they mostly wait.
hangs() {
    (
        name=$1 wanted=$4 files=$5 words=$6 failures=0 code=0
        export HANG_RANK=$2 HANG_AT=$3 HANG_FILE=$scratch/$1/victim
        shift 6
        mkdir -- "$name"
        [[ $* != *--samples* ]] || set -- "$@" -o "$name/picture.png"
        timeout 250 "$@" --force -o "$name/picture.npy" > "$name/out" 2> "$name/message" || code=$?
        [[ $code == "$wanted" || $wanted == any ]] || complain "$name: code $code, not $wanted"
        grep -qE -- "$words" "$name/message" || complain "$name: it does not say '$words'"
        [[ $1 == mpirun ]] || ! grep -E 'ORTE_|MPI_ABORT|mpirun ended' "$name/message" ||
            complain "$name: a second reason"
        [[ -s $name/victim ]] || complain "$name: nobody hung"
        [[ ! -s $name/victim ]] || expect_gone "$(< "$name/victim")"
        for plane in count fraction; do
            [[ $files == none ]] || cmp -- "whole.$plane.npy" "$name/picture.$plane.npy" ||
                complain "$name: another picture"
            [[ $files == whole || ! -e $name/picture.$plane.npy ]] || complain "$name: a picture"
        done
        [[ $* != *--samples* ]] || cmp -- samples.png "$name/picture.png" ||
            complain "$name: other samples"
        ((failures == 0)) || cat -- "$name/message"
        echo "$failures" > "$name/failures"
    ) &
}

silent='^deepfield: rank 2 on [^ ]+ has not answered for 2 s'
saved='complete and saved, but rank 2 on [^ ]+ has not answered for [0-9]+ s'
lost='^deepfield: rank 2 on [^ ]+ has not answered for 4 s'
killed='complete and saved, but rank 2 on [^ ]+ has ended: it crashed'

# films AT OPTION...: a rank of a film hangs; rank 0 finishes the picture in work alone, and a run
# without it goes on to the same bytes.
films() {
    (
        name=film-${1// /-} failures=0 code=0
        film=(film seahorse --to 300 --seconds 0.4 --fps 25 --size 128x64 --tile 16 "${@:2}" -o)
        mkdir -- "$name"
        "$deepfield" "${film[@]}" "$name/whole.y4m" > "$name/out" 2> "$name/message" || complain "$name: whole"
        HANG_RANK=2 HANG_AT=$1 HANG_FILE=$scratch/$name/victim timeout 250 "$deepfield" "${film[@]}" \
            "$name/film.y4m" "${ranks[@]}" --schedule cyclic --transport gatherv > "$name/out" 2> "$name/message" || code=$?
        [[ $code == 71 ]] || complain "$name: code $code, not 71"
        grep -q '^deepfield: rank 0 goes on alone' "$name/message" || complain "$name: not alone"
        grep -q 'what is done is in .*film.y4m.deepfield' "$name/message" || complain "$name: not told"
        "$deepfield" "${film[@]}" "$name/film.y4m" > "$name/out" 2>> "$name/message" ||
            complain "$name: the same command"
        cmp "$name/whole.y4m" "$name/film.y4m" || complain "$name: another film"
        ((failures == 0)) || cat -- "$name/message"
        echo "$failures" > "$name/failures"
    ) &
}

some() {
    films 'gather 1' --method frames --samples 1
    hangs dynamic 2 'tile 2' 71 whole "$saved" "$deepfield" "${direct[@]}" "${ranks[@]}" --schedule dynamic --json
    # In the third of four samples: rank 0 goes on alone.
    hangs samples 2 'tile 100' 71 whole "$saved" "$deepfield" "${direct[@]}" --samples 4 "${ranks[@]}"
    hangs cyclic 2 'tile 5' 71 whole "$saved" "$deepfield" "${direct[@]}" "${ranks[@]}" --schedule cyclic
    # Killed in a job whose collectives fail then, so that the others may go on.
    if mpirun --with-ft ulfm -n 1 true > out 2> message; then
        killed='^deepfield: rank 2 on [^ ]+ has ended' # it may lose the last words of a job that aborts
        HANG_SIGNAL=9 hangs killed-ulfm 2 'tile 2' 71 whole "$killed" mpirun --with-ft ulfm -n 3 \
            "$deepfield" "${direct[@]}"
        HANG_SIGNAL=9 hangs killed-ulfm-tcp 2 'tile 5' 71 whole "$killed" mpirun --with-ft ulfm -n 3 \
            --mca btl tcp,self --mca btl_tcp_if_include lo "$deepfield" "${direct[@]}" --schedule cyclic --transport staged
        HANG_SIGNAL=9 hangs killed-ulfm-gatherv 2 'tile 5' 71 whole "$killed" mpirun --with-ft ulfm \
            -n 3 "$deepfield" "${direct[@]}" --schedule cyclic --transport gatherv
    else
        echo "skipped: this mpirun has no --with-ft ulfm"
    fi
}

others() {
    local transport call
    films 'gather 7' --method frames --samples 1
    films 'gather 19' --method frames --samples 4
    films 'gather 2' # from key pictures
    for transport in shared staged; do
        hangs "named-$transport" 2 'tile 5' 71 whole "$silent" "$deepfield" "${direct[@]}" "${ranks[@]}" \
            --schedule cyclic --transport "$transport"
    done
    hangs gatherv 2 'tile 5' 71 whole "$saved" "$deepfield" "${direct[@]}" \
        "${ranks[@]}" --schedule cyclic --transport gatherv
    # While its pixels travel, and when it has said goodbye and they never come: rank 0 computes all.
    hangs pieces 2 'piece 5' 71 whole "$saved" "$deepfield" "${direct[@]}" "${ranks[@]}" --transport staged
    hangs kept 2 'gather 1' 71 whole "$saved" "$deepfield" "${direct[@]}" \
        "${ranks[@]}" --transport gatherv
    hangs bye 2 bye 71 whole "$saved" "$deepfield" "${direct[@]}" "${ranks[@]}" \
        --transport gatherv
    hangs only 1 'tile 5' 71 whole 'rank 1 on [^ ]+ has not answered for 4 s' "$deepfield" \
        "${direct[@]}" --ranks 2 --restarts 0 --schedule dynamic
    # Before there are tiles: settings, devices, order, memory, transports, orbit, blocks, the job.
    for call in 2 3 4 5 6 7 8 9; do
        hangs "call-$call" 2 "call $call" 71 none "$lost" "$deepfield" "${deep[@]}" "${ranks[@]}"
    done
    hangs prediction 2 'call 9' 71 none "$lost" "$deepfield" "${deep[@]}" "${ranks[@]}" --forecast on
    # Between two samples, or the stages of them.
    hangs between 2 'call 14' 71 whole "$saved" "$deepfield" "${direct[@]}" --samples 4 "${ranks[@]}"
    # One that comes back in time is welcome.
    HANG_LOST_S=60 hangs back 2 'call 5' 0 whole '' "$deepfield" "${direct[@]}" "${ranks[@]}"
    (
        for ((tries = 0; tries < 600; tries++)); do
            [[ ! -s back/victim ]] || break
            sleep 0.1
        done
        sleep 3
        kill -s CONT "$(< back/victim)"
    ) &
    # Killed. mpirun ends the job, unless it was told otherwise; Open MPI 4.1 then loses the code.
    HANG_SIGNAL=9 hangs killed 2 'tile 5' any whole "$killed" mpirun --enable-recovery -n 3 \
        "$deepfield" "${direct[@]}"
    HANG_SIGNAL=9 hangs killed-pieces 2 'piece 5' any whole "$killed" mpirun --enable-recovery -n 3 \
        "$deepfield" "${direct[@]}" --transport staged
    # Over TCP version 5 ends the job itself, without ULFM.
    [[ -e killed-ulfm ]] ||
        HANG_SIGNAL=9 hangs killed-tcp 2 'tile 5' any whole "$killed" mpirun --enable-recovery -n 3 \
            --mca btl tcp,self --mca btl_tcp_if_include lo "$deepfield" "${direct[@]}" --schedule cyclic --transport staged
    # In a call of MPI that blocks, after the picture was saved.
    hangs end 2 'end 1' 71 whole 'MPI does not return' "$deepfield" "${direct[@]}" "${ranks[@]}"
}

failures=0
"$deepfield" "${direct[@]}" --tile 256 --samples 4 -o whole.npy -o samples.png > out 2> message
some
[[ $which == some ]] || others
wait
for result in */failures; do
    failures=$((failures + $(< "$result")))
done
[[ $(< dynamic/out) == *'"silences":1,"missing":true'* ]] || complain "dynamic: the JSON does not name it"
verdict
