#!/usr/bin/env bash
# Has every formula been measured, and does BENCHMARKS.md say what docs/benchmarks/ says? Its table of
# formulas by kind is made here from the rows of the files.
# usage: benchmarks.sh ROOT PROGRAM [--write]   --write: puts that table into BENCHMARKS.md
set -euo pipefail
cd -- "$1"
program=$2 write=${3:-}
speed=docs/benchmarks/formula_speed.csv counts=docs/benchmarks/formula_counts.csv

TABLES_MAX=25
TABLE_ROWS_MAX=20 # longer ones belong into docs/benchmarks/

failed=0
complain() {
    printf '%s\n' "$*"
    failed=1
}

# Kinds of formulas: their names, and the order of their blocks (kernels/deep/formula_block.h).
kinds='z^2 + c;^mandelbrot$;4
multibrot 3 to 8;^multibrot_;4
tricorns, mandelbar_3;^(tricorn|mandelbar_3);4
burning_ship 2 to 5;^burning_ship;4
celtic, buffalo, perpendicular;^(celtic|mandelbar_celtic|buffalo|perpendicular);4
cubic, quartic, quintic kinds of Kalles Fraktaler;^(cubic|quartic|quintic)_;4
mothbrot, simonbrot;^(mothbrot|simonbrot);1, with conj(w)
lambda;^lambda$;4
phoenix;^phoenix$;2, of z_n and z_(n-1)
newton 3 to 6 (dynamic plane alone);^newton_;4
nova 3 to 6;^nova;4
magnet 1, 2;^magnet_;
all;.;'

# Of several measurements of a formula by a backend the last of the file counts; several runs of one
# commit are a range.
summary() {
    awk -F ',' -v kinds="$kinds" -v speed="$speed" '
        function widen(key, value) {
            if (value == "")
                return
            if (!(key in least) || value + 0 < least[key])
                least[key] = value + 0
            if (!(key in most) || value + 0 > most[key])
                most[key] = value + 0
        }
        function range(kind, backend, what, form, factor,    formula, key, low, high) {
            low = high = ""
            for (formula in rows) {
                key = formula SUBSEP backend SUBSEP what
                if (formula !~ pattern[kind] || !(key in least))
                    continue
                if (low == "" || least[key] < low)
                    low = least[key]
                if (high == "" || most[key] > high)
                    high = most[key]
            }
            low = sprintf(form, factor * low)
            high = sprintf(form, factor * high)
            return low == high ? low : low "-" high
        }
        function grouped(number,    text) {
            for (text = ""; number >= 1000; number = int(number / 1000))
                text = sprintf(",%03d%s", number % 1000, text)
            return number text
        }
        function expectation(number) {
            return number < 0.05 ? "0" : number < 9.95 ? sprintf("%.1f", number) : grouped(int(number + 0.5))
        }
        FNR == 1 { next }
        FILENAME == speed {
            rows[$4]
            if (commit[$4, $3] != $2) {
                commit[$4, $3] = $2
                delete least[$4, $3, "direct"]
                delete most[$4, $3, "direct"]
            }
            widen($4 SUBSEP $3 SUBSEP "direct", $7)
            widen($4 SUBSEP $3 SUBSEP "deep", $12)
            next
        }
        { samples[$1] += $4; differ[$1] += $5; expected[$1] += $6 }
        END {
            print "| kind | rows | blocks | direct, of the ceiling | the same, GPU | deep, AVX-512 | AVX2 | GPU | counts that differ |"
            print "|---|---|---|---|---|---|---|---|---|"
            lines = split(kinds, line, "\n")
            for (k = 1; k <= lines; k++) {
                split(line[k], part, ";")
                pattern[k] = part[2]
                of = number = d = e = 0
                for (formula in rows)
                    if (formula ~ pattern[k]) {
                        number++; of += samples[formula]; d += differ[formula]; e += expected[formula]
                    }
                print "| " part[1] " | " number " | " part[3] \
                    " | " range(k, "avx512", "direct", "%.0f", 100) " % | " range(k, "cuda", "direct", "%.0f", 100) \
                    " % | " range(k, "avx512", "deep", "%.1f", 1) " | " range(k, "avx2", "deep", "%.1f", 1) \
                    " | " range(k, "cuda", "deep", "%.1f", 1) \
                    " | " grouped(d) " of " grouped(of) " (" expectation(e) ") |"
            }
        }' "$speed" "$counts"
}

# check_rows FILE COLUMN EXPECTED: every formula of the program is in that column, and no other word.
check_rows() {
    local file=$1 column=$2 pattern=$3 names
    names=$(grep -E "$pattern" "$file" | cut -d , -f "$column" | sort -u)
    diff <(sort <<<"$formulas") - <<<"$names" >/dev/null ||
        complain "$file, rows $pattern: $(diff <(sort <<<"$formulas") - <<<"$names" |
            sed -n 's/^< /not measured: /p; s/^> /no such formula: /p' | paste -sd ';')"
}

formulas=$("$program" help formulas |
    awk 'seen && !/^  [a-z]/ { exit } /^  [a-z]/ { seen = 1 } seen && $1 != "julia" { print $1 }')
check_rows "$speed" 4 ',[0-9]' # by any backend: few machines have them all
check_rows "$counts" 1 ',dynamic,direct,'
[[ $(head -1 "$speed") == "$(tests/formula_speed.sh "$program")" ]] ||
    complain "$speed: not the columns of tests/formula_speed.sh"
for file in "$speed" "$counts"; do
    awk -F ',' -v file="$file" 'NR == 1 { fields = NF } NF != fields { print file ":" NR ": " NF " cells, not " fields }
        { for (i = NF; i > NF - 3; i--) if (NR > 1 && $i !~ /^([0-9.]+(e[-+]?[0-9]+)?)?$/) print file ":" NR ": no number: " $i }' "$file" |
        grep . && failed=1
done

begin='<!-- formulas: begin -->' end='<!-- formulas: end -->'
if [[ $write == --write ]]; then
    summary >"${TMPDIR:-/tmp}/formulas.$$"
    sed -i -e "/^$begin$/,/^$end$/{/^$begin$/{p;r ${TMPDIR:-/tmp}/formulas.$$
d};/^$end$/p;d}" BENCHMARKS.md
    rm "${TMPDIR:-/tmp}/formulas.$$"
fi
diff <(sed -n "/^$begin$/,/^$end$/p" BENCHMARKS.md | sed '1d;$d') <(summary) ||
    complain "BENCHMARKS.md: not what $speed and $counts say: tests/style/benchmarks.sh . $program --write"
awk -v tables_most="$TABLES_MAX" -v rows_most="$TABLE_ROWS_MAX" '
    !/^\|/ { first = 0 }
    /^\|.*---/ { tables++; first = FNR; next }
    /^\|/ && first && FNR - first == rows_most + 1 { print "BENCHMARKS.md:" first ": a table of more than " rows_most " rows" }
    END { if (tables > tables_most) print "BENCHMARKS.md: " tables " tables; at most " tables_most }' BENCHMARKS.md |
    grep . && failed=1
exit "$failed"
