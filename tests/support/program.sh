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

# usage: verdict; at the end of a test that complains
verdict() {
    echo "$failures failures"
    exit $((failures > 0))
}
