#!/usr/bin/env bash
# Do the documents say what is there?
# usage: docs.sh ROOT PROGRAM
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/files.sh"
cd -- "$1"
program=$2

FOLDER_README_LINES_MAX=15
ROOM_README_LINES_MAX=10
ARCHITECTURE_WORDS_MAX=3000 # ten minutes
README_WORDS_MAX=1420 # 120 of them the statement of need
FOLDER_SOURCES_MAX=48 # the fullest has 46; more than a screen of names is two rooms

failed=0
complain() {
    printf '%s\n' "$*"
    failed=1
}

# `code` of a document: what stands between backticks, and fenced blocks.
code_of() {
    awk -F '`' '/^```/ { fenced = !fenced; next }
        fenced { print; next }
        { for (i = 2; i < NF; i += 2) print $i }' "$1"
}

guide() {
    local page
    for page in README.md docs/guide/*.md; do code_of "$page"; done
}

# README.md is read in a few minutes and links to every page, and a page begins with what it is about.
check_guide() {
    local page
    (($(wc -w <README.md) <= README_WORDS_MAX)) ||
        complain "README.md: more than $README_WORDS_MAX words; details belong in docs/guide/"
    for page in docs/guide/*.md; do
        grep -qF "]($page)" README.md || complain "README.md: no link to $page"
        head -1 "$page" | grep -qE '^# [A-Z].*: ' || complain "$page: the first line is not '# Title: what it has'"
    done
}

# Every path of the tree that a document names exists; a `*` must match something.
check_paths() {
    local document=$1 folder path
    folder=$(dirname -- "$document")
    while IFS= read -r path; do
        path=${path//NAME/*}
        compgen -G "$path" >/dev/null || compgen -G "$folder/$path" >/dev/null ||
            complain "$document: $path does not exist"
    done < <(code_of "$document" | grep -oE "(^|[ \"(])(\./)?($tops)/[A-Za-z0-9_.*/-]*" |
        sed -E 's/^[ "(]//; s/[.,:]+$//' | sort -u)
    while IFS= read -r path; do
        [[ -e $folder/$path ]] || complain "$document: the link to $path leads nowhere"
    done < <(grep -oE '\]\([^)#:]+\)' "$document" | sed -E 's/^\]\(//; s/\)$//' | sort -u)
}

# Every file that a folder's README names alone stands in that folder.
check_names() {
    local folder=$1 name
    while IFS= read -r name; do
        compgen -G "$folder/$name" >/dev/null || complain "$folder/README.md: no $name in $folder/"
    done < <(code_of "$folder/README.md" | grep -xE '(\.\./)?[a-z0-9_*]+\.(c|h|inc|cu)' | sort -u)
}

# Every function and struct that the pages about the code name is a word of the sources.
check_functions() {
    local words='[a-z][a-z0-9]*(_[a-z0-9]+)+' pages name
    mapfile -t pages < <(ours ARCHITECTURE.md CONTRIBUTING.md 'docs/*.md' '*/README.md')
    while IFS= read -r name; do
        complain "$(grep -lwF -- "$name" "${pages[@]}" | head -1): no $name in the sources"
    done < <(comm -23 <(for page in "${pages[@]}"; do code_of "$page"; done |
        grep -xE "(struct )?$words" | sed 's/^struct //' | sort -u) \
        <(ours '*.[ch]' '*.inc' '*.cu' '*.sh' '*CMakeLists.txt' '*.cmake' '*.ini' | tr '\n' '\0' |
            xargs -0 grep -ohE "$words" -- | sort -u))
}

