#!/usr/bin/env bash
# The program and the templates of configs/slurm in a Slurm of their own: munged, slurmctld and four
# slurmd in a temporary folder, each node with a host name of its own (a UTS namespace), two cores, 2
# GB and two "GPUs" that are other devices. Prints a table: case, outcome. Needs root, and Debian's
# slurmctld, slurmd, slurm-client, munge and libpmix-dev; says what is missing and skips (77).
# usage: slurm.sh DEEPFIELD SOURCE-FOLDER
set -euo pipefail
deepfield=$1 source=$2
# What ctest sets for ranks of one machine would keep nodes apart.
unset "${!OMPI_MCA_@}" "${!PRTE_MCA_@}"
failures=0

skip() {
    echo "skipped: $*"
    exit 77
}

export PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd srun sbatch scontrol scancel unshare; do
    command -v "$program" > /dev/null || skip "no $program"
done
((EUID == 0)) || skip "slurmd needs root"
unshare --uts true 2> /dev/null || skip "no UTS namespaces here"
# The node's processes are found by their folder, so it has to be reachable by all of them.
scratch=$(mktemp -d)
chmod 755 "$scratch"
host=$(hostname -s)
port=$((20000 + $$ % 20000))
export SLURM_CONF=$scratch/slurm.conf

daemons_end() {
    local file
    scancel --quiet --full --signal=KILL --user=root 2> /dev/null || true
    for file in "$scratch"/slurmd-*.pid "$scratch"/slurmctld.pid "$scratch"/munged.pid; do
        [[ ! -s $file ]] || kill "$(< "$file")" 2> /dev/null || true
    done
    sleep 1
    steps_kill
    [[ ! $memory ]] || find "$groups"/slurm_n[1-4] -depth -type d -exec rmdir {} \; 2> /dev/null || true
    rm -rf -- "$scratch"
}
# Where control groups are of version 1, memory is constrained by them; version 2 wants systemd.
groups=/sys/fs/cgroup/memory memory=''
if [[ -w $groups/cgroup.procs && ! -e $groups/slurm_n1 ]]; then
    memory=,task/cgroup
fi
# slurmstepd are no children of ours; they have the configuration in the environment.
steps_kill() {
    local process
    for process in $(pgrep -x slurmstepd); do
        ! grep -qz "^SLURM_CONF=$SLURM_CONF" "/proc/$process/environ" 2> /dev/null ||
            kill -s KILL "$process" 2> /dev/null || true
    done
}
trap daemons_end EXIT
trap 'exit 1' INT TERM

cluster_start() {
    local n
    cd -- "$scratch"
    mkdir state log spool tmp bin
    ln -s "$deepfield" bin/deepfield
    (umask 077 && head -c 1024 /dev/urandom > munge.key)
    for n in 1 2 3 4; do
        mkdir "spool/n$n" "tmp/n$n"
    done
    cat > slurm.conf << CONF
ClusterName=private
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmctldLogFile=$scratch/log/slurmctld
SlurmdPidFile=$scratch/slurmd-%n.pid
SlurmdLogFile=$scratch/log/slurmd-%n
SlurmdSpoolDir=$scratch/spool/%n
TmpFS=$scratch/tmp/%n
StateSaveLocation=$scratch/state
SlurmUser=root
MailProg=/bin/true
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity$memory
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
ReturnToService=2
SlurmdTimeout=10
KillWait=30
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
DefMemPerCPU=500
SlurmdParameters=config_overrides
NodeName=n[1-4] NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=2 RealMemory=2000 Gres=gpu:2
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    printf '%s\n' CgroupPlugin=cgroup/v1 CgroupMountpoint=/sys/fs/cgroup ConstrainRAMSpace=yes > cgroup.conf
    printf 'NodeName=n[1-4] Name=gpu File=/dev/%s\n' null zero > gres.conf
    munged --force --key-file="$scratch/munge.key" --socket="$scratch/munge.socket" \
        --pid-file="$scratch/munged.pid" --log-file="$scratch/log/munged" \
        --seed-file="$scratch/munge.seed" || skip "munged does not start: $(tail -n 1 log/munged)"
    slurmctld
    for n in 1 2 3 4; do
        node_start "n$n"
    done
    for ((tries = 0; tries < 300; tries++)); do
        [[ $(sinfo --noheader --states=idle --format=%D 2> /dev/null) != 4 ]] || return 0
        sleep 0.1
    done
    skip "the nodes do not come up: $(grep -h error log/slurmd-n1 log/slurmctld | tail -n 1)"
}

