#!/bin/bash
# A render that is killed at any time goes on from its journal, and its files are byte for byte those
# of a run without interruptions.
#
#   killed.sh DEEPFIELD FOLDER [KILLS SEED]   with KILLS: that many of each kind, at random instants
# shellcheck disable=SC2154 # program.sh assigns them
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
set +eo pipefail # codes are looked at one by one
kills=${3:-0} seed=${4:-$RANDOM}

# ---- once, while tiles are being kept ----
once() {
    local -a command=("$deepfield" render rosettes --size 800x700 --threads 1 --quiet --set output.journal=0.001)
    mkdir tiles_whole killed
    (cd tiles_whole && "${command[@]}" -o x.png -o x.exr) >/dev/null || complain "the whole picture"
    kill_keeping killed/x.png "${command[@]}" -o x.png -o x.exr
    local said
    said=$(cd killed && "$deepfield" render rosettes --size 800x701 -o x.png -o x.exr 2>&1)
    [[ $? -eq 65 && $said == *"800x700"*"800x701"* ]] || complain "another picture: $said"
    said=$(cd killed && "$deepfield" resume nothing.png 2>&1)
    [[ $? -eq 66 && $said == *nothing.png* ]] || complain "no journal: $said"
    said=$("$deepfield" resume killed/x.png --set output.quiet=false 2>&1 >/dev/null) || complain "resume: $said"
    [[ $said == *"goes on from"*" tiles"* ]] || complain "what is told: $said"
    same_folders tiles_whole killed "resume"
}

# ---- several times, each after the files have grown ----
again() {
    local -a command=("$deepfield" render seahorse-deep --size 3000x480 --samples 2 --memory 0.0625 --quiet
        --set output.journal=0.01 -o x.png -o x.exr)
    mkdir strips rows_whole
    (cd rows_whole && "${command[@]}") >/dev/null || complain "the whole picture in strips"
    for _ in 1 2 3; do
        local state=''
        state=$(stat -c %i strips/x.png.deepfield/state 2>/dev/null)
        (cd strips && exec "${command[@]}") >/dev/null 2>said &
        local process=$!
        while kill -0 $process 2>/dev/null && [[ ! -e strips/x.png.deepfield/x.exr ||
            $(stat -c %i strips/x.png.deepfield/state 2>/dev/null) == "$state" ]]; do sleep 0.01; done
        kill_tree $process
        wait $process 2>/dev/null
    done
    # One that was killed behind its last name leaves its folder, which the next run in there removes.
    [[ ! -e strips/x.png ]] || command+=(--force)
    (cd strips && "${command[@]}") >/dev/null 2>said || complain "strips: $(tail -1 said)"
    same_folders rows_whole strips "strips that were killed three times"
}

# ---- somebody removes the folder ----
# purged NAME AT SIGNAL CODE WORDS arguments ...: as soon as AT is there, and then the signal comes. What is
# whole is in the folder of once and again.
purged() {
    local name=$1 at=$2 signal=$3 wanted=$4 words=$5 code=0 process
    shift 5
    mkdir "$name"
    [[ $at != records ]] || export LD_PRELOAD=$KILLING # it stops with the first one
    (cd "$name" && KILLED_AT=1 KILLED_BY=19 ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 \
        exec "$deepfield" "$@") >/dev/null 2>message &
    process=$!
    unset LD_PRELOAD
    while kill -0 $process 2>/dev/null && [[ ! -s $name/x.png.deepfield/$at ]]; do sleep 0.01; done
    while [[ $at == records ]] && ! grep -qs '^State:.T' /proc/$process/status && kill -0 $process; do sleep 0.01; done
    until rm -rf "$name/x.png.deepfield" 2>/dev/null; do :; done # while files come into it
    [[ ! $signal ]] || kill -s "$signal" $process
    kill -s CONT $process
    wait $process || code=$?
    if [[ $code != "$wanted" ]] || ! grep -qF "$words" message; then complain "$name: code $code"; fi
    if [[ $wanted == 0 ]]; then
        same_folders "${name%_*}_whole" "$name" "$name"
    elif [[ $(ls -A "$name") ]]; then
        complain "$name: left are $(ls -A "$name")"
    fi
}

