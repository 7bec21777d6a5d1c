#!/usr/bin/env bash
# What an installation of deepfield does on this machine or this cluster, in less than two minutes: a line for
# each check, `ok`, `skip` or `FAILED`, what was found, seconds. Within an allocation of Slurm its ranks are started
# by srun, elsewhere by mpirun where this is a job of several hosts, and by deepfield itself (--ranks).
#
# usage: selftest [--json] [--quick] [--ranks N] [--launcher srun|mpirun|ranks] [--folder DIR]
#                 [--deepfield FILE] [--submit [OPTION OF SBATCH...]]
#   --json       one line of JSON instead of the table
#   --quick      without those that wait: film, kill, join
#   --ranks      2 or more, 3 by default; under srun as many as the allocation has tasks
#   --launcher   mpirun reads its hosts as usual (OMPI_MCA_orte_default_hostfile, -hostfile by MPIRUN_FLAGS)
#   --folder     where its pictures go, seen by all machines; by default a new one in the current folder
#   --submit     gives the batch scripts of configs/slurm to sbatch and waits for their pictures
# Exit code: 0, or 1 where a check has failed, or 64.
# shellcheck disable=SC2317 # functions that `check` calls
set -uo pipefail
export LC_ALL=C
readonly begin=$SECONDS most_s=${SELFTEST_SECONDS:-115}
here=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")
json='' quick='' ranks='' launcher='' parent=$PWD deepfield='' submit=''
batch=()
read -ra flags <<< "${MPIRUN_FLAGS-}"

manual() {
    sed -n '/^# usage/,/^# Exit code/s/^# //p' "${BASH_SOURCE[0]}"
}

usage() {
    manual >&2
    exit 64
}

# taken NAME PATTERN VALUE: an option that has a value.
taken() {
    [[ $3 =~ $2 ]] || usage
    printf -v "$1" '%s' "$3"
}

while (($#)); do
    case $1 in
        -h | --help) manual && exit ;;
        --json) json=1 ;;
        --quick) quick=1 ;;
        --ranks) taken ranks '^[1-9][0-9]*$' "${2-}" ;;
        --launcher) taken launcher '^(srun|mpirun|ranks)$' "${2-}" ;;
        --folder) taken parent '.' "${2-}" ;;
        --deepfield) taken deepfield '.' "${2-}" ;;
        --submit)
            submit=1
            shift
            batch=("$@")
            break
            ;;
        *) usage ;;
    esac
    [[ $1 == --json || $1 == --quick ]] || shift
    shift
done

# ---- checks ----

# The counts of two places, as every machine has to have them: sums of 320x180 pixels.
readonly places=(seahorse published/kf-1e50)
readonly sums=(
    969e7a3cc979d859b198d51fcfc244f79e41f664b1f46472dbaa6c9e76dfbad1
    264be875723047f75fe4533d165a8a29c03a4d7403bfaec390a8382ca92c6ef2
)
readonly pictures=(--size 320x180 --quiet --force)

rows=() failures=0

# Adds a row: RESULT CHECK SECONDS TEXT.
row() {
    local text=${4//$'\n'/; }
    text=${text//$'\t'/ }
    [[ $1 != FAILED ]] || failures=$((failures + 1))
    rows+=("$1"$'\t'"$2"$'\t'"$3"$'\t'"$text")
    [[ $json ]] || printf '%-7s %-10s %3s s  %s\n' "$1" "$2" "$3" "$text"
}

# check NAME FUNCTION...: the function says what it found on stdout; 77: it could not be tried.
check() {
    local name=$1 code=0 text started=$SECONDS
    shift
    if ((SECONDS - begin >= most_s)); then
        row FAILED "$name" 0 "no time is left of $most_s s"
        return
    fi
    text=$("$@" 2> "$folder/message") || code=$?
    [[ $text ]] || text=$(grep -aE '^deepfield: ' "$folder/message" | tail -n 1)
    [[ $text ]] || text=$(tail -n 1 "$folder/message")
    case $code in
        0) row ok "$name" $((SECONDS - started)) "$text" ;;
        77) row skip "$name" $((SECONDS - started)) "$text" ;;
        124 | 137) row FAILED "$name" $((SECONDS - started)) "it hangs. $text" ;;
        *) row FAILED "$name" $((SECONDS - started)) "$text (code $code)" ;;
    esac
}

# Runs a command for as long as there is time.
timed() {
    local left=$((most_s - (SECONDS - begin)))
    timeout --kill-after=5 "$((left > 1 ? left : 1))" "$@"
}

