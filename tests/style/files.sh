# shellcheck shell=bash
# Sourced by the style tests: which files are ours?

SKIPPED=77 # CTest takes this exit code as "skipped"

skip() {
    printf 'skipped: %s\n' "$*"
    exit "$SKIPPED"
}

# ours PATTERN...: the project's files that match, one a line, but not other people's, which stay as
# they are; without .git (a tarball, or somebody
# else's checkout) all but what .gitignore names.
ours() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
            [[ ! -f $file ]] || printf '%s\n' "$file"
        done
    else
        local names=() pattern
        for pattern in "$@"; do
            names+=(-o -path "./$pattern")
        done
        find . \( -path ./build -o -path ./.carry -o -path ./seahorse.png -o -path ./.git \) -prune \
            -o -type f \( "${names[@]:1}" \) -print | sed 's|^\./||'
    fi | sed '/^third_party\/.*\.h$/d' | sort
}

# The C and CUDA sources of the product.
product() {
    ours 'kernels/*.[ch]' 'kernels/*.inc' 'kernels/*.cu' 'decomposition/*.[ch]' 'render/*.[ch]' \
        'library/*.[ch]' 'app/*.[ch]'
}
