# shellcheck shell=bash
# What the tests that are scripts begin with: the program and an empty folder to be in, which are
# the first two words of the command line, and a way to complain.
set -euo pipefail
# shellcheck disable=SC2034 # for what follows
deepfield=$1
scratch=$2
rm -rf -- "$scratch"
mkdir -p -- "$scratch"
cd -- "$scratch"
failures=0
# A first python3 on PATH may be a script that looks for one, which takes longer than what it is to run.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
export STARTED_BY=$$:$scratch # in the environment of all that it starts

# A failure, with what the program said if that is in the file `message`; the test goes on.
complain() {
    printf 'FAILED: %s\n' "$*"
    [[ ! -s message ]] || sed 's/^/    /' message
    failures=$((failures + 1))
}

fail() {
    complain "$@"
    exit 1
}

# ends CODE TEXT WORDS...: the program ends in time, with this code and this in what it says.
ends() {
    local code=$1 text=$2 rc=0
    shift 2
    timeout -k 1 200 "$deepfield" "$@" >out 2>message || rc=$?
    [[ $rc -eq $code && $(cat out message) == *"$text"* ]] ||
        complain "deepfield $*: code $rc, not $code, or not '$text'"
}

# appears FILE [TEXT]: waits for it, or for a file with this text in it, a minute at most.
appears() {
    local i
    for ((i = 0; i < 1200; i++)); do
        [[ ! -s $1 ]] || ! grep -aqs -e "${2-}" "$1" || return 0
        sleep 0.05
    done
    complain "$1 does not appear ${2:+with $2}"
}

# same_folders FOLDER FOLDER WHAT
same_folders() {
    diff -r "$1" "$2" >/dev/null || complain "$3: $(diff -rq "$1" "$2" | head -3)"
}

# The processes that PID has started, and those that they have.
descendants() {
    local child children=''
    read -r children 2>/dev/null <"/proc/$1/task/$1/children" || true
    for child in $children; do
        echo "$child"
        descendants "$child"
    done
}

# Kills a process and all that it has started.
kill_tree() {
    local process
    for process in $(descendants "$1") "$1"; do kill -KILL "$process" 2>/dev/null || true; done
}

# kill_keeping FILE COMMAND...: begins it, and it is killed with the first record in the journal of the file,
# by tests/support/killing.c, the library KILLING.
kill_keeping() {
    local file=$1
    shift
    {
        (cd -- "$(dirname -- "$file")" && LD_PRELOAD=$KILLING KILLED_AT=1 \
            ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 exec "$@") || true
    } >/dev/null 2>&1 # the shell says "Killed"
    [[ ! -e $file && -s $file.deepfield/records ]] || complain "it was not killed: $*"
}

# ended PID: its exit code; after four minutes it is killed. `tail` looks at it and goes with it.
ended() {
    timeout 240 tail -s 0.1 --pid="$1" -f /dev/null || kill -KILL "$1"
    wait "$1"
}

# busy PID TICKS: waits until a deepfield that descends from PID has computed for TICKS/100 s, and
# puts its number into $rank; it fails if PID is gone, or after two minutes.
busy() {
    local stat ticks
    for ((i = 0; i < 1200; i++)); do
        for rank in $1 $(descendants "$1"); do
            stat=$(cat "/proc/$rank/stat" 2>/dev/null) || continue
            read -ra ticks <<<"${stat##*) }"
            [[ $stat != *'(deepfield)'* ]] || ((ticks[11] < $2)) || return 0
        done
        kill -0 "$1" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

# usage: verdict; at the end of a test that complains. It is a failure if what it has started is still
# there, which holds what it has inherited: a pipe that CTest reads, a lock. The killed may take a moment.
verdict() {
    local i left process
    for ((i = 0; i < 100; i++)); do
        left=$(env -u STARTED_BY grep -lsFxz "STARTED_BY=$STARTED_BY" /proc/[0-9]*/environ) || true
        [[ $left ]] || break
        sleep 0.1
    done
    for process in ${left//environ/}; do
        complain "still there: $(tr '\0' ' ' 2>/dev/null <"$process/cmdline")"
        kill -KILL "$(basename -- "$process")" 2>/dev/null || true
    done
    echo "$failures failures"
    exit $((failures > 0))
}
