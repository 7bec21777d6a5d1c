#!/usr/bin/env bash
# Jobs that join a picture, a region or a part of one, or a film of another job: the files are those of
# a run alone, when one of the jobs is killed, too. With DEEPFIELD_LONG pictures of several ranks,
# deep, in strips, and resumed.
# usage: join.sh DEEPFIELD SCRATCH
here=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/support/program.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"

# joined_tiles FILE: tiles of jobs that have joined, of a report.
joined_tiles() {
    awk -v RS='{"rank":' '/^[0-9]+,"joined":true/ {
        match($0, /"tiles":[0-9]+/)
        tiles += substr($0, RSTART + 8, RLENGTH - 8)
    }
    END { print tiles + 0 }' "$1"
}

# joins NAME RANKS: a job joins in the background; its process: $job. Its configuration is shared with
# the run.
joins() {
    DEEPFIELD_JOIN_FILE=join.txt "$deepfield" join join.txt --ranks "$2" >"$1.txt" 2>"$1.log" &
    job=$!
}

# begins WORDS...: a run that others may join, in the background; its process: $run. It has one thread
# and yields to them, so that a small one lasts until they have joined.
begins() {
    rm -f join.txt
    nice -n 10 "$deepfield" "$@" --threads 1 --join-file join.txt >report.json 2>message &
    run=$!
    appears join.txt
}

# joined_by COUNT: waits until so many jobs have joined, or the run has ended.
joined_by() {
    while kill -0 "$run" 2>/dev/null && (($(grep -c 'has joined' message) < $1)); do sleep 0.02; done
}

# finishes WHAT: the run ends well.
finishes() {
    local code=0
    ended "$run" || code=$?
    [[ $code == 0 ]] || complain "$1: code $code"
    [[ ! -e join.txt ]] || complain "$1: join.txt is left behind"
}

# still NAME RANKS JOINED SIZES WORDS...: a picture with two jobs, of which one is killed, is that of a
# run alone. The first size is taken that lasts until both have joined.
still() {
    local name=$1 ranks=$2 joined=$3 sizes size killed stays code
    read -ra sizes <<<"$4"
    shift 4
    for size in "${sizes[@]}"; do
        "$deepfield" render "$@" --size "$size" --ranks 1 -o alone.png --force --quiet >/dev/null
        begins render "$@" --size "$size" --ranks "$ranks" -o "$name.png" --force --json
        joins killed 1
        killed=$job
        joins stays "$joined"
        stays=$job
        joined_by 2
        kill -9 "$killed" 2>/dev/null || true
        wait "$killed" 2>/dev/null || true
        finishes "$name"
        code=0
        ended "$stays" || code=$?
        cmp alone.png "$name.png" || complain "$name: other pixels"
        ! grep -q 'has left.*others compute' message || break
    done
    grep -q 'has left.*others compute' message || complain "$name: nobody was killed"
    [[ $code == 0 ]] || complain "$name: the job that stays: code $code: $(<stays.log)"
    (($(joined_tiles report.json) > 0)) || complain "$name: joined jobs have no tiles"
}

# The second job has two ranks, and the picture more samples where they differ.
still direct 1 2 "800x600 2000x1500 6000x4500" elephant --samples auto

