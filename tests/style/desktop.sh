#!/usr/bin/env bash
# Are the installed files for desktops valid, and does the desktop know our kinds of files by them? Is nothing
# left by the target `uninstall`? Checkers that are not installed are left out, and named.
# usage: desktop.sh BUILD SCRATCH
set -euo pipefail
build=$1 scratch=$2
failures=0
fail() {
    printf '%s\n' "$*"
    failures=$((failures + 1))
}
have() {
    command -v "$1" >/dev/null || { printf 'not tried: there is no %s\n' "$1"; return 1; }
}

# Other tests install the same build, so this installation writes its list elsewhere.
rm -rf -- "$scratch"
mkdir -p "$scratch/build"
list="\${CMAKE_INSTALL_MANIFEST}"
sed "s|\"$build/$list\"|\"$scratch/build/$list\"|" "$build/cmake_install.cmake" >"$scratch/build/cmake_install.cmake"
prefix="$scratch/[prefix]"
cmake -D CMAKE_INSTALL_PREFIX="$prefix" -P "$scratch/build/cmake_install.cmake" >"$scratch/install.log"
cp "$scratch/build/install_manifest.txt" "$scratch/manifest"
share=$prefix/share

if [[ -f $share/applications/deepfield.desktop ]]; then
    if have desktop-file-validate; then
        said=$(desktop-file-validate "$share/applications/deepfield.desktop" 2>&1) || true
        [[ ! $said ]] || fail "$said"
    fi
    if have appstreamcli; then
        appstreamcli validate --no-net "$share/metainfo/deepfield.metainfo.xml" >"$scratch/log" 2>&1 ||
            fail "$(cat "$scratch/log")"
    fi
    if have update-mime-database && have gio; then
        update-mime-database "$share/mime" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
        printf '[view]\nre = 0\n' >"$scratch/view"
        for name in x.kfr x.f3.toml x.places; do
            echo '# a place' >"$scratch/$name"
        done
        while read -r name type; do
            said=$(XDG_DATA_DIRS=$share:/usr/share gio info -a standard::content-type "$scratch/$name")
            [[ $said == *"$type"* ]] || fail "$name is $said, not $type"
        done <<'KINDS'
x.kfr application/x-kalles-fraktaler
x.f3.toml application/x-fraktaler-3
x.places application/x-deepfield-view
view application/x-deepfield-view
KINDS
        rm -r "$share/mime"
        mkdir -p "$share/mime"
    fi
fi
echo mine >"$share/deepfield/mine"
mkdir -p "$prefix/bin/__pycache__" "$prefix/lib/python3/dist-packages/deepfield/__pycache__"
echo mine >"$prefix/bin/__pycache__/mine"
echo ours >"$prefix/lib/python3/dist-packages/deepfield/__pycache__/ours.pyc"
cmake -D BUILD="$scratch/build" -P "$(dirname -- "${BASH_SOURCE[0]}")/../../cmake/uninstall.cmake" >"$scratch/log" 2>&1 ||
    fail "$(cat "$scratch/log")"
left=$(cd -- "$prefix" && find . -type f -o -type l -o -name deepfield | sort | tr '\n' ' ')
[[ $left == './bin/__pycache__/mine ./share/deepfield ./share/deepfield/mine ' ]] || fail "uninstall has left $left"
((failures == 0))
