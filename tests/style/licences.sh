#!/usr/bin/env bash
# Has each file a copyright and a licence, and is the text of each licence there (REUSE)?
# usage: licences.sh PROJECT
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/files.sh"
command -v reuse >/dev/null || skip "there is no reuse"
cd -- "$1"
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || skip "no checkout: builds would be looked at, too"
cmp LICENSE LICENSES/MIT.txt
cmp assets/fonts/LICENSE LICENSES/LicenseRef-DejaVu.txt
reuse lint >/dev/null || reuse lint
