#!/usr/bin/env bash
# Is every file as clean and finished as CONTRIBUTING.md says?
# usage: words.sh ROOT
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/files.sh"
cd -- "$1"

FUNCTION_LINES_MAX=100  # kernel bodies apart; the aim is one screen
FILE_BYTES_MAX=1500000

failed=0

# Prints what comes in, under a heading, and remembers that there was something.
complain() {
    local found
    found=$(cat)
    [[ -z $found ]] || { printf '%s\n%s\n' "$1:" "$found"; failed=1; }
}

mapfile -t sources < <(product)
mapfile -t texts < <(ours '*.[ch]' '*.inc' '*.cu' '*.cmake' '*CMakeLists.txt' '*.json' '*.sh' '*.md' \
    'configs/*.ini' 'assets/*.csv' quickstart .ci/run)
((${#sources[@]} && ${#texts[@]})) || { echo "no sources below $1"; exit 1; }

complain "open ends in product code (finish it, or write an issue)" < <(
    grep -nHwE 'TODO|FIXME|XXX|HACK' -- "${sources[@]}" || true)
complain "marks of a merge" < <(grep -nHE '^(<{7}|>{7}|\|{7}) ' -- "${texts[@]}" || true)
complain "tabs" < <(grep -nH $'\t' -- "${texts[@]}" || true)
complain "blanks at the end of a line, or carriage returns" < <(
    grep -nHE $'([ \t]|\r)$' -- "${texts[@]}" || true)
complain "no newline at the end" < <(
    diff <(grep -c '' -- "${texts[@]}") <(awk '{ print $2 ":" $1 }' <(wc -l -- "${texts[@]}") |
        sed '$d') | sed -n 's/^< \(.*\):[0-9]*$/\1/p')
complain "files over $FILE_BYTES_MAX bytes" < <(
    ours '*' | tr '\n' '\0' | xargs -0 stat -c '%s %n' -- |
        awk -v most="$FILE_BYTES_MAX" '$1 > most { print $2 " (" $1 ")" }')

# What a signal interrupts is done again, and opening waits for nobody (render/disk/pipe.h, render/disk/folder.h).
interruptible='open|openat|fsync|fdatasync|syncfs|ftruncate|fallocate'
# shellcheck disable=SC2016 # awk's
complain "a call that a signal may interrupt (TEMP_FAILURE_RETRY)" < <(
    printf '%s\n' "${sources[@]}" | grep -E '^(app|library|render)/.*\.c$' | tr '\n' '\0' | xargs -0 awk \
        -v calls="(^|[^a-z_A-Z0-9>.])($interruptible)\\(" '
        $0 ~ calls && !/^ *(\/\*|\*)/ && !/TEMP_FAILURE_RETRY|"\/dev\/null"/ &&
            before !~ /TEMP_FAILURE_RETRY\($/ { print FILENAME ":" FNR ": " $0 }
        { before = $0 }')
complain "fopen of more than /proc and /sys waits for the writer of a pipe (render/disk/folder.h, render/disk/pipe.h)" < <(
    grep -nHw 'fopen' -- "${sources[@]}" | grep -vE '^(app/launch/launch(_leftovers)?\.c|app/viewer/screen/figures\.c|render/disk/memory\.c):' || true)
complain "whole files that are read by hand (file_bytes_all of render/disk/file_bytes.h)" < <(
    grep -nHE '\<(p|f)?read\(.*st_size' -- "${sources[@]}" || true)
# Steps cost nanoseconds or milliseconds (kernels/stop.h). Runs of the CPU kernels are of doubles alone.
complain "requests to stop that are looked at by a count of steps" < <(
    grep -nHE '% *[A-Za-z_0-9]+ *== 0 *&&.*[sS]top' -- "${sources[@]}" | grep -v '(runs % STOP_RUNS ' || true)

complain "requests to stop that are looked at by hand (stop_asked of kernels/stop.h)" < <(
    grep -nHE '__atomic_load_n\([^)]*stop|[sS]top(_requested)? *&& *\*[A-Za-z_>.-]*stop|[^&a-z_]stop_requested *[)&|=!?]' \
        -- "${sources[@]}" | grep -v '^kernels/stop.h:' || true)

# Rooms whose comments have been read by hand: each begins with a noun or a verb and is understood
# alone, so one that needs the line above it as its subject is a step back. Add a room when it is done.
rooms_read=(
    app/
    decomposition/
    kernels/
    library/
    render/{colour,deflate,device,disk,file,film,find,growing,live,motion,picture,plan,reference,truth,view,window}/)
mapfile -t read_sources < <(printf '%s\n' "${sources[@]}" | grep -F -f <(printf '%s\n' "${rooms_read[@]}"))
complain "a comment without its subject (begin with a noun or a verb: 'rows of the file', not 'of the file')" < <(
    grep -nHiE '/\* ?(of|that|those|what is|what are|one is|and|in|which)\b' -- "${read_sources[@]}" || true)
complain "a comment that goes on in the next one (each is read alone)" < <(
    grep -nHE '/\* ?\.\.\.|(,|;| and) \*/$' -- "${read_sources[@]}" || true)
complain "a function without a noun (a stack trace has to say where it is)" < <(
    grep -nHE '^(static )?[a-z][a-z_0-9 ]*[ *](add|ask|begin|call|cut|end|fill|find|get|give|keep|look|make|move|put|read|run|say|send|set|show|step|take|tell|work|write)\(' \
        -- "${read_sources[@]}" || true)

# One tag, one struct: a debugger and a reader then know which. `deflater` is one type with a body
# for each library; the other tags wait for names of their own, and the list only becomes shorter.
tags_twice='deflater'
complain "struct tags with several definitions, or named above without (tests/style/words.sh)" < <(
    diff <(sort <<<"$tags_twice") \
        <(grep -ohE '^(static )?(const )?struct [a-z_0-9]+ \{' -- "${sources[@]}" |
            sed -E 's/.*struct ([a-z_0-9]+) \{/\1/' | sort | uniq -d) |
        sed -n 's/^> /several: /p; s/^< /only one now, take it off the list: /p')

# A function's body stands between a line "{" and a line "}" (.clang-format sees to it).
function_lines() {
    awk 'FNR == 1 { from = 0 } /^\{$/ { from = FNR } /^\}$/ && from {
        print FNR - from + 1, FILENAME ":" from; from = 0 }' "$@" | sort -rn
}
complain "functions over $FUNCTION_LINES_MAX lines" < <(
    function_lines "${sources[@]}" | grep -v ' kernels/escape/' |
        awk -v max="$FUNCTION_LINES_MAX" '$1 > max')

function_lines "${sources[@]}" | awk '
    { length_of[NR] = $1; place[NR] = $2 }
    END {
        if (NR) printf "%d functions, median %d lines, longest %d (%s)\n",
            NR, length_of[int((NR + 1) / 2)], length_of[1], place[1]
    }'
wc -l -- "${sources[@]}" | sort -rn | awk 'NR == 1 { print $1 " lines in all; the longest files:" }
    NR > 1 && NR < 5 { print "  " $1 " " $2 }'
exit "$failed"
