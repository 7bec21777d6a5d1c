#!/usr/bin/env bash
# Jobs that join a viewer of another job, and leave. With DEEPFIELD_LONG a shallow picture, too.
# usage: view_join.sh DEEPFIELD SCRATCH
here=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/support/viewer.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/viewer.sh"

# views NAME VIEW: a viewer in the background that plays the script on stdin; its process: $viewer.
views() {
    rm -f join.txt shot.png
    sed 's/^settle$/settle within 250/' >"$1.script"
    "$deepfield" view "$2" --size 320x180 --samples 1 --ranks 1 --join-file join.txt \
        --script "$1.script" 2>"$1.log" &
    viewer=$!
    appears join.txt
    [[ $(stat -c %a join.txt) == 600 ]] || complain "others can read join.txt"
}

# viewed NAME: it has ended well.
viewed() {
    local code=0
    wait "$viewer" || code=$?
    [[ $code == 0 ]] || complain "$1: code $code: $(<"$1.log")"
    [[ ! -e join.txt ]] || complain "join.txt is left behind"
}

# joins NAME RANKS: a job joins in the background; its process: $job. Its configuration is shared
# with the viewer.
joins() {
    "$deepfield" join join.txt --ranks "$2" --set compute.join_file=join.txt >"$1.txt" 2>"$1.log" &
    job=$!
}

# Tiles of the chart, then the picture of render.
takes_tiles='key shift+t
wait until tiles-last > 0
key shift+t
settle within 250
key tab
expect same-as-render'

# A job of one rank is killed while it has tiles; one of three, two of which compute, ends with the
# viewer. Pictures, shallow and deep, are those of render.
for view in ${DEEPFIELD_LONG:+seahorse} seahorse-deep; do
    views "$view" "$view" <<SCRIPT
settle
wait until computing = 2
wait until trouble has "has joined, with"
expect workers = 2
$takes_tiles
key tab
workers 1
wait until computing = 1
workers 0
wait until computing = 2
shot shot.png
key shift+t
wait until computing = 1
key shift+t
settle
wait until computing = 2
$takes_tiles
quit
SCRIPT
    joins one 1
    appears shot.png
    kill -9 "$job"
    wait "$job" 2>/dev/null || true
    joins three 3
    viewed "$view"
    wait "$job" || complain "$view: the joined job ends with $?: $(<three.log)"
    grep -q "^joined join.txt as rank 1$" three.txt || complain "three: $(<three.txt)"
done

# Nobody is there; a wrong token is refused, and hostile bytes end their connection alone.
ends 66 "nothing.txt" join nothing.txt --ranks 1
printf 'deepfield join 1\n127.0.0.1\n1\n%032d\n' 0 >closed.txt
ends 71 "no run listens" join closed.txt --ranks 1
echo other >other.txt
ends 65 "join-file" join other.txt --ranks 1
# A file that no viewer has written stays.
ends 73 "name another file" view seahorse --ranks 1 --join-file other.txt
[[ $(<other.txt) == other ]] || complain "--join-file has replaced a file"
ends 64 "join-file" view seahorse --ranks 1 --join-address 0.0.0.0
# What listens and says nothing is not waited for when the job is told to stop.
rm -f mute.txt greeted.txt
"$python" -c '
import socket
mute = socket.create_server(("127.0.0.1", 0))
mute.settimeout(60)
open("mute.txt", "w").write(f"deepfield join 1\n127.0.0.1\n{mute.getsockname()[1]}\n{0:032d}\n")
link = mute.accept()[0]
link.recv(1)
open("greeted.txt", "w").write("yes")
link.settimeout(60)
while link.recv(1000):
    pass' &
mute=$!
appears mute.txt
"$deepfield" join mute.txt --ranks 1 2>mute.log &
job=$!
appears greeted.txt
kill -TERM "$job"
code=0
wait "$job" || code=$?
[[ $code == 75 ]] || complain "stopped before the answer: $code: $(<mute.log)"
wait "$mute" || true
views hostile seahorse <<SCRIPT
settle
wait until computing = 2
$takes_tiles
quit
SCRIPT
sed 's/^[0-9a-f]\{32\}$/0123456789abcdef0123456789abcdef/' join.txt >guess.txt
ends 71 "refuses" join guess.txt --ranks 1
port=$(sed -n 3p join.txt)
for bytes in 1 300 100000; do
    head -c "$bytes" /dev/urandom 2>/dev/null >"/dev/tcp/127.0.0.1/$port" || true
done
"$python" "$here/../join/join_hostile.py" join.txt "${DEEPFIELD_LONG:-0}.5" "$RANDOM" >hostile.txt || complain "hostile: $(<hostile.txt)"
joins late 1
viewed hostile
wait "$job" || complain "the late job ends with $?: $(<late.log)"
verdict
