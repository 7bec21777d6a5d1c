#!/usr/bin/env bash
# Idle threads of OpenMP sleep: that is what the OpenMP library says of the program as a user starts
# it, alone, as ranks of mpirun and by --ranks. A choice of the user stays.
# usage: idle_threads.sh PROGRAM SCRATCH MPIRUN
# shellcheck source=tests/support/program.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
mpirun=$3
picture=(render whole-set --size 32x32 --force -o picture.png)
unset OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME # the presets of the tests set the first

# polls NAME=VALUE... COMMAND...: how long an idle thread polls, in the library's unit. It prints
# its settings when it is loaded: the program that has started itself again has the last word.
polls() {
    env OMP_DISPLAY_ENV=verbose "$@" 2>&1 >printed |
        grep -oE "(GOMP_SPINCOUNT|KMP_BLOCKTIME) ?= ?'[0-9]+" | grep -oE '[0-9]+$' || true
}

last() {
    polls "$@" | tail -n 1
}

[[ $(last "$deepfield" "${picture[@]}") == 0 ]] || complain 'idle threads poll'
[[ $(last OMP_WAIT_POLICY=active "$deepfield" "${picture[@]}") != 0 ]] ||
    complain 'OMP_WAIT_POLICY of the user is lost'
[[ $(last GOMP_SPINCOUNT=7 KMP_BLOCKTIME=7 "$deepfield" "${picture[@]}") == 7 ]] ||
    complain 'GOMP_SPINCOUNT or KMP_BLOCKTIME of the user is lost'
[[ $(polls "$mpirun" -n 2 "$deepfield" "${picture[@]}" | grep -cx 0) == 2 ]] ||
    complain 'ranks of mpirun poll'

# Words and name are kept; a folder and a program with spaces, too.
mkdir -- 'a folder'
ln -s -- "$deepfield" 'a folder/a program'
'a folder/a program' info --re '' 2>message && complain 'an empty word is lost'
grep -q -- '--re' message || complain 'other words arrived'

# What mpirun of --ranks gives to its ranks.
mkdir -- bin
# shellcheck disable=SC2016 # for the shell of that file
printf '#!/bin/sh\necho "$OMP_WAIT_POLICY" >policy\nexec "%s" "$@"\n' "$mpirun" >bin/mpirun
chmod +x bin/mpirun
PATH=$PWD/bin:$PATH "$deepfield" "${picture[@]}" --ranks 2 >printed 2>message || complain '--ranks'
[[ $(<policy) == passive ]] || complain 'ranks of --ranks poll'
((failures == 0))
