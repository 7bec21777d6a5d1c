#!/usr/bin/env bash
# Are the shell scripts clean under shellcheck?
# usage: shell.sh ROOT
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/files.sh"
cd -- "$1"

mapfile -t scripts < <(ours '*.sh' quickstart .ci/run)
for script in "${scripts[@]}"; do
    bash -n "$script"
done
command -v shellcheck >/dev/null || skip "no shellcheck here"
shellcheck --external-sources --source-path=SCRIPTDIR "${scripts[@]}"
printf '%d scripts are clean\n' "${#scripts[@]}"