removed() {
    local -a tiles=(render rosettes --size 800x700 --threads 1 --quiet --set output.journal=0.001 -o x.png -o x.exr)
    local -a rows=(render seahorse-deep --size 3000x480 --samples 2 --memory 0.0625 --quiet
        --set output.journal=0.01 -o x.png -o x.exr)
    local gone='.deepfield was removed by somebody'
    purged tiles_gone records '' 0 "an interruption would cost everything from now on: x.png$gone" "${tiles[@]}"
    purged tiles_stopped records TERM 75 "nothing is kept: x.png$gone" "${tiles[@]}"
    # Where it finds this out, writing or looking, is the machine's affair.
    purged rows_gone state '' 0 "an interruption would cost everything from now on: " "${rows[@]}"
}

# ---- several runs of one file ----
rivals() {
    local -a command=("$deepfield" render rosettes --size 800x700 --threads 1 --quiet --set output.journal=0.01 -o x.png)
    local won=0 late=0 code process processes=() run
    mkdir rivals
    for run in 1 2 3; do
        (cd rivals && exec "${command[@]}") >/dev/null 2>"rival.$run" &
        processes+=($!)
    done
    for process in "${processes[@]}"; do
        code=0
        wait "$process" || code=$?
        won=$((won + (code == 0))) late=$((late + (code == 73)))
    done
    cat rival.* >message
    ((won == 1 && late == 2)) || complain "three runs of one file: $won are complete, $late late"
    (($(grep -c 'another run\|has appeared meanwhile\|exists; --force' message) == 2)) || complain "what the late are told"
    [[ $(ls -A rivals) == x.png ]] || complain "three runs of one file leave $(ls -A rivals)"
    : >message
}

# ---- many times, at random ----
# NAME FILES MEMORY RANKS arguments ...
often() {
    local name=$1 files=$2 memory=$3 ranks=$4 done_=0 runs=0
    shift 4
    local -a command=("$deepfield" render "$@" --memory "$memory" --quiet) outputs=()
    for file in $files; do outputs+=(-o "$file"); done
    [[ $ranks -gt 1 ]] && command+=(--ranks "$ranks" --oversubscribe)
    mkdir -p "$name/whole"
    local start=${EPOCHREALTIME/./}
    (cd "$name/whole" && "${command[@]}" "${outputs[@]}") >/dev/null || complain "$name: the whole picture"
    local most=$(((${EPOCHREALTIME/./} - start) * 6 / 10000)) # ms, 0.6 of it
    while [[ $done_ -lt $kills ]]; do
        rm -rf "$name/killed" && mkdir "$name/killed"
        local rc=1 here=0
        while [[ $rc -ne 0 ]]; do
            (cd "$name/killed" && exec "${command[@]}" "${outputs[@]}") >/dev/null 2>"$name/said" &
            local process=$!
            if [[ $here -lt 8 ]]; then # then it may finish
                sleep "$((100 + RANDOM * most / 32768))e-3"
                case $((RANDOM % 4)) in
                0 | 1) kill_tree $process ;;
                2) kill -TERM $process 2>/dev/null ;;
                3) kill -USR1 $process 2>/dev/null ;;
                esac
            fi
            wait $process 2>/dev/null
            rc=$?
            here=$((here + 1))
            [[ $rc -eq 0 ]] && break
            done_=$((done_ + 1))
            case $rc in
            75 | 137 | 143) ;;
            *) complain "$name: after $here kills $rc: $(tail -2 "$name/said")" && break ;;
            esac
        done
        runs=$((runs + 1))
        same_folders "$name/whole" "$name/killed" "$name, run $runs"
    done
    echo "$name: $done_ interruptions in $runs pictures, all the same bytes"
    rm -rf "${name:?}"
}

if [[ $kills -eq 0 ]]; then
    once
    again
    removed
    rivals
else
    RANDOM=$seed
    echo "seed $seed"
    often shallow "x.png x.exr x.tif x.jpg x.webp" auto 1 rosettes --size 1000x1000
    often strips "x.png x.exr x.npy" 0.0625 1 rosettes --size 1500x2400 --samples 2
    often ranks "x.png x.exr" auto 3 rosettes --size 1000x1000
    often writers "x.exr x.tif x.png x.jpg" auto 3 rosettes --size 1000x1600 --writers all
    often deep "x.png x.exr" auto 1 seahorse-deep --size 1600x1200 --samples 4
    often pyramid "x.dzi" 0.0625 1 rosettes --size 3000x2200
    often ranks_strips "x.dzi x.png" 0.0625 3 seahorse-deep --size 2000x2400 --samples 2
fi
verdict
