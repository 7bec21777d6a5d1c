#!/usr/bin/env bash
# How large is the program that is installed? Kernels are compiled for each formula, instruction set and GPU,
# so a function that is put in line once more can be a megabyte.
# usage: size.sh PROGRAM SCRATCH BYTES_MOST ARCHIVE...; the archives are what the program is linked from
set -euo pipefail
program=$1 scratch=$2 most=$3
shift 3
command -v strip >/dev/null || { echo "there are no binutils"; exit 77; }

# Prints sections, objects and functions, the largest first.
parts() {
    echo "bytes of sections:"
    size -A -- "$scratch/stripped" | awk '$2 + 0 > 100000 { print $2, $1 }' | sort -rn
    echo "bytes of objects (code and constants):"
    size -- "$@" | awk '$1 + 0 > 60000 { print $1, $6 }' | sort -rn | head -25
    echo "bytes of functions, those of the same name together, and their number:"
    nm -S -t d -- "$@" 2>/dev/null | awk 'NF == 4 && tolower($3) == "t" {
        sub(/\.(part|constprop|isra|cold).*/, "", $4); bytes[$4] += $2; count[$4]++ }
        END { for (name in bytes) print bytes[name], name, count[name] }' | sort -rn | head -25
}

# BYTES_MOST: says whether the program has no more.
holds() {
    (($(stat -c %s -- "$scratch/stripped") <= $1))
}

rm -rf -- "$scratch"
mkdir -p -- "$scratch"
strip -o "$scratch/stripped" -- "$program"
if holds 100000; then
    echo "a program of less than 100 kB has no kernels"
    exit 1
fi
printf '%d bytes, at most %d\n' "$(stat -c %s -- "$scratch/stripped")" "$most"
holds "$most" && exit 0
parts "$@"
exit 1
