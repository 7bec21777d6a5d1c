#!/usr/bin/env bash
# Are the manual pages read without a warning, and do the shells complete what they should? A tool or a shell
# that is not installed is left out, and named.
# usage: documents.sh DOCUMENTS SCRATCH
set -euo pipefail
documents=$1 scratch=$2
failures=0
rm -rf -- "$scratch"
mkdir -p "$scratch/folder.d"
cd -- "$scratch"
: >picture.png

fail() {
    printf '%s\n' "$*"
    failures=$((failures + 1))
}

have() {
    command -v "$1" >/dev/null || { printf 'not tried: there is no %s\n' "$1"; return 1; }
}

(($(find "$documents" -name '*.1' | wc -l) > 15)) || fail "there are less than 16 manual pages"
if have groff; then
    for page in "$documents"/*.1; do
        groff -ww -z -man -Tutf8 "$page" 2>>groff.log
        ! groff -man -Tascii "$page" | grep -n '\\f\|\\(' || fail "$page: marks are in the text"
    done
    [[ ! -s groff.log ]] || fail "$(cat groff.log)"
fi
if have mandoc; then
    mandoc -T lint -W warning "$documents"/*.1 >mandoc.log || fail "$(cat mandoc.log)"
fi
grep -q 'deepfield\\-render (1)' "$documents/deepfield.1" || fail "deepfield(1) does not name deepfield-render(1)"

# case LINE WANTED...: what is completed at the end of the line, whole words
cases() {
    "$1" 'deepfield ren' render
    "$1" 'deepfield render --prec' --precision
    "$1" 'deepfield render --precision fp3' fp32
    "$1" 'deepfield render seahorse-' seahorse-deep
    "$1" 'deepfield view --palette aur' aurora
    "$1" 'deepfield film seahorse --tour juli' julia
    "$1" 'deepfield colour pict' picture.png
    "$1" 'deepfield bench trans' transport
    "$1" 'deepfield help interr' interruptions
    "$1" 'deepfield status --eff' ''
}

in_bash() {
    local words
    read -ra COMP_WORDS <<<"$1"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _deepfield || true
    words=${COMPREPLY[*]}
    [[ $words == "$2" ]] || fail "bash, $1: '$words', not '$2'"
}
# shellcheck source=/dev/null
source "$documents/deepfield.bash"
cases in_bash
COMP_WORDS=(deepfield render --precision "=" fp3) COMP_CWORD=4
_deepfield || true
[[ ${COMPREPLY[*]} == fp32 ]] || fail "bash, --precision=fp3: '${COMPREPLY[*]}'"

in_fish() {
    local words
    # shellcheck disable=SC2016 # fish expands
    words=$(fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$documents/deepfield.fish" "$1" |
        cut -f 1 | tr '\n' ' ')
    [[ ${words% } == "$2" ]] || fail "fish, $1: '${words% }', not '$2'"
}
if have fish; then
    HOME=$scratch XDG_CONFIG_HOME=$scratch XDG_DATA_HOME=$scratch cases in_fish
fi

# What the line is after a tab, in a shell that believes in a terminal.
# shellcheck disable=SC2016 # zsh expands
zsh_script='zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D
written() { print -r -- \$BUFFER >line.new; mv line.new line }; zle -N written; bindkey ^X written
: >ready"
repeat 100; do [[ -e ready ]] && break; zpty -r -t shell out; sleep 0.1; done
zpty -n -w shell "$2"$'"'\\t\\x18'"'
repeat 100; do [[ -e line ]] && break; zpty -r -t shell out; sleep 0.1; done
cat line; zpty -d shell'
if have zsh; then
    zsh -n "$documents/_deepfield" || fail "zsh: syntax"
    rm -f line ready
    line=$(zsh -f -c "$zsh_script" zsh "$documents" 'deepfield render --precision=fp3' 2>&1)
    [[ ${line% } == 'deepfield render --precision=fp32' ]] || fail "zsh, --precision=fp3: '$line'"
    rm -f line ready
    line=$(zsh -f -c "$zsh_script" zsh "$documents" 'deepfield help interr' 2>&1)
    [[ ${line% } == 'deepfield help interruptions' ]] || fail "zsh, help interr: '$line'"
fi
((failures == 0))
