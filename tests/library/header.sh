#!/usr/bin/env bash
# Does the public header compile alone, first and twice, as C99 and as C++, without a warning?
# usage: header.sh INCLUDE_FOLDER COMPILER
set -euo pipefail
options=(-Wall -Wextra -pedantic -Werror -Wstrict-prototypes -Wshadow -fsyntax-only "-I$1")
source='#include <deepfield/deepfield.h>
#include <deepfield/deepfield.h>
int main(void)
{
    deepfield_array array = {sizeof array, NULL, DEEPFIELD_U8, DEEPFIELD_HOST, 0, 0, 0, 0, 0};
    return deepfield_version()[0] == 0 || DEEPFIELD_VERSION_MAJOR < 0 || array.width;
}'
for standard in c99 c11 c17; do
    "$2" -std=$standard "${options[@]}" -x c - <<<"$source"
done
command -v c++ >/dev/null || { echo "no c++ here: C alone"; exit 0; }
for standard in c++11 c++17 c++20; do
    c++ -std=$standard "${options[@]/-Wstrict-prototypes/-Wold-style-cast}" -x c++ - <<<"$source"
done
