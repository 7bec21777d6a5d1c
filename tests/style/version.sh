#!/usr/bin/env bash
# Do all places that say the version and its date agree with CMakeLists.txt?
# usage: version.sh PROJECT
set -euo pipefail
cd -- "$1"
number=$(sed -n 's/^project(deepfield VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
suffix=$(sed -n 's/^set(DEEPFIELD_PRERELEASE *\([^ )]*\)).*/\1/p' CMakeLists.txt)
date=$(sed -n 's/^set(DEEPFIELD_DATE \([0-9-]*\)).*/\1/p' CMakeLists.txt)
version=$number$suffix
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-rc[0-9.]*)?$ && $date =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
    { echo "CMakeLists.txt: no version or date: '$version', '$date'"; exit 1; }
IFS=. read -r major minor patch <<<"$number"
python=${version/-rc/rc}
[[ $python != *rc ]] || python+=0

failures=0
# has FILE LINE: a whole line of it
has() {
    grep -qxF -e "$2" "$1" || { echo "$1: no line '$2'"; failures=$((failures + 1)); }
}
has include/deepfield/deepfield.h "#define DEEPFIELD_VERSION_MAJOR $major"
has include/deepfield/deepfield.h "#define DEEPFIELD_VERSION_MINOR $minor"
has include/deepfield/deepfield.h "#define DEEPFIELD_VERSION_PATCH $patch"
has python/deepfield/__init__.py "__version__ = \"$version\""
has python/pyproject.toml "version = \"$python\""
has CITATION.cff "version: $version"
has CITATION.cff "date-released: $date"
has codemeta.json "  \"version\": \"$version\","
has codemeta.json "  \"dateModified\": \"$date\","
heading=$(grep -m 1 '^## ' CHANGELOG.md)
[[ $heading == "## $version ("* ]] || { echo "CHANGELOG.md begins with '$heading'"; failures=$((failures + 1)); }
((failures == 0))
