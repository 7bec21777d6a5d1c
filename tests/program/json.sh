#!/usr/bin/env bash
# Is what the commands print with --json, add to --log-json and write beside planes as
# configs/deepfield.schema.json defines it: every member there, null where there is nothing, and no other?
# usage: json.sh DEEPFIELD SCRATCH SCHEMA_CHECK SCHEMA
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
check=$3
schema=$4

# holds NAME FILE: all lines of the file hold, and the last one is a NAME
holds() {
    "$check" "$schema" <"$2" >message 2>&1 || complain "$1"
    [[ $(tail -n 1 "$2") == "{\"schema\":\"$1/"* ]] || complain "no $1: $(tail -n 1 "$2")"
}

# said NAME WORD...: what a command prints
said() {
    local name=$1
    shift
    "$deepfield" "$@" --json >out 2>message || true
    holds "$name" out
    [[ $(wc -l <out) == 1 ]] || complain "more than one document of $*"
}

small=(--size 32x18 --quiet --force)
deep=published/kf-1e14
said render render seahorse "${small[@]}" -o a.png -o a.npy --log-json log
sums=$(grep -oE '"checksums":\{[^}]*\}' out)
[[ $(tail -n 1 log) == *'"files":["a.png","a.count.npy","a.fraction.npy","a.planes.json"]'*"$sums"* ]] ||
    complain "the end of the log: $(tail -n 1 log)"
holds planes a.planes.json
for plane in count fraction; do # the same numbers by the same name
    sum=$(grep -oE "\"$plane\":\"[0-9a-f]{16}\"" out | cut -d '"' -f 4)
    grep -q "\"name\":\"$plane\"[^}]*\"checksum\":\"$sum\"" a.planes.json || complain "the checksum of $plane"
done
said render render "$deep" "${small[@]}" -o b.npy --explain --log-json log --julia 0.1,0.2
said render render "$deep" "${small[@]}" -o b.npy --explain --log-json log
holds planes b.planes.json
said render render seahorse "${small[@]}" -o c.npy --ranks 3 --oversubscribe --density 2 --bits 16 --samples auto -o c.png
[[ $(grep -o '"rank":' out | wc -l) == 3 ]] || complain "not all ranks: $(<out)"
said render render seahorse "${small[@]}" -o d.png --dry-run
said render render seahorse --size 32x18 -o d.png --dry-run
said film film seahorse "${small[@]}" --to 3 --fps 10 --seconds 0.3 -o f.y4m --log-json log
said film-estimate film seahorse --size 32x18 --to 3 --fps 10 --seconds 0.3 -o g.y4m --dry-run
holds event log
said info info seahorse
said info info a.png
said info info --formula celtic
said info info --re 0 --im 1 --zoom 1e200000
said info info --julia 0.250000000000001,0 --limit 1e12 # of which no error is known
said verify verify seahorse --size 32x18 --pixels 4 --quiet
# One document, though it may end with code 70.
said verify verify --formula magnet_2 --julia 1e-4,0 --re 1 --im 0 --zoom 1e4 --limit 300 --size 64x36 --pixels 16 --quiet
said find find seahorse --quiet
said find find triple-spiral --misiurewicz --quiet
said devices devices
said doctor doctor
said devices devices --ranks 2 --oversubscribe
said views views
said palettes palettes
said palettes palettes ocean

# Errors, too: of the command line, of an input, of an output; the code is that of the program.
for words in 'render --no-such' 'rendr' 'info no-such' "render seahorse -o no/such.png" 'find --formula newton_3' 'palettes no-such'; do
    code=0
    # shellcheck disable=SC2086
    "$deepfield" $words --json >out 2>sentence || code=$?
    holds error out
    [[ $code != 0 && $(<out) == '{"schema":"error/1","code":'"$code"',"text":"'* && $(wc -l <out) == 1 ]] ||
        complain "$words ends with $code: $(<out)"
    [[ $(<sentence) == deepfield:* ]] || complain "$words: no sentence for people"
done

# The check finds what is wrong.
for mend in 's/"width":32,//' 's/"width":32/"width":"32"/' 's/"title":null/"title":7/' 's/"width"/"wide":1,"width"/' \
    's|render/1|render/2|' 's|render/1|rendre/1|'; do
    "$deepfield" render --re=-0.7 --im=0.2 --zoom 2 "${small[@]}" -o d.png --dry-run --json | sed "$mend" >out
    ! "$check" "$schema" <out >message 2>&1 || complain "not found: $mend"
done
verdict
