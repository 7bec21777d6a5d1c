#!/bin/sh
# Builds and installs deepfield in a container of Debian or Ubuntu, from the source in the current folder, and
# removes what only the build needs. Used by the Dockerfile and by both definitions of Apptainer.
# usage: build.sh [cmake options]
set -eu
export DEBIAN_FRONTEND=noninteractive
build='gcc libc6-dev cmake ninja-build pkg-config libopenmpi-dev libgmp-dev libmpfr-dev libpng-dev zlib1g-dev
    libtiff-dev libiniparser-dev libxxhash-dev libopenexr-dev libjson-c-dev libjs-leaflet libturbojpeg0-dev
    libwebp-dev libwebsockets-dev libzstd-dev libqrencode-dev'
[ "$(uname -m)" != x86_64 ] || build="$build libisal-dev"
apt-get update
# shellcheck disable=SC2086 # lists of words
apt-get install -y --no-install-recommends openmpi-bin ffmpeg $build
cmake -G Ninja -S . -B /tmp/build -D CMAKE_INSTALL_PREFIX=/usr/local -D DEEPFIELD_TESTS=OFF \
    -D DEEPFIELD_WINDOW=OFF "$@"
cmake --build /tmp/build --target installed
cmake --install /tmp/build --strip
rm -rf /tmp/build
# Packages of the libraries that it is linked with stay; their names differ from release to release.
ldd /usr/local/bin/deepfield | awk '$3 ~ "^/" { print $3 }' | while read -r library; do
    dpkg-query -S "*/$(uname -m)-linux-gnu/$(basename "$(realpath "$library")")" | cut -d: -f1
done | sort -u | xargs apt-mark manual openmpi-bin ffmpeg
# shellcheck disable=SC2086
apt-get purge -y $build
apt-get autoremove -y --purge
apt-get clean
rm -rf /var/lib/apt/lists/*
ldconfig
deepfield --version
