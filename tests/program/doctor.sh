#!/usr/bin/env bash
# `deepfield doctor`: findings alone and of several ranks, as text and as JSON; what is wrong is said with
# a remedy, and decides the exit code.
# With `gpu` only copies to and from the GPUs, where there are any (else 77).
# usage: doctor.sh DEEPFIELD SCRATCH MPIEXEC [gpu]
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
mpirun=$3

# examined COMMAND...: its findings in `out`; 78 just where one of them is wrong.
examined() {
    local code=0 wanted=0
    "$@" >out 2>message || code=$?
    ! grep -qE '^wrong|"verdict":"wrong"' out || wanted=78
    [[ $code == "$wanted" ]] || complain "$*: code $code, not $wanted: $(cat out message)"
}

# has WORDS: just one line of the findings has them.
has() {
    [[ $(grep -cE -- "$1" out) == 1 ]] || complain "not just one line '$1' in: $(<out)"
}

if [[ ${4-} == gpu ]]; then
    examined "$deepfield" doctor
    grep -q '^fine   GPUs ' out || { echo "skipped: no GPU" && exit 77; }
    has '^(fine|note)   GPU copies .*pinned memory, GB/s: device 0 [1-9][0-9.]* to it, [1-9][0-9.]* from it'
    examined "$mpirun" -n 2 "$deepfield" doctor
    has '^(fine|note)   GPU copies .*\[rank 0\]$'
    verdict
fi
examined "$deepfield" doctor
for subject in version MPI ranks host cores memory 'ranks here' data screen ffmpeg libraries GPUs 'device memory'; do
    has "^(fine|note|wrong)  *$subject  "
done
has 'starts two in [0-9.]+ s$'
has 'libmpfr\.so\.[0-9]'
if grep -q '^fine   GPU code ' out; then
    has '^fine   GPU code .* for [0-9]+[a-z]*(-real|-virtual)?[ ,]'
fi

# Without anything on PATH, without data.
examined env PATH=/nowhere "$(realpath -- "$deepfield")" doctor
has '^note .* no mpirun on PATH'
has '^note .* not on PATH: no films in'
DEEPFIELD_DATA=$scratch examined "$deepfield" doctor
has '^wrong  data '
has '^note   variables .*DEEPFIELD_DATA'

# An mpirun of another MPI, and one that fails.
mkdir bin
# shellcheck disable=SC2016 # of the script that is written
printf '#!/bin/sh\n"$3" "$4" & "$3" "$4"\n' >bin/mpirun
chmod +x bin/mpirun
PATH=$scratch/bin:$PATH examined "$deepfield" doctor
has '^wrong  ranks .* alone: it is of another MPI'
printf '#!/bin/sh\nexit 9\n' >bin/mpirun
PATH=$scratch/bin:$PATH examined "$deepfield" doctor
has '^wrong  ranks .* ends with code 9$'

# GPUs that a job is given and that nobody can use, where there are none.
if ! grep -q '^fine   GPUs ' out; then
    CUDA_VISIBLE_DEVICES=0,1 examined "$deepfield" doctor
    has '^wrong  GPUs given .*2 given to this job, and none can be used: '
    SLURM_GPUS_ON_NODE=4 examined "$deepfield" doctor
    has '^wrong  GPUs given .*4 given to this job'
    CUDA_VISIBLE_DEVICES='' examined "$deepfield" doctor
    ! grep -qE 'GPUs given|GPU copies' out || complain "GPUs that are not there: $(<out)"
fi

# A card whose driver is out of reach, as in a container, and the library that programs are linked with in its
# place. Needs mounts of its own.
mkdir -p driver/nvidia
# shellcheck disable=SC2016 # of the shell that is started
card=(unshare --mount bash -c 'mount --bind driver /proc/driver && exec "$@"' -)
if ! grep -q '^fine   GPUs ' out && "${card[@]}" true 2>message; then
    examined "${card[@]}" "$deepfield" doctor
    has '^wrong  GPUs  *there is an NVIDIA card, but: backend .cuda. cannot run here: '
    has '-> .*apptainer exec --nv'
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    stub=$(realpath -- "$(dirname -- "$(realpath -- "$nvcc")")/../lib64/stubs/libcuda.so") || stub=''
    if grep -q 'libcuda.so.1 was not found' out && [[ -f $stub ]]; then
        mkdir stubs
        ln -s "$stub" stubs/libcuda.so.1
        LD_LIBRARY_PATH=$scratch/stubs examined "${card[@]}" "$deepfield" doctor
        has '^wrong  GPUs .* take its folder \(stubs\) out of LD_LIBRARY_PATH'
    fi
fi

# Ranks: what is the same is said once.
examined "$mpirun" -n 3 "$deepfield" doctor
has '^fine   host .*[^]]$'
has '^fine   version .*\[rank 0\]$'
has '3 in this job'
has '^note   killed ranks '
OMPI_MCA_mpi_ft_enable=1 examined "$mpirun" -n 2 "$deepfield" doctor
has '^fine   killed ranks .* the job goes on'
examined "$mpirun" -n 2 "$deepfield" doctor --json
[[ $(wc -l <out) == 1 ]] || complain "JSON of $(wc -l <out) lines"
has '"subject":"host".*"ranks":\[0,1\]'

# A rank with one core of several.
if (($(nproc) > 1)); then
    examined taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$deepfield" doctor
    has '^wrong  cores .* bound to 1 of'
fi
verdict
