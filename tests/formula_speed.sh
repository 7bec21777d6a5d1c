#!/usr/bin/env bash
# The speed of formulas as rows of docs/benchmarks/formula_speed.csv: what `deepfield bench formula`
# measures, in its units (iterations and steps per second and pixel, shares, seconds).
#
# usage: formula_speed.sh DEEPFIELD MACHINE [WORDS OF bench formula...] >>docs/benchmarks/formula_speed.csv
# MACHINE: a name of the table of machines in BENCHMARKS.md. Without it, the names of the columns.
set -euo pipefail

columns=(formula instructions iterations_per_s of_ceiling own_ratio deep_steps_px deep_step_s deep_ratio deep_equal)
deepfield=$1 machine=${2:-}
if [[ ! $machine ]]; then
    (IFS=,; echo "machine,commit,backend,${columns[*]}")
    exit
fi
shift 2
commit=$("$deepfield" --version | sed -n 's/^revision: //p')
json=$("$deepfield" bench formula --json "$@")
backend=$(sed -E 's/.*"backend":"([^"]*)".*/\1/' <<<"$json")
grep -oE '\{"formula"[^}]*\}' <<<"$json" | awk -v prefix="$machine,${commit:0:8},$backend" -v columns="${columns[*]}" '
    {
        row = prefix
        for (i = 1; i <= split(columns, column, " "); i++) {
            match($0, "\"" column[i] "\":[^,}]*")
            value = substr($0, RSTART + length(column[i]) + 3, RLENGTH - length(column[i]) - 3)
            gsub(/"/, "", value)
            row = row "," (value == "null" ? "" : value ~ /^-?[0-9]/ ? sprintf("%.4g", value) : value)
        }
        print row
    }'
