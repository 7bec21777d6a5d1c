#!/usr/bin/env bash
# Can programs of others be built and run with the installed library, by CMake and by pkg-config, and does it
# find its data wherever the tree is moved?
# usage: installed.sh BUILD SCRATCH COMPILER
set -euo pipefail
build=$1 scratch=$2 compiler=$3

rm -rf -- "$scratch"
mkdir -p "$scratch/work"
prefix=$scratch/first
for part in library dev data; do
    cmake --install "$build" --prefix "$prefix" --component $part >>"$scratch/install.log"
done
[[ ! -e $prefix/bin ]] || { echo "the program is among the library's parts"; exit 1; }
package=$(find "$prefix" -name deepfieldConfig.cmake)
library=$(find "$prefix" -name 'libdeepfield.so.?')
examples=$(find "$prefix" -name examples -type d)
[[ $package && $library && $examples ]] || { echo "incomplete:"; find "$prefix" | grep -v /assets/; exit 1; }

# A name that no other folder has, so that only the installed data can answer.
cp -- "$prefix/share/deepfield/configs/views/seahorse.ini" "$prefix/share/deepfield/configs/views/only_installed.ini"

# What only the installed copy offers: the sources are read from there, too.
cmake -S "$examples" -B "$scratch/build" -D CMAKE_C_COMPILER="$compiler" -D CMAKE_PREFIX_PATH="$prefix" \
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_FLAGS='-Wall -Wextra -pedantic -Werror' >"$scratch/cmake.log" 2>&1 ||
    { cat "$scratch/cmake.log"; exit 1; }
grep -q "^deepfield_DIR:PATH=$(dirname -- "$package")$" "$scratch/build/CMakeCache.txt"
cmake --build "$scratch/build" >"$scratch/build.log" 2>&1 || { cat "$scratch/build.log"; exit 1; }
programs=("$scratch/build/render_picture")
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname -- "$(find "$prefix" -name deepfield.pc)")
    [[ $(pkg-config --modversion deepfield) == [0-9]*.[0-9]*.[0-9]* ]]
    # shellcheck disable=SC2046 # words of the compiler
    "$compiler" "$examples/c/render_picture.c" $(pkg-config --cflags --libs deepfield) -o "$scratch/by_pkg_config"
    programs+=("$scratch/by_pkg_config")
fi

# try LIBRARY_FOLDER: each program renders with the library of that folder alone.
try() {
    local program said
    export LD_LIBRARY_PATH=$1
    for program in "${programs[@]}"; do
        said=$(ldd "$program")
        [[ $said == *"libdeepfield.so.1 => $1/"* ]] || { echo "$program: another library"; exit 1; }
        rm -f picture.png
        said=$("$program" only_installed picture.png view.size 64x36 2>errors) || { cat errors; exit 1; }
        [[ $said == '64 x 36 pixels, '* && -s picture.png ]] || { printf '%s\n' "$said"; exit 1; }
        ! "$program" no_such_view picture.png >/dev/null 2>errors && grep -q no_such_view errors
    done
    [[ ! -x $scratch/build/box_dimension ]] || "$scratch/build/box_dimension" whole-set 64 | grep "^box dimension of whole-set: [01]\.[0-9]*$"
}
cd -- "$scratch/work"
try "$(dirname -- "$library")"
mv -- "$prefix" "$scratch/moved to here"
moved="$scratch/moved to here${library#"$prefix"}"
try "$(dirname -- "$moved")"
