#!/bin/bash
# A folder that keeps orbits changes no byte of a picture, and whatever is wrong with it is a warning
# and no failure.
# usage: orbit_cache.sh DEEPFIELD SCRATCH
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
printf '%s\n' '[view]' \
    're = -0.0494700290631040937516922267273536301187457124882248793181049' \
    'im = -0.6747875758446753640113920531305976563347707068224034806979997' 'zoom = 1' > deep.ini

view=deep.ini

# picture NAME ZOOM LIMIT OPTIONS...: of $view
picture() {
    local name=$1 zoom=$2 limit=$3
    shift 3
    "$deepfield" render "$view" --set view.zoom="$zoom" --limit "$limit" --size 49x31 --quiet -f \
        -o "$name.npy" --json "$@" > "$name.json" 2> "$name.log" ||
        complain "$name: $(cat "$name.log")"
}

# same NAME CACHE TOLD ZOOM LIMIT OPTIONS...: like the picture without a folder; the cache was CACHE
# (new, longer, found, null), the message has TOLD.
same() {
    local name=$1 cache=$2 told=$3
    shift 3
    local alone=alone-$view-$1-$2
    [ -e "$alone.json" ] || picture "$alone" "$1" "$2"
    picture "$name" "$@"
    for plane in count fraction; do
        cmp "$alone.$plane.npy" "$name.$plane.npy" || complain "$name: $plane is another"
    done
    [ -s "$name.log" ] || echo > "$name.log"
    if [ -n "$cache" ] && ! grep -q "\"cache\":$cache," "$name.json" || ! grep -q -- "$told" "$name.log"; then
        complain "$name: not $cache, '$told': $(grep -o '"cache.*seconds"' "$name.json") $(cat "$name.log")"
    fi
}

kept=(--orbit-cache kept)
same short '"new"' '^$' 1e50 3000 "${kept[@]}"
same longer '"longer"' '^$' 1e50 263010 "${kept[@]}"
same again '"found"' '^$' 1e50 263010 "${kept[@]}"
same shorter '"found"' '^$' 1e50 700 "${kept[@]}"
same nearby '"found"' '^$' 1e48 90000 "${kept[@]}"
same wider '"found"' '^$' 3e44 2000 "${kept[@]}"
same ranks '"found"' '^$' 1e50 263010 "${kept[@]}" --ranks 3
same direct '' '^$' 1e5 1000 "${kept[@]}"
[ "$(find kept -type f | wc -l)" = 1 ] || complain "kept: $(ls -A kept)"

# Formulas: a fold, a Julia set that needs more bits than its pixels, Newton's method, a tape and
# several orbits.
kept=(--orbit-cache formulas)
for place in "burning-ship-miniship 1e101 20000" "phoenix-julia-310 2.5e310 2500" \
    "newton-4-deep 1.77e108 2000" "nova-5-deep 1e52 6000"; do
    read -r name zoom limit <<< "$place"
    view=formulas:$name
    same "$name" '"new"' '^$' "$zoom" "$limit" "${kept[@]}"
    same "$name" '"found"' '^$' "$zoom" "$limit" "${kept[@]}"
done
same ranks '"found"' '^$' 1e52 6000 "${kept[@]}" --ranks 3
for orbit in formulas/*.orbit; do
    truncate -s -1 "$orbit"
done
same truncated '"new"' 'orbit cache: .* bytes instead of' 1e52 6000 "${kept[@]}"
view=deep.ini
kept=(--orbit-cache kept)

# What may lie there.
orbit=$(echo kept/*.orbit)
truncate -s -1 "$orbit"
same truncated '"new"' 'orbit cache: .* bytes instead of' 1e50 263010 "${kept[@]}"
same mended '"found"' '^$' 1e50 263010 "${kept[@]}"
printf x | dd of="$orbit" bs=1 seek=3000 conv=notrunc status=none
same damaged '"new"' 'is not consistent\|checksum is wrong' 1e50 263010 "${kept[@]}"
printf 'not an orbit' > "$orbit"
same foreign '"new"' 'is no reference orbit' 1e50 263010 "${kept[@]}"
same nowhere null 'cannot create the folder /proc/nowhere' 1e50 2000 --orbit-cache /proc/nowhere
same file null 'deep.ini is no folder' 1e50 2000 --orbit-cache deep.ini
(
    ulimit -f 40 # blocks of 1024 bytes: the picture fits, the orbit does not
    same full '"new"' 'the orbit is not kept\|cannot write' 1e50 263010 --orbit-cache full
    exit "$failures"
) || failures=$((failures + 1))
[ -z "$(ls -A full)" ] || complain "full: $(ls -A full)"

# Two at once.
rm -rf kept
picture one 1e50 263010 "${kept[@]}" &
picture two 1e50 200000 "${kept[@]}"
wait
same both '\("found"\|"longer"\)' '^$' 1e50 263010 "${kept[@]}"
[ -z "$(find kept -name '.*' -type f)" ] || complain "kept: $(ls -A kept)"

# One that is stopped is kept, and goes on with what it had.
printf '[view]\nre = -0.75\nim = 0\nzoom = 1e600\nlimit = 9000000000000000000\n' > endless.ini
before=0
for run in first second; do
    "$deepfield" render endless.ini --size 9x7 --orbit-cache stopped -o endless.png > stopped.log 2>&1 &
    pid=$!
    for ((i = 0; i < 6000; i++)); do # until the estimate of errors is done, and some of the orbit
        read -r -a stat < "/proc/$pid/stat" || break
        ((stat[13] < 90)) || break
        sleep 0.01
    done
    kill -s TERM "$pid"
    code=0
    wait "$pid" || code=$?
    bytes=$(cat stopped/*.orbit | wc -c)
    if [ "$code" != 75 ] || ! grep -q 'goes on from there' stopped.log || ((bytes <= before)); then
        complain "stopped, $run run: code $code, $bytes bytes after $before: $(cat stopped.log)"
    fi
    before=$bytes
done
verdict
