#!/usr/bin/env bash
# Do two builds of the same source in two folders, at two times, in two locales and time zones install the same
# bytes? Without optimisation, which is no part of the question.
# usage: reproducible.sh PROJECT SCRATCH COMPILER
set -euo pipefail
project=$1 scratch=$2 compiler=$3
rm -rf -- "$scratch"
mkdir -p "$scratch"
export CCACHE_DISABLE=1 SOURCE_DATE_EPOCH=1700000000

# built FOLDER: copies the source there, builds and installs it
built() {
    mkdir -p "$1/source"
    tar -C "$project" --exclude=./build --exclude=./.git --exclude=./.carry -cf - . | tar -C "$1/source" -xmf -
    {
        cmake -G Ninja -S "$1/source" -B "$1/build" -D CMAKE_C_COMPILER="$compiler" -D CMAKE_INSTALL_PREFIX=/usr \
            -D DEEPFIELD_CUDA=OFF -D DEEPFIELD_TESTS=OFF -D CMAKE_C_FLAGS_RELEASE='-O0 -DNDEBUG' &&
            cmake --build "$1/build" --target installed && DESTDIR=$1/root cmake --install "$1/build"
    } >"$1/log" 2>&1 || { tail -20 "$1/log"; exit 1; }
}
LC_ALL=C TZ=UTC built "$scratch/one"
LC_ALL=C.UTF-8 TZ=Asia/Tokyo LANGUAGE=fr built "$scratch/another/folder"
cd -- "$scratch"
[[ -x one/root/usr/bin/deepfield && -f one/root/usr/share/man/man1/deepfield.1 ]]
diff -r one/root another/folder/root
! grep -rlF -e "$scratch" one/root || { echo 'the path of the build is in these files'; exit 1; }
find one/root -type f | wc -l
