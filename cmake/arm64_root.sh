#!/usr/bin/env bash
# Makes the folder of headers and libraries of 64-bit ARM that cmake/arm64.cmake builds with: Debian's packages
# for it, unpacked and not installed, so this machine's own are left alone and nothing of them is run.
# usage: arm64_root.sh [FOLDER [SUITE]]
#   FOLDER: build/arm64-root of the project. SUITE: bookworm, trixie, ...; this machine's by default.
set -euo pipefail
project=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
folder=${1-$project/build/arm64-root}
suite=${2-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
command -v mmdebstrap >/dev/null || { echo "arm64_root.sh: mmdebstrap is missing; on Debian: apt-get install mmdebstrap" >&2; exit 1; }
[[ ! -e $folder ]] || { echo "arm64_root.sh: $folder exists; remove it to make it anew" >&2; exit 1; }

# Libraries of ./quickstart, and what the compiler's own are linked with when a program runs.
eval "$(sed -n '/^libraries=(/,/)$/p' "$project/quickstart")"
libraries+=(libopenmpi-dev openmpi-bin libgomp1)
mkdir -p -- "$(dirname -- "$folder")"
printf -v included '%s,' "${libraries[@]}"
mmdebstrap --variant=extract --architectures=arm64 --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    --include="${included%,}" "$suite" "$folder.part"

# Links name the places where packages are installed, and must lead to those of the folder.
find "$folder.part/usr" -type l -lname '/*' -printf '%l\n%p\n' | while IFS= read -r target && IFS= read -r link; do
    ln -sfn --relative "$folder.part$target" "$link"
done
for unused in doc locale man info icons fonts perl X11; do
    rm -rf -- "$folder.part/usr/share/$unused"
done
rm -rf -- "$folder.part/var"
mv -- "$folder.part" "$folder"
