#!/usr/bin/env bash
# A joined job whose machine stands still, or whose link dies without a sign: others compute what it has within
# seconds. With DEEPFIELD_LONG it is dropped at last, as is a run that stands still by the job; and the
# link is a cable between two network namespaces that loses everything.
# usage: join_stopped.sh DEEPFIELD SCRATCH
# shellcheck source=tests/support/program.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"

declare -a on_run=() on_job=() # words before the program: its host

limit=1000000 # of the counts
# begins [ADDRESS]: a run that lasts until it is told to end; its process: $run.
begins() {
    rm -rf join.txt x.png*
    "${on_run[@]}" nice -n 10 "$deepfield" render --re -0.5 --im 0 --zoom 1 --limit "$limit" --size 3000x2250 --samples 1 --tile 32 \
        --set compute.shortcuts=off --ranks 1 --threads 1 -o x.png --join-file join.txt --join-address "${1:-127.0.0.1}" \
        >/dev/null 2>message &
    run=$!
    appears join.txt
}

# joins N: the N-th job that joins it, and has tiles soon; its process: $job.
joins() {
    "${on_job[@]}" "$deepfield" join join.txt --ranks 1 >job.txt 2>job.log &
    job=$!
    local i
    for ((i = 0; i < 600; i++)); do
        (($(grep -c 'has joined' message) < $1)) || break
        sleep 0.1
    done
    for ((i = 0; i < 600; i++)); do
        ! "$deepfield" status x.png 2>/dev/null | grep -Eq '^ +1 +[^ ]+ +[1-9]' || return 0
        sleep 0.1
    done
    complain "the job has no tiles: $(<job.log)"
}

# stops PROCESS...: to an end, without a word about it.
stops() {
    local process
    for process in "$@"; do
        kill -CONT "$process" 2>/dev/null || true
        kill_tree "$process"
        wait "$process" 2>/dev/null || true
    done
}

# job_ends WHAT TEXT: with 71 and this sentence.
job_ends() {
    local code=0
    ended "$job" || code=$?
    [[ $code == 71 && $(<job.log) == *"$2"* ]] || complain "$1: the job ends with $code: $(<job.log)"
}

silent='rank 1 on .* \(does not answer\|has brought no result for .* s\); others compute what it has'
begins
joins 1
kill -STOP "$job"
appears message "$silent" # after 3 s; it is dropped after 15
kill -CONT "$job"
appears message 'rank 1 on .* answers again'

if [[ ${DEEPFIELD_LONG:-} ]]; then
    kill -STOP "$job"
    appears message 'rank 1 on .* is dropped: it has said nothing for 15 s'
    kill -CONT "$job"
    job_ends "dropped" 'has ended the connection'
    joins 2
    told=$(wc -l <message)
    kill -STOP "$run" # for less than it takes the job to leave
    sleep 6
    kill -CONT "$run"
    sleep 2
    ! tail -n +$((told + 1)) message | grep -E 'does not answer|no result|dropped' ||
        complain "a job is said to be silent after a stop of the run"
    kill -STOP "$run"
    job_ends "the run stands still" 'has said nothing for 15 s'
    kill -CONT "$run"
    appears message 'rank 1 on .* has left'
fi
stops "$run" "$job"

# loses HOST ADDRESS: from now on what HOST sends to ADDRESS goes to nobody's card.
loses() {
    ip -n "$1" neighbour replace "$2" lladdr 02:00:00:00:00:01 nud permanent dev "$1"
}

if [[ ${DEEPFIELD_LONG:-} && $EUID == 0 ]] && command -v ip >/dev/null; then
    a=dfja$$ b=dfjb$$ net=10.201.8
    ip netns add "$a"
    trap 'ip netns delete "$a"' EXIT
    ip netns add "$b"
    trap 'ip netns delete "$a"; ip netns delete "$b"' EXIT
    ip link add "$a" netns "$a" type veth peer name "$b" netns "$b"
    for host in "$a" "$b"; do ip -n "$host" link set lo up && ip -n "$host" link set "$host" up; done
    ip -n "$a" address add $net.1/24 dev "$a"
    ip -n "$b" address add $net.2/24 dev "$b"
    on_run=(ip netns exec "$a") on_job=(ip netns exec "$b")
    limit=100000000 # tiles inside the set take minutes: that none comes is no sign
    begins $net.1
    joins 1
    loses "$a" $net.2
    loses "$b" $net.1
    appears message 'rank 1 on .* does not answer; others compute what it has'
    appears message 'rank 1 on .* is dropped: it has said nothing for 15 s'
    job_ends "a cable that loses everything" 'has said nothing for 15 s'
    stops "$run"
fi
verdict