# started WORDS...: deepfield in all ranks.
started() {
    case $launcher in
        srun) timed srun --quiet --mpi=pmix "$deepfield" "$@" ;;
        mpirun) timed mpirun "${flags[@]}" -n "$ranks" "$deepfield" "$@" ;;
        ranks) timed "$deepfield" "$@" --ranks "$ranks" ;;
    esac
}

alone() {
    timed "$deepfield" "$@" --ranks 1
}

program() {
    local version
    version=$("$deepfield" --version) || return
    echo "${version%%$'\n'*}, $deepfield"
}

libraries() {
    local absent
    command -v ldd > /dev/null || { echo "no ldd" && return 77; }
    absent=$(ldd "$deepfield" | grep 'not found' | sed 's/^[[:space:]]*//; s/ =>.*//' | tr '\n' ' ')
    [[ ! $absent ]] || { echo "not found: $absent" && return 1; }
    echo "$(ldd "$deepfield" | grep -c '=> /') are found"
}

# What doctor calls wrong, of this process or of all ranks.
doctor() {
    local code=0 wrong
    if [[ $launcher == ranks ]]; then
        timed "$deepfield" doctor > doctor.txt || code=$?
    else
        started doctor > doctor.txt || code=$?
    fi
    wrong=$(grep '^wrong' doctor.txt | sed 's/^wrong *//; s/  */ /g')
    [[ ! $wrong ]] || { echo "$wrong" && return 1; }
    ((code == 0)) || return "$code"
    grep -m 1 '^fine   MPI' doctor.txt | sed 's/^fine   MPI *//; s/$/; nothing is wrong/'
}

# Ranks that work together, and the machines that they are on.
nodes() {
    local hosts found wanted=${SLURM_JOB_NUM_NODES:-1}
    started render seahorse --size 960x540 --tile 32 --json --quiet --force -o nodes.npy > nodes.json || return
    [[ $(wc -l < nodes.json) == 1 ]] || { echo "each rank worked alone: another MPI's launcher" && return 1; }
    hosts=$(grep -oE '"host":"[^"]*"' nodes.json | sort -u | sed 's/.*:"//; s/"//' | tr '\n' ' ')
    found=$(wc -w <<< "$hosts")
    [[ $launcher == srun ]] || wanted=1
    ((found >= wanted)) || { echo "of $wanted machines there are $hosts" && return 1; }
    echo "$(grep -oE '"rank":[0-9]+' nodes.json | sort -u | wc -l) ranks on ${hosts% }"
}

is_sum() { # FILE SUM
    [[ $(sha256sum < "$1") == "$2 "* ]]
}

still() {
    local i
    for i in 0 1; do
        started render "${places[i]}" "${pictures[@]}" -o still.npy > /dev/null || return
        is_sum still.count.npy "${sums[i]}" || { echo "counts of ${places[i]} are others than elsewhere" && return 1; }
    done
    echo "counts of ${places[*]} have the sums of all machines"
}

