#!/usr/bin/env bash
# One call of a render fails: memory, the disk, the kernel's tables, a signal that interrupts it. Then
# the files are the same bytes, or the code and one sentence say what happened and nothing partial is
# left; and the next run makes the files.
#
#   failing_calls.sh DEEPFIELD SCRATCH LIBRARY WHICH [CASE [CALL NTH [ERRNO]]]
#
#   LIBRARY   tests/support/failing_calls.c
#   WHICH     some: half a dozen calls of each case; places: of every place in the program that makes calls
#             the first; all: the first 200 of every kind
#   SURVEY    in the environment, a file: gets a line for each run (case, call, nth, errno, code, sentence)
# shellcheck disable=SC2154 # program.sh assigns them
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
set +eo pipefail # codes are looked at one by one
library=$3 which=$4
only_case=${5-} only_call=${6-} only_nth=${7-} only_error=${8-}
seed=${SEED:-1} runs=0 # a fixed sample: what fails once fails again
RANDOM=$seed

# The CUDA runtime is linked into the program and ends it without memory.
nm -n --defined-only "$deepfield" | awk '
    $2 !~ /^[TtWw]$/ { next }
    { theirs = $3 ~ /^(libcudart_static|(__)?cuda[A-Z])/ }
    theirs && !inside { printf "%s ", $1 }
    inside && !theirs { print $1 }
    { inside = theirs }' >except
export FAILING_EXCEPT=$PWD/except

memory='malloc calloc realloc aligned_alloc posix_memalign strdup strndup open_memstream fdopen fdopendir mmap'
interrupted='open openat read pread write pwrite fsync fdatasync ftruncate fallocate' # by a signal
short='read pread write pwrite'
removing='unlink unlinkat openat fdopendir fstat' # what cannot be removed the next run removes

run() { "$deepfield" "${command[@]}" --threads 1 --ranks 1 --quiet "$@" </dev/null; }

cleared() { (cd failed && run --force) >/dev/null 2>again || echo "cleared: $(tail -1 again)"; }

# What is wrong with what the run has said, and left in the folder `failed`.
judge() { # CALL ERRNO CODE
    local call=$1 error=$2 code=$3 last='' line name
    if ((code == 0)); then
        [[ " $removing " != *" $call "* ]] || cleared
        diff -r whole failed >/dev/null || echo "code 0, but other files: $(diff -rq whole failed | head -3)"
        return
    fi
    [[ $code == @(64|65|66|69|70|71|73|74|75|76|77|78) ]] || echo "code $code"
    [[ ! $error ]] || echo "code $code where it has only to try again"
    while read -r line; do last=$line; done <message
    [[ $last == 'deepfield: '?* ]] || echo "no sentence: '$last'"
    [[ $last != *@("''"|'""'|'  '|'(null)'|': :'|' : '|'Success'|' ,')* ]] || echo "a sentence with a gap: $last"
    [[ " $memory " != *" $call "* || $code$last == 71*memory* ]] || echo "not about memory: $last"
    for name in failed/* failed/.[!.]*; do
        [[ -e $name ]] || continue
        name=${name#failed/}
        case $name in
        *.deepfield) grep -q -- "$name" message || echo "$name is left and not named" ;;
        *) diff -r "whole/$name" "failed/$name" >/dev/null 2>&1 || echo "$name is left, partial" ;;
        esac
    done
    (cd failed && run --force) >/dev/null 2>again || echo "again: $(tail -1 again)"
    diff -r whole failed >/dev/null || echo "again: other files: $(diff -rq whole failed | head -3)"
}

fail_one() { # CALL NTH ERRNO
    local code=0 wrong
    rm -rf failed && mkdir failed
    (
        cd failed || exit
        export FAILING_CALL=$1 FAILING_NTH=$2 FAILING_LOG=../log
        [[ ! $3 ]] || export FAILING_ERRNO=$3
        exec timeout -s KILL 60 env LD_PRELOAD="$library" \
            "$deepfield" "${command[@]}" --threads 1 --ranks 1 --quiet
    ) </dev/null >out 2>message || code=$?
    runs=$((runs + 1))
    wrong=$(judge "$1" "$3" "$code")
    [[ ! ${SURVEY-} ]] || printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$case" "$1" "$2" "$3" "$code" "$(tail -1 message)" >>"$SURVEY"
    [[ ! $wrong ]] || complain "$case: $1 $2 $3, $(tail -1 log): $wrong"
}

# With the errors that are to be tried of a call.
fail_ways() { # CALL NTH
    fail_one "$1" "$2" ''
    [[ " $interrupted " != *" $1 "* ]] || fail_one "$1" "$2" 4 # EINTR
    [[ " $short " != *" $1 "* ]] || fail_one "$1" "$2" short
}

# Lines "CALL NTH" of the calls that are to fail.
chosen() {
    local word call count nth
    while read -r word call count; do
        case $which:$word in
        some:first | places:first) echo "$call $count" ;;
        all:first | *:at) ;;
        all:*) for ((nth = 1; nth <= call && nth <= 200; nth++)); do echo "$word $nth"; done ;;
        esac
    done <counts | sort
}

each() { # CASE arguments ...
    case=$1 command=("${@:2}")
    local lines=() line begin=0 step=1 call nth
    [[ ! $only_case || $only_case == "$case" ]] || return 0
    rm -rf whole && mkdir whole
    (cd whole && LD_PRELOAD=$library FAILING_LOG=../counts run) >/dev/null 2>message || fail "$case: $(<message)"
    if [[ $only_call ]]; then
        fail_one "$only_call" "$only_nth" "$only_error"
        return
    fi
    mapfile -t lines < <(chosen)
    if ((${#lines[@]} < 6)); then
        complain "$case: ${#lines[@]} calls are counted; is $library loaded?"
        return
    fi
    if [[ $which == some ]]; then
        step=$((${#lines[@]} / 6)) begin=$((RANDOM % step))
    fi
    for ((line = begin; line < ${#lines[@]}; line += step)); do
        read -r call nth <<<"${lines[line]}"
        fail_ways "$call" "$nth"
    done
}

kept=(--set output.journal=0.00001)
view=(whole-set --limit 200)
each png render "${view[@]}" --size 64x48 -o x.png
each exr render "${view[@]}" --size 64x48 -o x.exr
each npy render "${view[@]}" --size 64x48 --planes count,fraction -o x.npy
each tif render "${view[@]}" --size 64x48 -o x.tif
each tif_overviews render "${view[@]}" --size 600x300 --overviews yes -o x.tif
each jpg render "${view[@]}" --size 64x48 -o x.jpg
each webp render "${view[@]}" --size 64x48 -o x.webp
each dzi render "${view[@]}" --size 300x300 -o x.dzi
each png_kept render "${view[@]}" --size 64x48 "${kept[@]}" -o x.png -o x.npy
each exr_strips render "${view[@]}" --size 3000x400 --samples 2 --memory 0.0625 "${kept[@]}" -o x.exr
each dzi_strips render "${view[@]}" --size 3000x400 --samples 2 --memory 0.0625 "${kept[@]}" -o x.dzi
each deep render seahorse-deep --size 32x18 -o x.png
each y4m film "${view[@]}" --size 64x48 --seconds 0.1 -o x.y4m
echo "$runs runs, seed $seed"
verdict
