#!/usr/bin/env bash
# Processes that a launcher starts together for one picture, for one each, or not for deepfield at all.
# usage: jobs.sh DEEPFIELD SCRATCH CALLING
# shellcheck disable=SC2154 # program.sh assigns them
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"
calling=$3
export deepfield
# shellcheck disable=SC2016 # expanded by the ranks' shells
printf '%s\n' 'rank=${OMPI_COMM_WORLD_RANK-${PMIX_RANK-$PMI_RANK}}' 'views=(seahorse elephant)' \
    'small=(--size 64x36 --quiet -f)' 'code=0' 'eval "$1" || code=$?' 'echo $code > code$rank' > rank.sh

# job CODE WORDS COMMANDS: the shells of two ranks run the commands; all end with CODE, and the only
# line of deepfield's, if any, has the words.
job() {
    rm -f ./*.png code?
    timeout -k 5 100 mpirun -n 2 bash rank.sh "$3" > out 2> message || complain "$3: code $?"
    [[ $(cat code0 code1) == "$1"$'\n'"$1" ]] || complain "$3: codes $(cat code?)"
    [[ $(grep '^deepfield:' message || true) == *"$2"* && $(grep -c '^deepfield:' message) == $(($1 != 0)) ]] ||
        complain "$3: it does not say '$2' alone"
}

pictures() { # NAMES
    [[ $(echo *.png) == "$1" ]] || complain "pictures: $(echo *.png), not $1"
}

# What differs between ranks of one picture is refused: it would have no effect.
remedy='--ranks 1: each works alone'
# shellcheck disable=SC2016 # expanded by the ranks' shells
{
    job 64 "$remedy" '"$deepfield" render "${views[rank]}" "${small[@]}" -o q$rank.png'
    pictures '*.png'
    job 64 "'DEEPFIELD_PALETTE=p1', and rank 0 'DEEPFIELD_PALETTE=p0'" \
        'DEEPFIELD_PALETTE=p$rank "$deepfield" bench kernel'
    mkdir folder0 folder1
    job 64 "it is in the folder $scratch/folder1, and rank 0 in $scratch/folder0" \
        'cd folder$rank; "$deepfield" render seahorse "${small[@]}"; code=$?; cd ..; (exit $code)'
    [[ ! -e folder0/seahorse.png ]] || complain "a picture of ranks in two folders"
    if unshare -m mount --bind folder0 folder1 2> /dev/null; then # one folder by two names
        job 0 '' 'run="cd folder$rank; \"$deepfield\" render seahorse ${small[*]} -o q.png"
            ((rank == 0)) || run="mount --bind folder0 folder1; $run"
            unshare -m bash -c "$run"'
        [[ -s folder0/q.png ]] || complain "no picture of ranks in one folder"
    fi
    printf -- '-0.5 0 %s\n' 1 > place0
    printf -- '-0.5 0 %s\n' 2 > place1
    job 64 'another file on stdin than rank 0' '"$deepfield" render - "${small[@]}" -o q.png < place$rank'

    # Each alone, on request or because it is the work of one process.
    job 0 '' '"$deepfield" render "${views[rank]}" "${small[@]}" -o q$rank.png --ranks 1'
    pictures 'q0.png q1.png'
    job 0 '' '"$deepfield" info "${views[rank]}"'
    [[ $(grep -cE '^title +(A seahorse tail|Elephants)' out) == 2 ]] || complain "info of each: $(< out)"
    job 0 '' '"$deepfield" info seahorse'
    [[ $(grep -c '^title' out) == 1 ]] || complain "info of all: $(< out)"
    job 0 '' '"$deepfield" render seahorse "${small[@]}" -o q.png'
    pictures q.png
}

# Called by ranks of another program: it is none of them, and may have ranks of its own.
called() { # WORD...
    rm -f ./*.png
    timeout -k 5 100 mpirun -n 2 "$calling" "$deepfield" render seahorse --size 64x36 --quiet -f \
        -o called@.png "$@" > out 2> message || complain "called with $*: code $?"
    pictures 'called0.png called1.png'
    cmp -s called0.png called1.png || complain "they differ"
}
called
called --ranks 2
verdict
