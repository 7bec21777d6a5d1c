#!/usr/bin/env bash
# Where do programs look for their libraries? Only in folders that nobody else can fill: an entry of the
# search path that is empty or relative is the current folder, and who shares that runs code in our place.
# usage: elf_paths.sh FOLDER SCRATCH COMPILER; all ELF files below FOLDER are read
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/files.sh"
folder=$1 scratch=$2 compiler=$3
command -v readelf >/dev/null || skip "there is no readelf"

# Can others put a file at this path? They can if a folder on the way is open to all; what is there
# already is safe below a sticky one.
others_write() {
    local path=$1 mode inside=1
    while :; do
        if mode=$(stat -L -c %a -- "$path" 2>/dev/null); then
            if (((8#$mode & 8#0002) && (!(8#$mode & 8#1000) || inside))); then
                return 0
            fi
            inside=0
        fi
        [[ $path != / ]] || return 1
        path=$(dirname -- "$path")
    done
}

elf_files() {
    find "$1" -type f \( -perm -100 -o -name '*.so*' \) -exec grep -lzm1 $'^\x7fELF' {} +
}

# FILE...: lines of needed libraries and search paths, as "needed LIBRARY" and "path FOLDER:FOLDER", each once.
dynamic() {
    readelf -d -W -- "$@" |
        sed -n 's/.*(NEEDED).*\[\(.*\)\]$/needed \1/p; s/.*(\(RUNPATH\|RPATH\)).*\[\(.*\)\]$/path \2/p' | sort -u
}

# Prints what is wrong with the lines of `dynamic`.
judge() {
    local kind value entry
    while read -r kind value; do
        if [[ $kind == needed ]]; then
            [[ $value != */* ]] || printf 'the library "%s" is a path\n' "$value"
            continue
        fi
        while IFS= read -r entry; do
            case $entry in
                '') printf 'an empty entry in the search path "%s"\n' "$value" ;;
                "\$ORIGIN" | "\$ORIGIN/"*) ;;
                /*) ! others_write "$entry" || printf 'others can write "%s" of the search path\n' "$entry" ;;
                *) printf 'the relative entry "%s" in the search path\n' "$entry" ;;
            esac
        done < <(tr ':' '\n' <<<"$value")
    done
}

# What the rules are for is found.
rm -rf -- "$scratch"
mkdir -p "$scratch/open"
chmod 0777 "$scratch/open"
printf 'int main(void) { return 0; }\n' >"$scratch/main.c"
for entry in : /usr/lib: :/usr/lib lib ./ "$scratch/open" "$scratch/open/later" /tmp/.deepfield_absent; do
    "$compiler" "$scratch/main.c" -Wl,-rpath,"$entry" -o "$scratch/program"
    [[ $(elf_files "$scratch") == "$scratch/program" && $(dynamic "$scratch/program" | judge) ]] ||
        { echo "the entry '$entry' was not found"; exit 1; }
    rm -- "$scratch/program" # it is below FOLDER, too, where the scratch of tests is
done

# Other tests of this folder make programs of their own, and remove them while this one reads.
mapfile -t files < <(elf_files "$folder" | grep -v "^$folder/tests/style/")
((${#files[@]})) || { echo "no programs below $folder"; exit 1; }
if [[ $(dynamic "${files[@]}" | judge) ]]; then
    for file in "${files[@]}"; do
        dynamic "$file" | judge | sed "s|^|$file: |"
    done
    exit 1
fi
printf '%d programs\n' "${#files[@]}"

# The loader itself: files that are no libraries, under the names of all that the program needs.
program=$(find "$(readlink -f -- "$folder")"/{app,bin}/deepfield -type f 2>/dev/null || true)
mkdir "$scratch/here"
cd -- "$scratch/here"
dynamic "$program" | sed -n 's/^needed //p' | while IFS= read -r name; do
    printf 'not a library\n' >"$name"
done
"$program" --version