node_start() {
    # shellcheck disable=SC2016 # expanded by the other shell
    unshare --uts bash -c 'hostname "$1" && exec slurmd -N "$1"' - "$1"
}

signal='' # see warned

# ---- cases ----

row() { # ok|FAILED CASE OUTCOME
    printf '%-6s %-34s %s\n' "$@"
    [[ $1 == ok ]] || failures=$((failures + 1))
}

# field JOB NAME: what scontrol says of a job.
field() {
    scontrol show job "$1" 2> /dev/null | grep -oE "(^| )$2=[^ ]*" | head -n 1 | cut -d= -f2-
}

# until SECONDS COMMAND...: waits until it holds.
until_holds() {
    local tries
    for ((tries = 0; tries < 10 * $1; tries++)); do
        "${@:2}" && return
        sleep 0.1
    done
    return 1
}

is_state() { # JOB STATE-PATTERN
    [[ $(field "$1" JobState) =~ ^($2)$ ]]
}

# Ends that the job's exit code tells: of srun, and of a plain script.
exit_codes() {
    local code=0 want words ok
    while read -r -u 3 want words; do
        code=0
        # shellcheck disable=SC2086 # several words
        srun --quiet --mpi=pmix -N2 -n2 deepfield $words > out 2> message || code=$?
        ok=FAILED
        [[ $code != "$want" || $(grep -c '^deepfield: ' message) -gt 1 ]] || ok=ok
        row "$ok" "srun: exit code $want" "$words: $code"
    done 3<< 'LIST'
0 render seahorse --size 64x36 --quiet -f -o code.png
64 render --nonsense
66 render no-such-view
73 render seahorse --size 64x36 --quiet -o /no/such/folder/code.png
LIST
}

start() {
    local code=0
    deepfield render seahorse --size 480x270 --tile 32 --quiet -f -o alone.npy > out
    srun --mpi=pmix -N4 -n8 deepfield render seahorse --size 480x270 --tile 32 --json --quiet -f \
        -o cluster.npy > json 2> message || code=$?
    local hosts
    hosts=$(grep -oE '"host":"n[1-4]"' json | sort -u | wc -l)
    if [[ $code == 0 && $hosts == 4 ]] && cmp -s alone.count.npy cluster.count.npy; then
        row ok "start: 8 ranks on 4 nodes" "bytes of one process"
    else
        row FAILED "start: 8 ranks on 4 nodes" "code $code, $hosts hosts: $(tail -n 1 message)"
    fi
}

devices() {
    local cores visible ok
    srun --quiet -N1 -n1 -c1 deepfield devices > one
    srun --quiet -N1 -n1 -c2 deepfield devices > two
    cores=$(grep -oE '^cores +[0-9]+' one | grep -oE '[0-9]+')/$(grep -oE '^cores +[0-9]+' two | grep -oE '[0-9]+')
    ok=FAILED
    [[ $cores != 1/2 && $(nproc) != 1 ]] || ok=ok
    row "$ok" "cores of the allocation" "-c1/-c2: $cores"
    visible=$(srun --quiet -N1 -n1 --gpus=1 printenv CUDA_VISIBLE_DEVICES)
    visible+=/$(srun --quiet -N1 -n1 --gpus=2 printenv CUDA_VISIBLE_DEVICES)
    ok=FAILED
    [[ $visible != [01]/0,1 ]] || ok=ok
    row "$ok" "GPUs of the allocation" "--gpus=1/2: CUDA_VISIBLE_DEVICES=$visible"
}

