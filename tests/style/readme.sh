#!/usr/bin/env bash
# Do the examples of README, the guide and the gallery work after cmake --install? Each command of its code blocks is run in an empty
# folder, with what it needs from the installed files alone: pictures and films are planned (--dry-run),
# the viewer and proofs print their settings; what others must start (mpirun, sbatch) is looked for.
# usage: readme.sh BUILD SCRATCH README PAGE...
set -euo pipefail
build=$1 scratch=$2
shift 2
documents=("$@")
failures=0

rm -rf -- "$scratch"
mkdir -p "$scratch/work"
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
share=$scratch/prefix/share/deepfield
deepfield=$scratch/prefix/bin/deepfield
cd -- "$scratch/work"
export HOME=$scratch/work

# What is the reader's own.
printf '%s\n' 'Gold {' 'gradient:' '  title="Gold" index=0 color=255 index=200 color=65280' '}' >mine.ugr
printf '%s\n' '[begin]' 'time = 0' 'zoom = 1' '[end]' 'time = 20' 'zoom = 1e9' >path.ini
"$deepfield" render needle --size 32x18 -q -o needle.exr -o needle.tif >/dev/null
"$deepfield" find seahorse -q -o island.ini >/dev/null
rm -f island.ini
printf '%s\n' '# two views' seahorse needle >views.txt

# run COMMAND WORD...: the cheapest form of it
run() {
    case $1 in
    render)
        local how=--dry-run # which nobody joins
        [[ " $* " != *' --join-file '* ]] || how=--print-config
        "$deepfield" "$@" $how --quiet --force
        ;;
    film) "$deepfield" "$@" --dry-run --quiet ;;
    view | verify | devices) "$deepfield" "$@" --print-config ;;
    resume | status | join) "$deepfield" help "$1" ;; # of what a run has left or written
    *) "$deepfield" "$@" ;;
    esac
}

tried=0
while IFS= read -r line; do
    tried=$((tried + 1))
    [[ $line != mpirun* ]] || line=${line#mpirun -n 64 }
    if [[ $line == sbatch* ]]; then
        read -ra words <<<"$line"
        [[ -f $share/${words[1]} ]] || { echo "not installed: $line"; failures=$((failures + 1)); }
        continue
    fi
    # A file that this machine's disk has no room for is refused by a command that is right.
    (eval "deepfield() { run \"\$@\"; }; $line") >out 2>&1 || grep -q ', and the disk has .* left' out ||
        { echo "$line"; sed 's/^/    /' out; failures=$((failures + 1)); }
done < <(awk '/^```/ { inside = !inside; next } inside && /^(deepfield|mpirun|sbatch|mkdir) /' "${documents[@]}")
# Every page is shown, as text in lines of a terminal; tables and code may be wider.
for page in "$share"/docs/guide/*.md; do
    name=$(basename "$page" .md)
    tried=$((tried + 1))
    if ! "$deepfield" help "$name" >out || grep -nE '\]\(|^\||^```|\*\*' out ||
        grep -v '^  ' out | grep -nE '^.{100}'; then
        echo "deepfield help $name"
        failures=$((failures + 1))
    fi
    "$deepfield" help | grep -q "^  $name " || { echo "deepfield help: no $name"; failures=$((failures + 1)); }
done
echo "$tried commands of README, guide and gallery, $failures do not work"
((tried > 40 && failures == 0))