# Names of GPUs that this job is given and that no rank drives.
gpus() {
    local given unused
    if grep -q '^wrong  GPUs given' doctor.txt 2> /dev/null; then
        grep -m 1 '^wrong  GPUs given' doctor.txt | sed 's/^wrong  *//'
        return 1
    fi
    if [[ $launcher == srun ]]; then
        given=$(timed srun --quiet --ntasks-per-node=1 --ntasks="$SLURM_JOB_NUM_NODES" nvidia-smi -L 2> /dev/null)
    else
        given=$(nvidia-smi -L 2> /dev/null)
    fi
    given=$(grep -E '^GPU [0-9]+: .*UUID: GPU-' <<< "$given") || { echo "none given" && return 77; }
    started devices --json > devices.json || return
    unused=$(while read -r line; do
        uuid=${line##*UUID: GPU-}
        grep -qF -- "${uuid%)}" devices.json || echo "${line%% (UUID*}"
    done <<< "$given")
    [[ ! $unused ]] || { echo "given, but not used: $unused" && return 1; }
    echo "$(wc -l <<< "$given") given, all are used"
}

film() {
    started film seahorse --from 1 --to 10 --seconds 1 --fps 6 --size 64x36 --quiet --force -o film.y4m > /dev/null ||
        return
    local frames
    frames=$(grep -ao FRAME film.y4m | wc -l)
    ((frames == 6)) || { echo "$frames frames instead of 6" && return 1; }
    echo "6 frames"
}

# A process is killed when the first tiles are kept; all ranks go on from there.
resume() {
    local job tries limit=400000
    local picture=(-0.7436438870 0.1318259042)
    picture=(--re "${picture[0]}" --im "${picture[1]}" --zoom 1.5e5 --size 640x360 --tile 16 --quiet
        --set compute.shortcuts=off --set output.journal=0.1)
    for ((tries = 0; tries < 4; tries++, limit *= 8)); do
        rm -rf killed.npy killed.*.npy killed.npy.deepfield
        "$deepfield" render "${picture[@]}" --limit "$limit" --backend cpu -j 1 --ranks 1 -o killed.npy > /dev/null &
        job=$!
        until [[ -s killed.npy.deepfield/tiles ]] || ! kill -0 "$job" 2> /dev/null; do sleep 0.05; done
        kill -s KILL "$job" 2> /dev/null || true
        wait "$job" 2> /dev/null || true
        [[ ! -s killed.npy.deepfield/tiles ]] || break
    done
    [[ -s killed.npy.deepfield/tiles ]] || { echo "done before it could be killed" && return 77; }
    started render "${picture[@]}" --limit "$limit" -o killed.npy > /dev/null 2> goes_on || { cat goes_on >&2 && return 1; }
    alone render "${picture[@]}" --limit "$limit" --force -o whole.npy > /dev/null || return
    cmp -s killed.count.npy whole.count.npy || { echo "the picture differs from one without a kill" && return 1; }
    echo "killed while it computed, gone on by all ranks, the same bytes"
}

# A second job takes tiles of the first. On a fast machine the first may be done before it comes.
joins() {
    local code=1 samples picture tries
    "$deepfield" render --help | grep -q -- --join-file || { echo "this version joins viewers alone" && return 77; }
    for samples in 4 16; do
        rm -f join.txt
        "$deepfield" render "${places[1]}" --size 640x360 --samples "$samples" --tile 32 --backend cpu -j 1 --ranks 1 \
            --quiet --force --join-file join.txt -o joined.npy -o joined.png > /dev/null 2> picture.log &
        picture=$!
        for ((tries = 0; tries < 200; tries++)); do
            if [[ -s join.txt ]] || ! kill -0 "$picture" 2> /dev/null; then break; fi
            sleep 0.05
        done
        code=0
        timed "$deepfield" join join.txt --ranks 1 > joined.log 2>&1 || code=$?
        ((code == 0)) || ! kill -0 "$picture" 2> /dev/null || { cat joined.log >&2 && return 1; } # it had time
        wait "$picture" || { cat picture.log >&2 && return 1; }
        ((code != 0)) || break
    done
    ((code == 0)) || { echo "done before another job could join: $(tail -n 1 joined.log)" && return 77; }
    alone render "${places[1]}" --size 640x360 --quiet --force -o whole.npy > /dev/null || return
    cmp -s joined.count.npy whole.count.npy || { echo "the picture differs from one without" && return 1; }
    echo "another job computed, too, and the counts are the same"
}

# ---- batch scripts ----

# submitted SCRIPT WORDS...: waits for the job, which has to end well.
submitted() {
    local script=$1 code=0
    shift
    timed sbatch --wait --quiet --output="$folder/$script.log" --job-name="selftest-$script" "${batch[@]}" \
        "$scripts/$script.sbatch" "$@" 2> batch.log || code=$?
    ((code == 0)) || { tail -q -n 1 batch.log "$folder/$script.log" >&2 2> /dev/null; return "$code"; }
}

# Fewer tasks than the template has, and no GPUs for them where none are asked for.
batch_still() { # SCRIPT
    [[ $1 != many_nodes ]] || batch+=(--ntasks-per-node=2)
    [[ $1 != many_nodes || " ${batch[*]}" != *' --gpus-per-node=0'* ]] || batch+=(--gpus-per-task=0)
    submitted "$1" "${places[1]}" "${pictures[@]}" -o "$folder/$1.npy" || return
    is_sum "$1.count.npy" "${sums[1]}" || { echo "other counts than elsewhere" && return 1; }
    echo "$1.sbatch: the counts of all machines"
}

batch_film() {
    local words=(seahorse --from 1 --to 10 --seconds 1 --fps 6 --size 64x36 --quiet -o "$folder/parts/%06d.png")
    mkdir parts
    batch+=(--array=1-2)
    submitted film_array "${words[@]}" || return
    alone film "${words[@]}" > /dev/null || return
    [[ $(find parts -name '*.png' | wc -l) == 6 ]] || { echo "not 6 frames" && return 1; }
    echo "film_array.sbatch: 6 frames in two parts"
}

# USR1 comes before the time limit: the job stops, is queued again, and goes on. Slurm may let it wait longer
# than there is time.
batch_requeue() {
    local job state='' picture=(--re -0.743643887 --im 0.1318259042 --zoom 1.5e5 --size 640x360 --tile 16 --quiet
        --limit 3200000 --backend cpu --set compute.shortcuts=off)
    job=$(sbatch --parsable --output="$folder/requeue.log" --job-name=selftest-requeue "${batch[@]}" \
        "$scripts/one_node.sbatch" "${picture[@]}" -o "$folder/requeue.png") || return
    # shellcheck disable=SC2064 # the number of now
    trap "scancel --quiet $job" EXIT
    until [[ -s requeue.png.deepfield/tiles || -e requeue.png ]] || ((SECONDS - begin >= most_s)); do sleep 0.1; done
    scancel --batch --signal=USR1 "$job"
    until [[ $state =~ ^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL) ]] || ((SECONDS - begin >= most_s)); do
        sleep 0.5
        state=$(scontrol show job "$job" 2> /dev/null | grep -oE 'JobState=[A-Z_]+' | cut -d= -f2)
    done
    local restarts
    restarts=$(scontrol show job "$job" 2> /dev/null | grep -oE 'Restarts=[0-9]+' | cut -d= -f2)
    [[ $state != COMPLETED || $restarts != 0 ]] || { echo "done before it could be stopped" && return 77; }
    [[ $state != PENDING || ! $restarts =~ ^[1-9] ]] || { echo "queued again, and not started yet" && return 77; }
    [[ $state == COMPLETED && -s requeue.png ]] || { echo "$state after ${restarts:-no} restarts" && return 1; }
    echo "one_node.sbatch: stopped by USR1, queued again, complete"
}

