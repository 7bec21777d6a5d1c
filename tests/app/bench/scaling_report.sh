#!/usr/bin/env bash
# `deepfield bench scaling --report`: a page that an XML parser reads, replaced with --force alone, through
# links; nothing is left of it when it cannot be written. `some`: what is refused before it measures.
# usage: scaling_report.sh DEEPFIELD SCRATCH some|all
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"
which=$3

# refused CODE WORDS OPTION...: at once, and no file changes.
refused() {
    local code=0 wanted=$1 words=$2
    shift 2
    timeout 60 "$deepfield" bench "$@" >out 2>message || code=$?
    [[ $code == "$wanted" && $(<message) == *"$words"* && ! -s out ]] ||
        complain "bench $*: code $code, not $wanted with '$words': $(cat message)"
}

echo old >old.html
refused 73 'old.html exists; --force replaces it' scaling --report old.html
refused 73 'nowhere/new.html' scaling --report nowhere/new.html
refused 64 'has to end in .html' scaling --report new.png
refused 64 'suite direct does not use it' --report new.html
refused 64 'no file is written without --report' scaling --force
[[ $(<old.html) == old && ! -e new.html ]] || complain "a refusal changed a file"
[[ $which == all ]] || verdict

ln -s old.html link.html
"$deepfield" bench scaling --ranks 3 --report link.html --force --json >out || complain "code $?"
[[ -L link.html && $(wc -l <out) == 1 ]] || complain "the link is gone, or there is no JSON"
"$python" -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' old.html || complain "not well-formed"
rows=$(grep -o '"devices":' out | wc -l)
[[ $(grep -o 'class="bar part0"' old.html | wc -l) == "$rows" ]] || complain "not a bar for each of $rows rows"
ln -s /dev/full full.html
code=0
"$deepfield" bench scaling --report full.html >out 2>message || code=$?
[[ $code == 74 && $(<message) == *full* ]] || complain "a full disk: code $code, $(<message)"
verdict
