#!/usr/bin/env bash
# Which rows of the table of texts does nobody show, and which that pages name is there not?
# usage: strings.sh ROOT
#
# A row is shown by C, as STRING_NAME, or by a file of the served page, as "NAME". The names of the
# page are compiled, too, but where there is no libwebsockets.
set -euo pipefail
export LC_ALL=C
root=$1
table=$root/app/viewer/overlays/strings.inc
names() { sed -n "s/^$1(\([A-Z0-9_]*\),.*/$2\1/p" "$table"; }
page() { grep -hoE '"[A-Z0-9_ .?+-]*_[A-Z0-9_ ]*"' "$root"/app/serve/page/*.html "$root"/app/serve/page/*.js |
    grep -oE '[A-Z0-9]+_[A-Z0-9_]+' | sort -u; }
c() { grep -rhoE '\bSTRING_[A-Z0-9_]+' "$root/app" --include='*.c' | sed 's/^STRING_//' | sort -u; }

unused=$(comm -23 <(names STRING '' | sort) <(sort -u <(page) <(c)))
unknown=$(comm -23 <(page) <(sort <(names STRING '') <(names ACTION ACTION_)))
twice=$(names STRING '' | sort | uniq -d)
if [[ $unused$unknown$twice ]]; then
    printf 'strings.inc: rows that nothing shows: %s\nnames of the page without a row: %s\nrows of one name: %s\n' \
        "${unused//$'\n'/ }" "${unknown//$'\n'/ }" "${twice//$'\n'/ }"
    exit 1
fi
