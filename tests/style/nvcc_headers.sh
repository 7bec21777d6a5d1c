#!/usr/bin/env bash
# Do the headers that the CUDA backend will share with the CPU compile under nvcc?
# usage: nvcc_headers.sh ROOT SCRATCH NVCC
#
# All of kernels/escape/, what the CUDA backend includes of kernels/deep/ but the bodies that want macros,
# and the plain data they work on, in one CUDA C++17 file.
set -euo pipefail
here=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")
source "$here/files.sh"
cd -- "$1"
scratch=$2 nvcc=${3:-nvcc}
command -v "$nvcc" >/dev/null || skip "no nvcc here"

mkdir -p "$scratch"
mapfile -t headers < <(ours 'kernels/escape/*.h' kernels/deep/{delta,wide,block,direct,pixel_state,pixel_wide,table_fill}.h kernels/grid.h \
    kernels/spec.h kernels/field.h kernels/status.h tests/kernels/plain_pixel.h | grep -v _neon
    grep -rhoE '"kernels/deep/[a-z_/]+\.h"' kernels/cuda | tr -d '"' | sort -u | grep -vE '/real_(f32|f64|end)\.h')
{
    printf '#include "%s"\n' "${headers[@]}"
    cat "$here/nvcc_headers.cu"
} >"$scratch/nvcc_headers.cu"
"$nvcc" -std=c++17 -fmad=false -Xcompiler -Wall,-Wextra -Werror all-warnings -I . \
    -c "$scratch/nvcc_headers.cu" -o "$scratch/nvcc_headers.o"
printf '%d headers compile under %s\n' "${#headers[@]}" "$("$nvcc" --version | grep -o 'release.*')"
