#!/usr/bin/env bash
# Do the Debian packages have all that they need, does lintian find no error in them, and does what they install
# work together?
# usage: packages.sh BUILD SCRATCH
set -euo pipefail
build=$1 scratch=$2
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
rm -rf -- "$scratch"
mkdir -p "$scratch/root" "$scratch/work"
cd -- "$scratch/work"
cpack -G DEB -D CPACK_PACKAGE_CONTACT="A packager <packager@example.org>" --config "$build/CPackConfig.cmake" \
    -B "$scratch/packages" >"$scratch/cpack.log" 2>&1 ||
    { cat "$scratch/cpack.log"; exit 1; }
for package in deepfield libdeepfield1 libdeepfield-dev python3-deepfield deepfield-data; do
    file=$(compgen -G "$scratch/packages/${package}_*.deb")
    dpkg-deb -x "$file" "$scratch/root"
    printf '%s: %s\n' "$package" "$(dpkg-deb -f "$file" Depends)"
done
[[ $(dpkg-deb -f "$scratch"/packages/libdeepfield1_*.deb Depends) == *libmpfr* ]] ||
    { echo "the library's package does not say what it needs"; exit 1; }

if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error "$scratch"/packages/*.deb || exit 1
else
    echo "not tried: there is no lintian"
fi

usr=$scratch/root/usr
cp -- "$usr/share/deepfield/configs/views/seahorse.ini" "$usr/share/deepfield/configs/views/only_packaged.ini"
"$usr/bin/deepfield" render only_packaged --size 32x18 -q -o program.npy
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname -- "$(find "$usr/lib" -name 'libdeepfield.so.?')")
python=/usr/bin/python3 # other ones do not look into dist-packages
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "no Python of the system with NumPy here: the program alone"
    exit 0
fi
PYTHONPATH=$usr/lib/python3/dist-packages "$python" -B - <<'PYTHON'
import deepfield, numpy
count = deepfield.render("only_packaged", size=(32, 18)).count
assert deepfield.__file__.startswith(__import__("os").environ["PYTHONPATH"])
assert numpy.array_equal(count, numpy.load("program.count.npy"))
PYTHON
