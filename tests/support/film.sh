# shellcheck shell=bash
# Films of one kind, ${film_words[@]}, as the tests make them; after program.sh.

# film NAME OPTIONS...
film() {
    # shellcheck disable=SC2154 # deepfield, of program.sh; film_words, of the test
    "$deepfield" film "${film_words[@]}" --quiet -o "$@" >message 2>&1
}

# said CODE WORDS OPTIONS...: refused, and nothing is left.
said() {
    local code=$1 words=$2 was=0
    shift 2
    film refused.y4m "$@" || was=$?
    [[ $was == "$code" ]] || complain "status $was instead of $code: $*"
    grep -q -- "$words" message || complain "no '$words': $*"
    [[ ! -e refused.y4m.deepfield && ! -e refused.y4m ]] || complain "something is left: $*"
}
