#!/usr/bin/env bash
# What a run says of itself to others (--log-json, deepfield status), and what is left of one that
# was killed (deepfield clean).
# usage: watch.sh DEEPFIELD SCRATCH
# shellcheck disable=SC2154 # program.sh assigns them
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"
small=(render seahorse --size 64x36 --quiet)

# Events: one object a line, in order; with a file that exists they are added.
for _ in 1 2; do
    "$deepfield" "${small[@]}" -f -o picture.png --log-json log > out 2> message || complain "code $?"
done
[[ $(grep -oE '"event":"[a-z]+"' log | tr -d '\n') == \
    '"event":"start""event":"progress""event":"end""event":"start""event":"progress""event":"end"' ]] ||
    complain "events: $(< log)"
grep -q '"event":"progress".*"share":.*"left_s":.*"ranks":\[{"rank":0,"host":' log || complain "progress: $(< log)"
code=0
"$deepfield" "${small[@]}" -o picture.png --log-json log > out 2> message || code=$?
[[ $code == 73 && $(tail -n 1 log) == *'"event":"end","code":0,"text":null,"files":["picture.png"],"seconds":{"total":'*'},"checksums":{"count":"'*'}}' ]] || complain "a run that is refused: $code"
code=0
"$deepfield" "${small[@]}" -f -o picture.png --json --log-json - > out 2> message || code=$?
[[ $code == 64 && $(< message) == *'--log-json'* ]] || complain "two things on stdout: code $code"
code=0
"$deepfield" "${small[@]}" -f -o picture.png --log-json no/such/log > out 2> message || code=$?
[[ $code == 73 ]] || complain "no such folder: code $code"

# The status of a run, while there is a folder for it.
code=0
"$deepfield" status picture.png > out 2> message || code=$?
[[ $code == 66 && $(< message) == *'no folder picture.png.deepfield: a run makes it with the first tile'* ]] || complain "status of nothing: code $code"
printf '[view]\nre = -0.1\nim = 0\nzoom = 100\nlimit = 9000000000000000000\n' > endless.ini
mkdir picture.png.deepfield
# Begins it again, and waits until it has said how far it is.
endless() {
    rm -f picture.png.deepfield/status.json
    "$deepfield" render endless.ini --size 64x36 --set compute.shortcuts=off -f -o picture.png > out 2> message &
    run=$!
    for ((i = 0; i < 2400; i++)); do
        [[ ! -s picture.png.deepfield/status.json ]] || break
        sleep 0.05
    done
}
endless
"$deepfield" status picture.png > out 2> message || complain "status: code $?"
[[ $(< out) == *'% of the work in'*'running'*$'\n'*rank*host*tiles* ]] || complain "status: $(< out)"
# As it is seen from another host: it has said nothing for 81 s.
mkdir -p far.deepfield
sed -E "s/\"host\":\"[^\"]*\"/\"host\":\"n1\"/; s/(\"written_s\":)[0-9.]+/\1$(($(date +%s) - 81))/" \
    picture.png.deepfield/status.json > far.deepfield/status.json
"$deepfield" status far > out 2> message || complain "status of a silent run: code $?"
[[ $(< out) == *"no sign for 8"[1-9]" s of process $run on n1"* ]] || complain "a silent run: $(< out)"
kill -s KILL "$run"
wait "$run" 2> /dev/null || true
"$deepfield" status picture.png > out 2> message || complain "status: code $?"
[[ $(< out) == *'its process is gone'* ]] || complain "status of a dead run: $(< out)"
"$deepfield" status picture.png.deepfield --json > out 2> message || complain "status --json: code $?"
[[ $(< out) == '{"schema":"status/1","host":'*'"state":"gone","code":null,"text":null}' ]] || complain "status --json: $(< out)"
endless
kill "$run"
code=0
wait "$run" || code=$?
[[ $code == 75 ]] || complain "a run that is stopped: $code"
"$deepfield" status picture.png > out 2> message || complain "status: code $?"
[[ $(< out) == *'of the work in'*'; ended '*' ago with code 75: stopped on request'* ]] ||
    complain "status of a run that was stopped: $(< out)"
"$deepfield" status picture.png --json > out 2> message || complain "status --json: code $?"
[[ $(< out) == *'"state":"ended","code":75,"text":"stopped on request'*'"}' ]] || complain "status --json: $(< out)"
echo '{"host":1}' > picture.png.deepfield/status.json
code=0
"$deepfield" status picture.png > out 2> message || code=$?
[[ $code == 65 ]] || complain "status of something else: code $code"

# Ranks that have outlived the program and mpirun; in a folder of their own, which they sweep.
mkdir ranks
(cd ranks && exec "$deepfield" render ../endless.ini --size 64x36 --set compute.shortcuts=off --ranks 2 \
    -o endless.png 2> ../message) &
launcher=$!
busy "$launcher" 30 || complain "no rank computes" # then both have begun
mapfile -t family < <(descendants "$launcher")
# Unfinished files: of a dead process, of a live one, and something that only looks so.
host=$(hostname | tr -c '[:alnum:]\n' - | cut -c1-32)
touch ".a.png.$host.1.abc.part" ".b.png.$host.1.abc.part" ".c.png.elsewhere.1.abc.part" d.part
flock --no-fork ".b.png.$host.1.abc.part" sleep 100 > /dev/null 2>&1 &
holder=$!
for ((i = 0; i < 2400; i++)); do
    flock -n ".b.png.$host.1.abc.part" true || break
    sleep 0.02
done
kill -s STOP "${family[@]:1}"
kill -s KILL "$launcher" "${family[0]}"
wait "$launcher" 2> /dev/null || true
for process in "${family[@]:1}"; do # Hydra's proxies, the parents of its ranks, end them
    ! grep -q '^hydra' "/proc/$process/comm" 2> /dev/null || kill -s CONT "$process" || true
done
"$deepfield" clean > out 2> message || complain "clean: code $?"
# Linux lets stopped processes go on, with a hang-up, when the one that would continue them has ended:
# ranks may end by that before they are found.
[[ $(< out) == 'removed: 1 unfinished files, '[0-9]*'left: 1 unfinished'* ]] || complain "clean: $(< out)"
[[ ! -e .a.png.$host.1.abc.part && -e .b.png.$host.1.abc.part && -e .c.png.elsewhere.1.abc.part && -e d.part ]] ||
    complain "clean: $(ls -A)"
for ((i = 0; i < 2400; i++)); do
    ranks=''
    for process in "${family[@]:1}"; do
        [[ ! -e /proc/$process ]] || [[ $(cut -d' ' -f3 "/proc/$process/stat") == Z ]] || ranks+=" $process"
    done
    [[ $ranks ]] || break
    sleep 0.05
done
[[ ! $ranks ]] || complain "ranks that are left:$ranks"
kill "$holder"
wait "$holder" 2> /dev/null || true
rm ".c.png.elsewhere.1.abc.part"
verdict