# The limit is that of the job, two groups above the rank's own. Refused, or computed within it, but
# not killed: 400 MB of pixels, on each of two nodes tiles of 100 MB, and wide rows of 28 bytes a
# pixel.
memory() {
    local code ok limit options
    [[ $memory ]] || { echo "no control groups of version 1: no case for memory" && return; }
    while read -r -u 3 limit options; do
        code=0 ok=FAILED
        # shellcheck disable=SC2086 # several words
        srun --quiet --mpi=pmix --mem="$limit" ${options%% --size*} deepfield render seahorse \
            --size ${options#*--size } --quiet -f > out 2> message || code=$?
        [[ $code != 0 && $code != 77 ]] || ok=ok
        row "$ok" "$limit, ${options:0:40}" "$code: $(grep -o 'needs .* GiB free' message || true)"
    done 3<< 'LIST'
300M -N1 -n1 --size 7000x7000 -o memory.png
300M -N2 -n2 --size 3600x3600 --tile 4096 -o memory.png
150M -N1 -n1 --size 20000x2000 --limit 100 --bits 32 --planes count,fraction,distance,phase,period,inside -o memory.exr
LIST
}

# Slurm's PMIx ends the ranks that are left, or they do so themselves.
root_killed() {
    local code=0 process rank seconds killed=0
    endless_write
    DEEPFIELD_CASE=root srun --quiet --mpi=pmix -N2 -n4 deepfield render "$scratch/endless.ini" --size 480x270 \
        --set compute.shortcuts=off --quiet -f -o root.png > out 2> message &
    process=$!
    until_holds 60 computes root || true
    sleep 5
    for rank in $(ranks_of root); do
        ! grep -qzx PMIX_RANK=0 "/proc/$rank/environ" || { kill -s KILL "$rank" && killed=1; }
    done
    seconds=$SECONDS
    until_holds 70 is_over "$process" || kill "$process"
    wait "$process" || code=$?
    if ((killed && SECONDS < seconds + 70 && code != 0)) && ! computes root; then
        row ok "srun: rank 0 killed" "$code after $((SECONDS - seconds)) s: $(grep -oE 'rank 0 on n[1-4] has ended|n[1-4]: tasks.*' message | tail -n 1)"
    else
        row FAILED "srun: rank 0 killed" "killed $killed, $code after $((SECONDS - seconds)) s: $(tail -n 1 message)"
    fi
}

is_over() {
    ! kill -0 "$1" 2> /dev/null
}

# tasks CASE CODE PICTURES COMMAND: what two tasks end with, and what they leave.
# shellcheck disable=SC2016 # expanded by the tasks' shells
tasks() {
    local ok=FAILED codes
    rm -f ./*.png code?
    srun --quiet --mpi=pmix -N2 -n2 bash -c \
        'views=(seahorse elephant); small=(--size 64x36 --quiet); code=0; eval "$1" || code=$?; echo $code > code$PMIX_RANK' \
        - "$4" > out 2> message || true
    codes=$(cat code? | tr '\n' ' ')
    [[ $codes != "$2 $2 " || $(echo *.png) != "$3" ]] || ok=ok
    row "$ok" "$1" "$codes$(echo *.png) $(tail -n 1 message)"
}

# One picture for all, one for each, and programs that are no tasks of the step that they are in.
# shellcheck disable=SC2016 # expanded by the tasks' shells
apart() {
    tasks 'srun: tasks with pictures of their own' 64 '*.png' \
        'deepfield render "${views[PMIX_RANK]}" "${small[@]}" -o q$PMIX_RANK.png'
    tasks 'srun: the same with --ranks 1' 0 'q0.png q1.png' \
        'deepfield render "${views[PMIX_RANK]}" "${small[@]}" --ranks 1 -o q$PMIX_RANK.png'
    tasks 'srun inside srun' 0 'q0.png q1.png' \
        'srun --quiet --overlap --mpi=none -N1 -n1 -w "$SLURMD_NODENAME" deepfield render seahorse "${small[@]}" -o q$PMIX_RANK.png'
}

# Two parts of a film, and the same command joins them.
film() {
    local code=0 command
    deepfield help film > text 2>&1 || { echo "no deepfield film: no case for an array" && return; }
    command=(seahorse --from 1 --to 10 --seconds 1 --fps 6 --size 64x36 -o "$scratch/film/%06d.png")
    mkdir film
    sbatch --wait --parsable --array=1-2 --cpus-per-task=1 --gpus-per-node=0 --output=film-%a.log \
        "$source/configs/slurm/film_array.sbatch" "${command[@]}" > job 2> message || code=$?
    [[ $code != 0 ]] || deepfield film "${command[@]}" > out 2> message || code=$?
    if [[ $code == 0 && $(find film -name '*.png' | wc -l) == 6 ]]; then
        row ok "film as an array of two parts" "6 frames"
    else
        row FAILED "film as an array of two parts" "code $code: $(cat film-1.log message | tail -n 1)"
    fi
}

# template NAME SCRIPT OPTION...: submits it, for a picture of $view; $job is its number.
template() {
    local name=$1 script=$2
    shift 2
    # What mpirun starts knows nothing of Slurm, but has the rest of the environment.
    job=$(DEEPFIELD_CASE=$name sbatch --parsable --time=10 --cpus-per-task=1 --gpus-per-node=0 "$@" --job-name="$name" \
        --output="$name.log" "$source/configs/slurm/$script.sbatch" "$scratch/$view.ini" \
        --size 480x270 --set compute.shortcuts=off --quiet -o "$scratch/$name.png")
}

many=(--nodes=2 --ntasks-per-node=2 --gpus-per-task=0)

has_restarted() {
    [[ $(field "$1" Restarts) == [1-9]* ]]
}

# The ranks of a case that compute.
ranks_of() {
    local process
    for process in $(pgrep -x deepfield); do
        ! grep -qzx "DEEPFIELD_CASE=$1" "/proc/$process/environ" 2> /dev/null ||
            ! grep -qzE '^(PMIX_RANK|OMPI_COMM_WORLD_RANK)=' "/proc/$process/environ" ||
            echo "$process"
    done
}

computes() {
    [[ $(ranks_of "$1") ]]
}

is_gone() {
    ! computes "$1"
}

# requeued NAME DISTURBANCE SCRIPT OPTION...: something happens to the first start of the job; it is
# put back into the queue, and the second start completes the picture.
requeued() {
    local name=$1 disturb=$2 job restarts
    shift 2
    template "$name" "$@"
    until_holds 60 computes "$name" || true
    sleep 1
    "$disturb" "$job" "$name" || true
    until_holds 60 has_restarted "$job" || true
    until_holds 180 is_state "$job" 'COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL' || true
    restarts=$(field "$job" Restarts)
    if [[ $(field "$job" JobState) == COMPLETED && $restarts == 1 && -s $name.png ]]; then
        row ok "$name" "requeued; the second start is complete"
    else
        row FAILED "$name" "$(field "$job" JobState), $restarts restarts: $(tail -n 1 "$name.log")"
    fi
}

usr1_to_script() {
    scancel --batch --signal=USR1 "$1"
}

usr1_to_steps() {
    scancel --signal=USR1 "$1"
}

job_cancel() {
    scancel "$1"
}

rank_kill() {
    kill -s KILL "$(ranks_of "$2" | head -n 1)"
}

# The node on which the script is not: there the daemon and all that it runs end at once.
node_kill() {
    local process node
    node=$(scontrol show hostnames "$(field "$1" NodeList)" | grep -vx "$(field "$1" BatchHost)")
    kill -s KILL "$(< "$scratch/slurmd-$node.pid")"
    for process in $(pgrep -x 'slurmstepd|deepfield'); do
        ! grep -qzxE "SLURMD_NODENAME=$node" "/proc/$process/environ" 2> /dev/null ||
            kill -s KILL "$process" 2> /dev/null || true
    done
}

# ended NAME STATE WORDS SECONDS DISTURBANCE SCRIPT OPTION...: it is over, nothing of it is left.
ended() {
    local name=$1 state=$2 words=$3 seconds=$4 disturb=$5 job restarts
    shift 5
    template "$name" "$@"
    until_holds 60 computes "$name" || true
    sleep 2
    "$disturb" "$job" "$name"
    until_holds "$seconds" is_state "$job" "$state" || true
    restarts=$(field "$job" Restarts)
    until_holds 30 is_gone "$name" || true
    sleep 3
    if is_state "$job" "$state" && grep -q "$words" "$name.log" && is_gone "$name" &&
        [[ $restarts == 0 && ! -e $name.png && -z $(find . -maxdepth 1 -name ".$name*") ]]; then
        row ok "$name" "$state: $(grep -o "$words" "$name.log" | head -n 1)"
    else
        row FAILED "$name" "$(field "$job" JobState), $restarts restarts: $(tail -n 1 "$name.log")"
    fi
}

# With --signal=$signal: the warning comes early enough, and is no end.
warned() {
    local job
    template "$1" "${@:2}" --time=1 --signal="$signal"
    until_holds 90 has_restarted "$job" || true
    if has_restarted "$job" && grep -q 'stopped on request' "$1.log"; then
        row ok "$1" "stopped before the time limit, requeued"
    else
        row FAILED "$1" "$(field "$job" JobState): $(tail -n 1 "$1.log")"
    fi
    scancel "$job"
}

# A picture of some 15 s of a core; and one that never ends.
endless_write() {
    printf '[view]\nre = -0.1\nim = 0\nzoom = 100\nlimit = %s\n' 3000000 > long.ini
    sed 's/limit.*/limit = 9000000000000000000/' long.ini > endless.ini
}

# Each waits most of the time, so all run at once.
templates() {
    local result
    endless_write
    sed 's/limit.*/limit = 6000000/' long.ini > longer.ini
    mkdir rows
    local view=long
    (requeued 'one_node, USR1' usr1_to_script one_node > rows/1) &
    (requeued 'many_nodes, USR1' usr1_to_steps many_nodes "${many[@]}" > rows/2) &
    (requeued 'many_nodes, rank killed' rank_kill many_nodes "${many[@]}" > rows/3) &
    wait
    (view=longer requeued 'many_nodes, node lost' node_kill many_nodes "${many[@]}" > rows/4) &
    view=endless
    (ended 'many_nodes, scancel' CANCELLED 'stopped on request' 30 job_cancel many_nodes "${many[@]}" > rows/5) &
    (ended 'one_node, scancel' CANCELLED 'stopped on request' 30 job_cancel one_node > rows/6) &
    (signal=B:USR1@30 warned 'one_node, --signal' one_node > rows/7) &
    (signal=USR1@30 warned 'many_nodes, --signal' many_nodes "${many[@]}" > rows/8) &
    (ended 'time limit without a warning' TIMEOUT 'stopped on request' 100 : many_nodes "${many[@]}" \
        --time=1 --signal=CONT@1 > rows/9) &
    wait
    for result in rows/*; do
        [[ -s $result ]] || echo "FAILED case $result ended" > "$result"
        cat "$result"
        ! grep -q '^FAILED' "$result" || failures=$((failures + 1))
    done
}

# selftest in an allocation of two nodes, and by the batch scripts.
selftest() {
    local code=0
    salloc --quiet -N2 --ntasks-per-node=2 "$source/packaging/selftest.sh" --deepfield "$deepfield" > out 2> message ||
        code=$?
    if [[ $code == 0 ]] && grep -q '^ok *nodes .* 4 ranks on n[1-4] n[1-4]' out; then
        row ok 'selftest in an allocation' "$(tail -n 1 out)"
    else
        row FAILED 'selftest in an allocation' "$code: $(grep -m 1 FAILED out || tail -n 1 message)"
    fi
    code=0
    "$source/packaging/selftest.sh" --deepfield "$deepfield" --submit --cpus-per-task=1 --gpus-per-node=0 > out 2> message ||
        code=$?
    if [[ $code == 0 ]]; then
        row ok 'selftest --submit' "$(tail -n 1 out)"
    else
        row FAILED 'selftest --submit' "$code: $(grep -m 1 FAILED out || tail -n 1 message)"
    fi
}

cluster_start
export PATH=$scratch/bin:$PATH OMPI_MCA_mpi_yield_when_idle=true OMPI_MCA_btl_tcp_if_include=lo HWLOC_COMPONENTS=-gl,-opencl
for part in ${3-start devices exit_codes apart memory root_killed film selftest templates}; do
    "$part"
done
((failures == 0))
