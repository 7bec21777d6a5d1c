#!/usr/bin/env bash
# Does the installed program work, wherever it is moved, with the assets that were installed with it?
# usage: install.sh BUILD SCRATCH COMPILER
set -euo pipefail
build=$1 scratch=$2 compiler=$3
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")

rm -rf -- "$scratch"
mkdir -p "$scratch/elsewhere"
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mv -- "$scratch/first" "$scratch/moved to here"
prefix="$scratch/moved to here"
share="$prefix/share/deepfield"

# Names that no other folder has, so that only the installed assets can answer.
cp -- "$share/configs/views/seahorse.ini" "$share/configs/views/only_installed.ini"
first_palette=$(find "$share/assets/palettes" -name '*.csv' | sort | head -n 1)
cp -- "$first_palette" "$share/assets/palettes/only_installed.csv"

cd -- "$scratch/elsewhere"
deepfield="$prefix/bin/deepfield"
"$deepfield" --version
"$deepfield" --help >help.txt
"$deepfield" render only_installed --palette only_installed --size 64x36 -o picture.png
[[ -s picture.png ]] || { echo "no picture came out"; exit 1; }
"$deepfield" info picture.png
"$here/elf_paths.sh" "$prefix" "$scratch/elf_paths" "$compiler"
