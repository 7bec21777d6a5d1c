# shellcheck shell=bash
# What tests of the viewer begin with: those of the program, no screen, and scripts that are played.
# shellcheck source=tests/support/program.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/program.sh"
export DEEPFIELD_LANGUAGE=en SDL_VIDEODRIVER=dummy XDG_DATA_HOME=$scratch/data
# No pictures for lists are made, unless a test wants them.
export XDG_CACHE_HOME=/dev/null

# played NAME WANTED_CODE COMMAND...: the script on stdin, by a viewer; "any" code is not looked at.
# With sanitizers on a busy machine it may take long.
played() {
    local name=$1 wanted=$2 code=0
    shift 2
    sed 's/^settle$/settle within 250/' >"$name.txt"
    "$@" --script "$name.txt" --report >"$name.json" 2>"$name.log" || code=$?
    [[ $wanted == any || $code == "$wanted" ]] ||
        complain "$name: code $code, not $wanted: $(<"$name.log")"
}
