#!/bin/bash
# Ranks that write their own strips give the bytes that rank 0 writes alone, whatever happens on the
# way (with DEEPFIELD_LONG=1): killed, a full disk, a folder that the others do not see.
# usage: writers.sh DEEPFIELD FOLDER MPIRUN
# shellcheck disable=SC2154 # program.sh assigns them
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
set +eo pipefail # codes are looked at one by one
mpirun=$3

# in FOLDER word ...
in_folder() {
    mkdir -p "$1" && (cd "$1" && shift && "$@")
}

all=(--ranks 3 --oversubscribe --writers all)

# ---- refused ----
code=0
said=$("$deepfield" render seahorse --size 64x256 --writers all -o x.dzi 2>&1) || code=$?
[[ $code -eq 78 && $said == *x.dzi*"--writers auto"* ]] || complain "a kind that rank 0 alone writes: $code $said"

code=0
in_folder flat "$deepfield" render seahorse --size 64x100 "${all[@]}" -o x.tif >said 2>&1 || code=$?
[[ $code -eq 0 ]] || complain "a picture of less than a row of tiles: code $code"
grep -q 'rank 0 writes alone: other ranks write multiples of 256 rows, and the picture has 100' said ||
    complain "a picture of less than a row of tiles: $(tail -1 said)"

# ---- the same bytes ----
while read -r name words; do
    # shellcheck disable=SC2086
    in_folder "$name/one" "$deepfield" render $words --quiet >/dev/null || complain "$name, one process"
    # shellcheck disable=SC2086
    in_folder "$name/all" "$deepfield" render $words "${all[@]}" --explain >said 2>&1 || complain "$name: $(tail -1 said)"
    grep -q 'each by a rank that computes it' said || complain "$name: nobody shares the writing"
    [[ $(grep -cE '^ +[12]  [^ ]+ +[0-9]' said) -eq 2 ]] || complain "$name: the report does not have both ranks"
    grep -q 'rank 0 writes alone' said && complain "$name: rank 0 wrote alone"
    same_folders "$name/one" "$name/all" "$name"
done <<END
numbers seahorse --size 1100x250 --bits 16 --density 1 -o x.png -o x.npy -o x.exr
tiles whole-set --size 300x640 --limit 300 -o x.tif -o x.exr
averaged whole-set --size 1100x200 --samples auto --relief 0.5 -o x.png
deep seahorse-deep --size 1100x170 --samples 2 -o x.png -o x.npy
END
[[ ${DEEPFIELD_LONG-} ]] || verdict

# ---- killed, and gone on with by other ranks ----
slow=("$deepfield" render whole-set --size 1100x480 --samples 1 --limit 1000 --set compute.shortcuts=off
    --backend scalar --quiet --set output.journal=0.01 -o x.png -o x.npy -o x.exr -o x.tif)
in_folder slow/one "${slow[@]}" >/dev/null || complain "a slow picture"
for way in all one; do
    mkdir -p slow/killed
    (cd slow/killed && exec "${slow[@]}" "${all[@]}") >/dev/null 2>&1 &
    process=$!
    while kill -0 $process 2>/dev/null && [[ ! -e slow/killed/x.png.deepfield/state ]]; do sleep 0.01; done
    kill_tree $process
    wait $process 2>/dev/null
    [[ -e slow/killed/x.png.deepfield/state ]] || echo "too fast to be killed"
    words=("${all[@]}")
    [[ $way == all ]] || words=(--writers one)
    in_folder slow/killed "${slow[@]}" "${words[@]}" --force >said 2>&1 || complain "gone on with, $way: $(tail -1 said)"
    same_folders slow/one slow/killed "killed, and gone on with: $way"
    rm -rf slow/killed
done

# ---- a disk that fills up, and a folder that the others do not see ----
namespaces() {
    mkdir -p disk hidden/one hidden/all
    cat >disk.sh <<END
mount -t tmpfs -o size=24m none '$scratch/disk' && cd '$scratch/disk' || exit 1
${slow[@]@Q} ${all[@]} 2>'$scratch/said' &
job=\$!
while kill -0 \$job 2>/dev/null && [[ ! -e x.png.deepfield/state ]]; do sleep 0.01; done
cat /dev/zero >filler 2>/dev/null
wait \$job
code=\$?
ls x.png x.count.npy 2>/dev/null && echo 'there are files'
rm filler
${slow[@]@Q} ${all[@]} --force 2>&1
cp x.* '$scratch/hidden'
exit \$code
END
    code=0
    unshare -m --propagation private bash disk.sh >shown || code=$?
    [[ $code -eq 74 ]] || complain "a full disk: code $code: $(tail -1 said)"
    grep -q 'cannot write .*x\..*No space left' said || complain "a full disk: $(tail -1 said)"
    grep -q 'there are files' shown && complain "a full disk: files have names"
    cmp slow/one/x.png hidden/x.png || complain "a disk that had been full: x.png"
    cmp slow/one/x.count.npy hidden/x.count.npy || complain "a disk that had been full: x.count.npy"

    cat >rank.sh <<END
cd '$scratch/hidden/all'
[[ \${OMPI_COMM_WORLD_RANK:-\${PMIX_RANK:-\${PMI_RANK:-0}}} == 0 ]] || mount -t tmpfs none '$scratch/hidden/all'
exec '$deepfield' render seahorse --size 1100x250 --writers all -o x.png
END
    in_folder hidden/one "$deepfield" render seahorse --size 1100x250 --quiet -o x.png >/dev/null
    "$mpirun" --oversubscribe -n 3 unshare -m --propagation private bash rank.sh >said 2>&1 ||
        complain "a folder that is not shared: $(tail -2 said)"
    grep -q 'rank 0 writes alone: rank 1.*is not the folder' said || complain "a folder that is not shared: $(tail -2 said)"
    same_folders hidden/one hidden/all "a folder that is not shared"
}
((EUID == 0)) && unshare -m true 2>/dev/null && namespaces

verdict