# Every folder of sources has a README, short enough to be read, and few enough files to be seen at once.
check_rooms() {
    local folder files lines
    while read -r files folder; do
        ((files <= FOLDER_SOURCES_MAX)) ||
            complain "$folder/: $files sources; a folder has at most $FOLDER_SOURCES_MAX: make rooms"
        [[ -f $folder/README.md ]] || { complain "$folder/ has no README.md"; continue; }
        check_names "$folder"
        lines=$(wc -l <"$folder/README.md")
        [[ $folder != */* ]] || ((lines <= ROOM_README_LINES_MAX)) ||
            complain "$folder/README.md: $lines lines; a room's README has at most $ROOM_README_LINES_MAX"
        [[ $folder != */* || $folder == */*/* ]] ||
            grep -qE "^\| \`${folder%/*}/\` \|.*[ \`/]${folder#*/}[ ,/\`]" ARCHITECTURE.md ||
            complain "ARCHITECTURE.md: no word about the room $folder/"
    done < <(product | sed 's|/[^/]*$||' | sort | uniq -c)
}

# Every option and command that README.md and the guide give deepfield is known to its help text.
check_command_line() {
    local help option command
    help=$("$program" --help)
    for command in $(guide | grep -oE '(^|/| )deepfield [a-z]+' | awk '{ print $2 }' | sort -u); do
        grep -qwF -- "$command" <<<"$help" || complain "README.md or docs/guide: no command '$command' in --help"
        help+=$("$program" "$command" --help)
    done
    for option in $(guide | grep -E 'deepfield|^--?[a-z]' |
        grep -oE '(^| )--?[a-z][a-z-]*' | sort -u); do
        case $option in
            -n | -m | -u | --now | --preset) continue ;; # of mpirun, useradd, systemctl and cmake
            --cflags | --libs | -G) continue ;; # of pkg-config and cpack
            --ntasks-per-node | --gpus-per-node | --launcher | --submit) continue ;; # of salloc, selftest
        esac
        grep -qE -- "(^|[^a-z-])$option([^a-z-]|$)" <<<"$help" ||
            complain "README.md or docs/guide: no option '$option' in any --help"
    done
}

# The exit codes of the guide are those of the list of statuses.
check_exit_codes() {
    local code
    while IFS= read -r code; do
        grep -qE "^\| $code \|" docs/guide/exit-codes.md ||
            complain "docs/guide/exit-codes.md: exit code $code is not in the table"
    done < <(sed -nE 's/^ *ROW\(STATUS_[A-Z_]+, ([0-9]+),.*/\1/p' kernels/status.h | sort -un)
}

# Every kind of picture file is in the table of the guide.
check_suffixes() {
    local suffix
    while IFS= read -r suffix; do
        grep -qF "| \`$suffix\` |" docs/guide/files.md || complain "docs/guide/files.md: no row for $suffix"
    done < <(sed -nE 's/^ *\.suffix = "(\.[a-z0-9]+)",.*/\1/p' render/file/sink_*.c)
}

# Every preset is explained where people look for it.
check_presets() {
    local preset
    for preset in $(cmake --list-presets=all | grep -oE '^ +"[a-z0-9]+"' | tr -d ' "' | sort -u); do
        grep -qE "\`$preset\`" CONTRIBUTING.md || complain "CONTRIBUTING.md: no word about preset $preset"
    done
}

tops=$(find . -maxdepth 1 -mindepth 1 -type d -printf '%f|' | sed 's/|build|/|/; s/^build|//; s/|$//; s/\./\\./g')
while IFS= read -r document; do
    check_paths "$document"
    lines=$(wc -l <"$document")
    if [[ $document == */README.md && $lines -gt $FOLDER_README_LINES_MAX ]]; then
        complain "$document: $lines lines; a folder's README has at most $FOLDER_README_LINES_MAX"
    fi
done < <(ours '*.md')
for folder in kernels decomposition render library app configs assets tests; do
    [[ -f $folder/README.md ]] || complain "$folder/ has no README.md"
done
words=$(wc -w <ARCHITECTURE.md)
((words <= ARCHITECTURE_WORDS_MAX)) ||
    complain "ARCHITECTURE.md: $words words; at most $ARCHITECTURE_WORDS_MAX: details belong to docs/"
check_rooms
check_functions
check_guide
check_command_line
check_exit_codes
check_suffixes
check_presets
exit "$failed"