# ---- all of it ----

parent=$(realpath -- "$parent") || usage
[[ -d $parent ]] || usage
if [[ ! $deepfield ]]; then
    deepfield=$here/../../bin/deepfield
    [[ -x $deepfield ]] || deepfield=$(command -v deepfield) || {
        echo "selftest: no deepfield beside it or on PATH; --deepfield names it" >&2
        exit 64
    }
fi
deepfield=$(realpath -- "$deepfield") || usage
[[ -x $deepfield ]] || usage
scripts=$here/configs/slurm
[[ -d $scripts ]] || scripts=$(realpath -- "$here/../configs/slurm")
[[ ! $submit ]] || launcher=sbatch
if [[ ! $launcher ]]; then
    launcher=ranks
    [[ ! ${SLURM_JOB_ID-} ]] || ! command -v srun > /dev/null || launcher=srun
fi
ranks=${ranks:-3}
export SRUN_CPUS_PER_TASK=${SRUN_CPUS_PER_TASK:-${SLURM_CPUS_PER_TASK:-1}}
folder=$(mktemp -d -- "$parent/deepfield-selftest.XXXXXX") || exit 73
trap 'rm -rf -- "$folder"' EXIT
trap 'exit 1' INT TERM
cd -- "$folder" || exit 73

check program program
check libraries libraries
if [[ $submit ]]; then
    command -v sbatch > /dev/null || { echo "selftest: no sbatch on PATH" >&2 && exit 64; }
    PATH=$(dirname -- "$deepfield"):$PATH
    check one_node batch_still one_node
    check many_nodes batch_still many_nodes
    check film_array batch_film
    check requeue batch_requeue
else
    check doctor doctor
    check nodes nodes
    check still still
    check gpus gpus
    if [[ ! $quick ]]; then
        check film film
        check resume resume
        check join joins
    fi
fi

# ---- the report ----

quoted() {
    local text=${1//\\/\\\\}
    text=${text//\"/\\\"}
    printf '"%s"' "${text//[[:cntrl:]]/ }"
}

if [[ $json ]]; then
    [[ $launcher != srun ]] || ranks=${SLURM_NTASKS:-null}
    [[ $launcher != sbatch ]] || ranks=null
    printf '{"schema":"selftest/1","launcher":"%s","ranks":%s,"checks":[' "$launcher" "$ranks"
    comma=''
    for line in "${rows[@]}"; do
        IFS=$'\t' read -r result name seconds text <<< "$line"
        printf '%s{"check":"%s","result":"%s","seconds":%s,"text":%s}' "$comma" "$name" "${result,,}" "$seconds" \
            "$(quoted "$text")"
        comma=,
    done
    printf '],"failed":%d,"seconds":%d}\n' "$failures" $((SECONDS - begin))
else
    echo "$failures of ${#rows[@]} checks failed, $((SECONDS - begin)) s"
fi
exit $((failures > 0))