# shares NAME CUT SIZES WORDS...: what a run alone and one with a joined job write of the cut, a region
# or the second part, is the same. The first size is taken that lasts until the job has tiles.
shares() {
    local name=$1 sizes size width height cut ending="" code
    read -ra sizes <<<"$3"
    for size in "${sizes[@]}"; do
        width=${size%x*} height=${size#*x}
        cut=(--region "$((width / 4 + 1)),$((height / 5)),$((width / 2))x$((height / 2))")
        [[ $2 == region ]] || cut=(--part 2/2) ending=.part-2-of-2.rows
        rm -f alone.png* "$name.png"*
        "$deepfield" render "${@:4}" "${cut[@]}" --size "$size" --ranks 1 -o alone.png --quiet >/dev/null
        begins render "${@:4}" "${cut[@]}" --size "$size" --ranks 1 -o "$name.png" --json
        joins shares 1
        finishes "$name"
        code=0
        ended "$job" || code=$?
        cmp "alone.png$ending" "$name.png$ending" || complain "$name: other pixels"
        (($(joined_tiles report.json) == 0)) || break
    done
    [[ $code == 0 ]] || complain "$name: the joined job: code $code: $(<shares.log)"
    (($(joined_tiles report.json) > 0)) || complain "$name: the joined job has no tiles"
}

# Not from the first pixel of the picture on.
shares region region "1200x900 4000x3000 9000x6750" elephant --samples 1
shares region-samples region "1000x750 3000x2250 6000x4500" elephant --samples auto
shares region-deep region "400x300 1200x900" published/kf-1e50 --samples 1
shares part part "1200x900 3000x2250 9000x6750" elephant --samples 1
rm -f alone.png*

# A film, whose frames a job joins as soon as it can.
for seconds in 1 5 25; do
    words=(film seahorse --seconds "$seconds" --fps 4 --size 320x180 --ranks 1)
    "$deepfield" "${words[@]}" --force -o alone.y4m --quiet >/dev/null
    begins "${words[@]}" --force -o joined.y4m
    joins film 1
    finishes film
    code=0
    ended "$job" || code=$?
    cmp alone.y4m joined.y4m || complain "film: other frames"
    ! grep -q 'has joined' message || break
done
grep -q 'has joined' message || complain "film: nobody has joined"
[[ $code == 0 ]] || complain "film: the job that has joined: code $code: $(<film.log)"

# A deep one, whose frames share an orbit that the job gets once.
for seconds in 1 4 16; do
    words=(film published/kf-1e50 --from 1e45 --seconds "$seconds" --fps 4 --size 160x90 --samples 1 --ranks 1)
    "$deepfield" "${words[@]}" --force -o alone.y4m --quiet >/dev/null
    begins "${words[@]}" --force -o deep.y4m
    rm -f own.txt
    "$python" "$here/join/join_silent.py" join.txt own.txt 1000000 >later.txt &
    relay=$!
    appears own.txt
    "$deepfield" join own.txt --ranks 1 >/dev/null 2>deep.log &
    job=$!
    finishes "deep film"
    ended "$job" || true # where its run had ended before
    wait "$relay" || true
    cmp alone.y4m deep.y4m || complain "deep film: other frames"
    ! grep -q '[1-9]' later.txt || break
done
grep -q '[1-9]' later.txt || complain "deep film: no results of a frame without its orbit: $(<deep.log)"

# A job that knows the token and breaks every rule; the size that lasts as long as it plays.
for size in 1600x1200 9000x6750; do
    "$deepfield" render elephant --size $size --samples 1 --ranks 1 -o alone.png --force --quiet >/dev/null
    begins render elephant --size $size --samples 1 --ranks 1 -o hostile.png --force
    "$python" "$here/join/join_hostile.py" join.txt "${DEEPFIELD_LONG:-0}.3" "$RANDOM" >hostile.txt 2>&1 &
    hostile=$!
    finishes hostile
    wait "$hostile" || true # its run may have ended first
    cmp alone.png hostile.png || complain "hostile: other pixels"
    ! grep -q 'is dropped: it\|is dropped: a message' message || break
done
grep -q 'is dropped: it\|is dropped: a message' message || complain "hostile: nobody has joined: $(<hostile.txt)"

# A device that hangs: its job was fast, keeps the connection and brings nothing more.
for size in 2400x1800 9000x6750; do
    "$deepfield" render elephant --size $size --samples 1 --ranks 1 -o alone.png --force --quiet >/dev/null
    begins render elephant --size $size --samples 1 --ranks 1 -o silent.png --force
    rm -f own.txt
    "$python" "$here/join/join_silent.py" join.txt own.txt 12 >silent.txt 2>&1 &
    silent=$!
    appears own.txt
    "$deepfield" join own.txt --ranks 1 >/dev/null 2>silent.log &
    job=$!
    finishes silent
    ended "$job" || true # where its run had ended before
    kill "$silent" 2>/dev/null || true
    wait "$silent" || true
    cmp alone.png silent.png || complain "silent: other pixels"
    ! grep -q 'has brought no result' message || break
done
grep -q 'has brought no result' message || complain "silent: nobody was: $(<silent.txt) $(<silent.log)"

# What does not go together.
ends 64 "join-file" render elephant --ranks 1 --join-address 0.0.0.0
ends 64 "are the same file" render elephant --ranks 1 --join-file x.png -o ./x.png
ends 64 "dry run" render elephant --ranks 1 --dry-run --join-file join.txt
ends 78 "schedule dynamic" render elephant --ranks 1 --schedule cyclic --join-file join.txt -o x.png
ends 78 "no address" render elephant --ranks 1 --join-file join.txt --join-address nowhere.invalid -o x.png
[[ ! -e join.txt && ! -e x.png ]] || complain "a run that was refused leaves files"

if [[ ${DEEPFIELD_LONG:-} ]]; then
    still ranks 3 3 "2000x1500" seahorse-deep --samples auto
    still deep 3 1 "1600x1200" published/kf-1e50 --samples 2
    still strips 1 1 "9000x6000" elephant --samples 2 --memory 0.0625
    # A run that is killed, and goes on with other jobs.
    words=(render published/kf-1e50 --size 1600x1200 --samples 2 --set output.journal=0.01)
    "$deepfield" "${words[@]}" --ranks 1 -o alone.png --force --quiet >/dev/null
    begins "${words[@]}" -o killed.png --ranks 3
    joins first 1
    joined_by 1
    for ((i = 0; i < 600; i++)); do
        [[ ! -s killed.png.deepfield/records ]] || break
        sleep 0.05
    done
    kill_tree "$run"
    wait "$run" 2>/dev/null || true
    code=0
    ended "$job" || code=$?
    [[ $code == 71 ]] || complain "the job of a killed run: code $code: $(<first.log)"
    begins resume killed.png
    joins second 2
    finishes resumed
    ended "$job" || complain "the job of the resumed run: $(<second.log)"
    cmp alone.png killed.png || complain "resumed: other pixels"
    # A job that is silent is left out.
    begins "${words[@]}" --size 3000x2200 -o silent.png --ranks 1 --force
    joins silent 1
    joined_by 1
    kill -STOP "$job"
    finishes silent
    kill -KILL "$job"
    wait "$job" 2>/dev/null || true
    "$deepfield" "${words[@]}" --size 3000x2200 --ranks 3 -o alone.png --force --quiet >/dev/null
    cmp alone.png silent.png || complain "silent: other pixels"
fi
verdict
