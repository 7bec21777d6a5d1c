#!/bin/sh
# Builds and installs deepfield in a container of Debian or Ubuntu, from the source in the current folder, and
# removes what only the build needs. Used by the Dockerfile and by both definitions of Apptainer.
# usage: build.sh [cmake options]
set -eu
export DEBIAN_FRONTEND=noninteractive
needed='libgmp10 libmpfr6 libpng16-16 libtiff6 libiniparser1 libxxhash0 libopenexr-3-1-30 libjson-c5
    libturbojpeg0 libwebp7 libwebsockets17 libzstd1 openmpi-bin ffmpeg'
build='gcc libc6-dev cmake ninja-build pkg-config libopenmpi-dev libgmp-dev libmpfr-dev libpng-dev zlib1g-dev
    libtiff-dev libiniparser-dev libxxhash-dev libopenexr-dev libjson-c-dev libjs-leaflet libturbojpeg0-dev
    libwebp-dev libwebsockets-dev libzstd-dev'
[ "$(uname -m)" != x86_64 ] || { needed="$needed libisal2"; build="$build libisal-dev"; }
apt-get update
# shellcheck disable=SC2086 # lists of words
apt-get install -y --no-install-recommends $needed $build
cmake -G Ninja -S . -B /tmp/build -D CMAKE_INSTALL_PREFIX=/usr/local -D DEEPFIELD_TESTS=OFF \
    -D DEEPFIELD_WINDOW=OFF "$@"
cmake --build /tmp/build --target installed
cmake --install /tmp/build --strip
rm -rf /tmp/build
# shellcheck disable=SC2086
apt-get purge -y $build
# shellcheck disable=SC2086 # what the purge of headers would take along stays
apt-get install -y --no-install-recommends $needed
apt-get autoremove -y --purge
apt-get clean
rm -rf /var/lib/apt/lists/*
ldconfig
deepfield --version
