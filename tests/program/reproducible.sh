#!/usr/bin/env bash
# Do two builds of the same source in two folders, at two times, in two locales and time zones install the same
# bytes? With the flags of a release: without optimisation the kernels' inlined bodies take gcc 5 GB a file.
# usage: reproducible.sh PROJECT SCRATCH COMPILER
set -euo pipefail
project=$1 scratch=$2 compiler=$3
rm -rf -- "$scratch"
export CCACHE_DISABLE=1 SOURCE_DATE_EPOCH=1700000000
for folder in one another/folder; do # before the first build: the project may change meanwhile
    mkdir -p "$scratch/$folder/source"
    tar -C "$project" --exclude=./build --exclude=./.git --exclude=./.carry -cf - . |
        tar -C "$scratch/$folder/source" -xmf -
done

# built FOLDER: builds and installs it
built() {
    {
        cmake -G Ninja -S "$1/source" -B "$1/build" -D CMAKE_C_COMPILER="$compiler" -D CMAKE_INSTALL_PREFIX=/usr \
            -D DEEPFIELD_CUDA=OFF -D DEEPFIELD_TESTS=OFF &&
            cmake --build "$1/build" --target installed && DESTDIR=$1/root cmake --install "$1/build"
    } >"$1/log" 2>&1 || { tail -20 "$1/log"; exit 1; }
}
LC_ALL=C TZ=UTC built "$scratch/one"
LC_ALL=C.UTF-8 TZ=Asia/Tokyo LANGUAGE=fr built "$scratch/another/folder"
cd -- "$scratch"
[[ -x one/root/usr/bin/deepfield && -f one/root/usr/share/man/man1/deepfield.1 ]]
diff -r one/root another/folder/root
! grep -rlF -e "$scratch" one/root || { echo 'the path of the build is in these files'; exit 1; }
objects=$(find one/build -name '*.o' -printf '%P\n' | sort | tee objects | wc -l)
while read -r object; do
    cmp "one/build/$object" "another/folder/build/$object" || touch differs
done <objects
[[ ! -e differs ]]
echo "equal: $objects objects, $(find one/root -type f | wc -l) installed files of $(du -sb one/root | cut -f1) bytes"
