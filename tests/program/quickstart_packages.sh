#!/usr/bin/env bash
# quickstart on a system whose package lists lack some: it names them and installs nothing. And it configures
# a build in which no warning of another compiler is an error.
# usage: quickstart_packages.sh PROJECT SCRATCH
set -euo pipefail
project=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/bin"
cp "$project/quickstart" "$scratch/"
fake() {
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}
# shellcheck disable=SC2016 # the fakes expand
{
    fake apt-get 'case "$*" in *-s*) exit 100;; *update*) exit 0;; esac; echo "$*" >>"'"$scratch"'/installed"; exit 100'
    fake apt-cache 'case "$2" in libjs-leaflet|libcmocka-dev) exit 100;; esac'
    fake sudo '[ "$1" != -n ] || shift; exec "$@"'
}
fake dpkg-query 'exit 1' # no library is installed
rc=0
said=$(cd "$scratch" && PATH=$scratch/bin:$PATH ./quickstart 2>&1) || rc=$?
if ((rc != 1)) || [[ -e $scratch/installed ]] ||
    [[ $said != *"package lists have no libcmocka-dev libjs-leaflet; on Ubuntu they need the component universe"* ]]; then
    printf 'rc %d: %s\n' "$rc" "$said" >&2
    exit 1
fi
# shellcheck disable=SC2016
{
    fake dpkg-query 'shift 2; for package; do echo "$package installed"; done'
    fake cmake 'echo "$*${WERROR+ WERROR}" >>"'"$scratch"'/configured"; exit 1'
}
# configures WERROR: by what `.ci/run` sets, of which no program that is started hears.
configures() {
    rm -rf -- "$scratch/configured" "$scratch/build"
    if (cd "$scratch" && PATH=$scratch/bin:$PATH WERROR=$1 ./quickstart >"$scratch/said" 2>&1); then
        echo 'a configuration that failed is none for quickstart' >&2
        exit 1
    fi
    grep -qxF -e "--preset release -D DEEPFIELD_WERROR=${1:-OFF}" "$scratch/configured" ||
        { cat "$scratch/configured" "$scratch/said"; exit 1; }
}
configures ''
configures ON
# Whatever .ci/run sets is no setting of the program, which refuses those that it does not know.
! grep -E 'DEEPFIELD_[A-Z]+=' "$project/.ci/run" || exit 1
