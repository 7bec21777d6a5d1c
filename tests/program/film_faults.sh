#!/bin/bash
# Films that are killed, stopped, left by a rank or by the encoder: the same command goes on with
# what is done, to the same bytes.
# usage: film_faults.sh DEEPFIELD SCRATCH some|KILLS [SEED]   KILLS: so many of each kind at random,
# and what takes longer
# shellcheck disable=SC2154 # program.sh assigns them
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
kinds=$3 seed=${4:-$RANDOM}
long=(film seahorse --to 300 --seconds 20 --fps 25 --size 96x64)

# begun NAME PID: the first stretch is there
begun() {
    for ((tries = 0; tries < 1200; tries++)); do
        ! compgen -G "$1.deepfield/*.measures" > /dev/null || return 0
        kill -0 "$2" 2> /dev/null || return 0
        sleep 0.05
    done
}

made() { # of the JSON in `out`
    grep -o '"frames_made":[0-9]*' out | cut -d: -f2
}

# ---- killed at random, with and without ranks ----
# often NAME PATTERN OPTION...: PATTERN is for -o; all files that come of it are compared
often() {
    local name=$1 out=$2 done_=0 pictures=0 code here most start
    shift 2
    mkdir -p "$name/whole"
    start=${EPOCHREALTIME/./}
    (cd "$name/whole" && "$deepfield" "${long[@]}" "$@" -q -o "$out") > /dev/null || complain "$name: whole"
    most=$(((${EPOCHREALTIME/./} - start) * 6 / 10000)) # ms, 0.6 of it
    while ((done_ < kinds)); do
        rm -rf "$name/killed" && mkdir "$name/killed"
        code=1 here=0
        while ((code)); do
            (cd "$name/killed" && exec "$deepfield" "${long[@]}" "$@" -q --force -o "$out") \
                > /dev/null 2> message &
            local process=$!
            if ((here < 8)); then # then it may finish
                sleep "$((100 + RANDOM * most / 32768))e-3"
                case $((RANDOM % 4)) in
                0 | 1) kill_tree $process ;;
                2) kill -TERM $process 2> /dev/null || true ;;
                3) kill -USR1 $process 2> /dev/null || true ;;
                esac
            fi
            code=0
            wait $process 2> /dev/null || code=$?
            here=$((here + 1))
            ((code)) || break
            done_=$((done_ + 1))
            [[ $code == @(75|137) ]] || complain "$name: code $code after $here kills"
            [[ $code == @(75|137) ]] || break
        done
        pictures=$((pictures + 1))
        rm -rf "$name"/*/film.deepfield # of frames
        diff -rq "$name/whole" "$name/killed" || complain "$name: other bytes"
    done
    echo "$name: $done_ interruptions in $pictures films, all the same bytes"
    rm -rf "${name:?}"
}

if [[ $kinds == some ]]; then
    # ---- once of each kind ----
    film=(film seahorse --to 300 --seconds 5 --fps 25 --size 48x32)
    "$deepfield" "${film[@]}" -q -o whole.y4m > out 2> message || complain "whole"

    # --force goes on with a film that has begun, also where a file is to be replaced; of a finished
    # one, and of another, it begins anew.
    for there in no yes; do
        rm -f forced.y4m
        "$deepfield" "${film[@]}" -q --part 1/2 -o forced.y4m > out 2> message || complain "half of it"
        [[ $there == no ]] || echo "an older film" > forced.y4m
        "$deepfield" "${film[@]}" -q --force --json -o forced.y4m > out 2> message || complain "--force"
        cmp whole.y4m forced.y4m || complain "--force: other bytes"
        (($(made) == 5)) || complain "--force has begun anew"
    done
    "$deepfield" "${film[@]}" -q --force --json -o forced.y4m > out 2> message || complain "--force, finished"
    (($(made) == 125)) || complain "--force has not replaced a finished film"
    "$deepfield" "${film[@]}" -q --part 1/3 -o forced.y4m > out 2> message && complain "a file that exists"
    rm forced.y4m
    "$deepfield" "${film[@]}" -q --part 1/3 -o forced.y4m > out 2> message || complain "a part"
    "$deepfield" "${film[@]}" -q --from 2 --json --force -o forced.y4m > out 2> message || complain "another film"
    (($(made) == 125)) || complain "--force has taken another film's frames"
    frames=("${film[@]}" --method frames --samples 1 --seconds 0.2 -q --json -o 'f/%03d.png')
    mkdir f
    "$deepfield" "${frames[@]}" > out 2> message || complain "frames"
    rm f/003.png
    "$deepfield" "${frames[@]}" --force > out 2> message || complain "frames, --force"
    (($(made) == 1)) || complain "--force has not gone on with frames"
    "$deepfield" "${frames[@]}" --force > out 2> message || complain "frames, --force, finished"
    (($(made) == 5)) || complain "--force has not made finished frames anew"

    # A run that was killed when the film had its name, but its folder was not yet gone.
    "$deepfield" "${film[@]}" -q --part 1/1 -o named.y4m > out 2> message || complain "named"
    "$deepfield" "${film[@]}" -q --part 1/2 -o named2.y4m > out 2> message || complain "named"
    mv named.y4m named2.y4m.deepfield/film.y4m
    ln named2.y4m.deepfield/film.y4m named2.y4m
    "$deepfield" "${film[@]}" -q -o named2.y4m > out 2> message || complain "a film that has its name"
    [[ ! -e named2.y4m.deepfield ]] || complain "the folder of a film that had its name"
    cmp whole.y4m named2.y4m || complain "a film that had its name"
    "$deepfield" "${film[@]}" -q -o named2.y4m > out 2> message && complain "replaced without --force"

    # Limited light follows from all frames before it: the same bytes, and no more flashes, also when a
    # run goes on from the light of another.
    printf '%s\n' '[a]' 'time = 0' 'zoom = 1e3' 'offset = 0' '[b]' 'time = 6' 'zoom = 1e4' 'offset = 60' > flicker.ini
    safe=(film seahorse --path flicker.ini --fps 60 --size 96x64 --method frames --samples 1 --flash-safe --json --log-json log)
    "$deepfield" "${safe[@]}" -o safe.y4m > out 2> message || complain "--flash-safe"
    grep -q '"safe":true,"frames_dimmed":[1-9]' out || complain "--flash-safe: not safe: $(< out)"
    "$deepfield" "${safe[@]}" -o again.y4m > out 2> message &
    process=$!
    begun again.y4m $process
    kill -KILL $process 2> /dev/null || true
    wait $process 2> /dev/null || true
    if [[ ! -e again.y4m ]]; then
        cp -r again.y4m.deepfield damaged.y4m.deepfield
        "$deepfield" "${safe[@]}" -o again.y4m > out 2> message || complain "--flash-safe, again"
        (($(made) < 360)) || complain "--flash-safe has begun anew: $(< message)"
        for light in damaged.y4m.deepfield/*.light; do echo x >> "$light"; done
        "$deepfield" "${safe[@]}" -o damaged.y4m > out 2> message || complain "--flash-safe, damaged"
        grep -q 'begins anew' message || complain "--flash-safe goes on from damaged light"
        cmp safe.y4m damaged.y4m || complain "--flash-safe, damaged: other bytes"
    fi
    cmp safe.y4m again.y4m || complain "--flash-safe: other bytes"
    # A folder that is not there.
    "$deepfield" "${film[@]}" -o none/x.y4m > out 2> message && complain "a folder that is not there"
    grep -q '^deepfield: there is no folder none/; make it, or name another with -o$' message ||
        complain "a folder that is not there: $(< message)"
    verdict
fi

RANDOM=$seed
echo "seed $seed"
often video x.y4m
often ranks x.y4m --ranks 3 --oversubscribe
often frames %04d.png --method frames --samples 1

# A rank that is killed: the launcher starts the film again.
"$deepfield" "${long[@]}" -o ranks.y4m --ranks 3 --oversubscribe --log-json log > out 2> message &
process=$!
begun ranks.y4m $process
"$deepfield" status ranks.y4m > how_far 2>&1 || echo "none: it has ended" > how_far
rank=$(for p in $(descendants $process); do
    ! tr '\0' '\n' 2> /dev/null < "/proc/$p/environ" | grep -qxE '(OMPI_COMM_WORLD|PMI)_RANK=1' || echo "$p"
done | head -n 1)
[[ ! $rank ]] || kill -KILL "$rank"
wait $process || complain "a rank was killed: code $?"
[[ ! $rank ]] || grep -q 'starting again with 2 ranks (restart 1 of 3)' message || complain "not told"
[[ ! $rank ]] || grep -q '"event":"restart"' log || complain "no event of the restart: $(< log)"
grep -q '"event":"start".*"command":"film"' log || complain "no event of the start: $(< log)"
tail -n 1 log | grep -q '"event":"end","code":0' || complain "no event of the end: $(< log)"
[[ $(< how_far) == *'% of the work in'*rank*host*tiles* || $(< how_far) == none* ]] ||
    complain "status: $(< how_far)"
"$deepfield" "${long[@]}" -q -o alone.y4m > out 2> message || complain "alone"
cmp alone.y4m ranks.y4m || complain "a rank was killed: other bytes"

# A stop while ranks compute what --dry-run asks for, which ends all of them.
"$deepfield" film seahorse --to 1e20 --size 8k --method frames --backend cpu --ranks 2 \
    --oversubscribe --dry-run > out 2> message &
process=$! code=0
sleep 2
SECONDS=0
kill -s INT $process 2> /dev/null || true
wait $process || code=$?
[[ $code == 75 || ($code == 0 && -s out) ]] || complain "--dry-run was stopped: $code, $(< message)"
((SECONDS < 30)) || complain "--dry-run was stopped: $SECONDS s"

if command -v ffmpeg > /dev/null; then
    # encoder NAME SIGNAL...: its encoder gets the signal when the first stretch is there
    encoder() {
        encoder=''
        "$deepfield" "${long[@]}" --size 320x180 -q -o "$1" > out 2> message &
        process=$!
        begun "$1" $process
        for ((tries = 0; tries < 100; tries++)); do
            encoder=$(pgrep -P $process ffmpeg | head -n 1) || true
            [[ ! $encoder ]] || break
            sleep 0.02
        done
        [[ $encoder ]] || fail "no encoder: the film is too short for this machine"
        kill -s "$2" "$encoder"
        for ((tries = 0; tries < 100; tries++)); do # all its threads
            [[ $2 == STOP && $(cut -d' ' -f3 "/proc/$encoder/stat") != T ]] || break
            sleep 0.05
        done
    }
    code=0
    encoder stopped.mp4 STOP
    kill -s INT $process
    SECONDS=0
    wait $process || code=$?
    [[ $code == 75 ]] || complain "a stopped encoder: code $code"
    ((SECONDS < 30)) || complain "a stopped encoder: $SECONDS s"
    grep -q 'what is done is in stopped.mp4.deepfield' message || complain "a stopped encoder: not told"
    "$deepfield" clean > out 2> message || complain "clean"
    grep -q '^stopped.mp4.deepfield: what is done of a film' out || complain "clean: $(< out)"
    "$deepfield" resume stopped.mp4 --json > out 2> message || complain "resume: code $?"
    (($(made) < 500)) || complain "resume has begun anew"
    [[ -s stopped.mp4 && ! -e stopped.mp4.deepfield ]] || complain "resume: $(ls)"
    code=0
    encoder killed.mp4 KILL
    wait $process || code=$?
    [[ $code == 74 ]] || complain "a killed encoder: code $code"
    grep -q 'ffmpeg was killed by signal 9.*the same command goes on' message || complain "not told"
    "$deepfield" "${long[@]}" --size 320x180 -q -o killed.mp4 > out 2> message || complain "after a killed encoder"
    # A stopped encoder does not outlive the program.
    encoder left.mp4 STOP
    kill -KILL $process
    wait $process 2> /dev/null || true
    for ((tries = 0; tries < 100; tries++)); do
        [[ -e /proc/$encoder && $(cut -d' ' -f3 "/proc/$encoder/stat") != Z ]] || break
        sleep 0.05
    done
    ((tries < 100)) || complain "an encoder is left"
fi
verdict
