#!/usr/bin/env bash
# Does --version name the commit: the present one after each commit, none outside of a checkout, and
# that of an archive?
# usage: revision.sh DEEPFIELD SOURCE SCRATCH
set -euo pipefail
deepfield=$1 source=$2 scratch=$3
rm -rf -- "$scratch"
mkdir -p -- "$scratch/tree/cmake"
cd -- "$scratch"
unset "${!GIT_@}"
export GIT_CEILING_DIRECTORIES=$scratch HOME=$scratch GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

fail() {
    printf '%s\n' "$*"
    exit 1
}

# What the build would write for a tree.
revision() {
    cmake -D SOURCE="$1" -D OUTPUT="$scratch/revision.c" -P "$1/cmake/DeepfieldRevision.cmake"
    sed -nE 's/^const char deepfield_revision\[\] = "(.*)";$/\1/p' revision.c
}

"$deepfield" --version | grep -qE '^revision: ([0-9a-f]{7,40}(-dirty)?|unknown)$' ||
    fail "--version has no revision"
cp -- "$source"/cmake/{DeepfieldRevision.cmake,revision.txt} tree/cmake/
cp -- "$source/.gitattributes" tree/
[[ $(revision tree) == unknown ]] || fail "a folder outside of git has a revision"
command -v git >/dev/null || exit 0

git -C tree init -q
git -C tree add .
git -C tree commit -qm one
first=$(revision tree)
[[ $first == $(git -C tree rev-parse --short=12 HEAD) ]] || fail "first commit: $first"
touch -d @1000 revision.c # as if it had been written long ago
[[ $(revision tree) == "$first" && $(stat -c %Y revision.c) == 1000 ]] || fail "written without need"
echo changed >>tree/.gitattributes
[[ $(revision tree) == "$first-dirty" ]] || fail "changed: $(revision tree)"
git -C tree tag v9
git -C tree commit -qam two
[[ $(revision tree) == $(git -C tree rev-parse --short=12 HEAD) ]] || fail "second commit: $(revision tree)"
# An archive knows its commit, also inside the checkout of something else.
mkdir -- tree/inner
git -C tree archive HEAD | tar -x -C tree/inner
archived=$(revision tree/inner)
[[ ${#archived} -ge 7 && $(git -C tree rev-parse HEAD) == "$archived"* ]] || fail "archive: $archived"
cp -- "$source/cmake/revision.txt" tree/inner/cmake/
[[ $(revision tree/inner) == unknown ]] || fail "the commit of another project"
