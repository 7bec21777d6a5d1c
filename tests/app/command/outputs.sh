#!/usr/bin/env bash
# Where a picture goes and what is in the way: standard output, pipes, two names of one file, signals
# that end the program, limits of the system.
# usage: outputs.sh DEEPFIELD SCRATCH
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"
printf '[view]\nre = -0.5\nim = 0\nzoom = 1\nlimit = 100\n' >good.ini
render=(timeout -k 5 60 "$deepfield" render good.ini --size 64x48)
for fd in {3..9}; do # that who runs this has left open, and that would count
    eval "exec $fd>&-"
done

# expect CODE TEXT COMMAND...: it ends with the code, and says the text.
expect() {
    local code=0 wanted=$1 text=$2
    shift 2
    "$@" >out 2>message || code=$?
    if ((code != wanted)) || ! grep -q -- "$text" message; then
        complain "code $code, not $wanted with '$text': $*"
    fi
}

check() {
    "$@" || complain "not so: $*"
}

# ---- standard output ----

"${render[@]}" --quiet -o plain.png >/dev/null
"${render[@]}" --quiet -o /dev/stdout | cat >piped.png
check cmp plain.png piped.png
"${render[@]}" --quiet -o /dev/stdout >redirected.png || complain "code $?"
check cmp plain.png redirected.png
"${render[@]}" --explain -o /dev/stdout 2>explained | cat >explaining.png
check cmp plain.png explaining.png
check grep -q method explained
expect 64 'both a picture and --json' bash -c 'set -o pipefail; "$@" | cat' - \
    "${render[@]}" -o /dev/stdout --json

# ---- bits of a sample: the nearest that a kind has ----

for case in 'auto png 8' 'auto exr 16' '8 exr 16' '16 tif 16' '32 png 16' '32 exr 32'; do
    read -r bits kind made <<<"$case"
    "${render[@]}" --quiet --bits "$bits" -o "bits.$kind" --force >/dev/null
    check grep -q ", $made bits per sample" <("$deepfield" info "bits.$kind")
done

# ---- a pyramid: two files and a folder ----

"${render[@]}" --quiet -o deep.dzi || complain "code $?"
cp deep_files/6/0_0.png old.png # of 64 x 48 pixels the last level is one tile
check test -s deep_files/0/0_0.png -a -s deep.html -a ! -e deep.dzi.waiting
expect 73 'deep.dzi exists; --force replaces it' "${render[@]}" -o deep.dzi
rm deep.dzi deep.html
expect 73 'deep_files exists; --force replaces it' "${render[@]}" -o deep.dzi
"${render[@]}" --quiet --zoom 2 -o deep.dzi --force || complain "code $?"
! cmp -s old.png deep_files/6/0_0.png || complain "the old tiles are still there"
touch deep_files/mine
expect 73 'has more in it than tiles' "${render[@]}" -o deep.dzi --force
expect 73 'log-json /: it is a folder; name another file' "${render[@]}" --log-json / -o log.png
expect 73 'log-json good.ini/log: a file stands where its folder would be; name another' \
    "${render[@]}" --log-json good.ini/log -o log.png
expect 73 'cannot go to a device or a pipe' bash -c 'mkfifo pipe.dzi; "$@"' - "${render[@]}" -o pipe.dzi
check test -z "$(find . -name '.*.part')"

# ---- as another program sees it ----

if command -v pngcheck >/dev/null; then
    for size in 1x1 3x500 1201x801; do
        for bits in 8 16; do
            "${render[@]}" --quiet --size $size --bits $bits -o checked.png --force
            check pngcheck -q checked.png
        done
    done
fi

# Checksums beside planes are those of the report.
"${render[@]}" --quiet --json -o sums.npy >sums.json
for plane in count fraction; do
    sum=$(sed -E "s/.*\"checksums\":\{[^}]*\"$plane\":\"([0-9a-f]+)\".*/\1/" sums.json)
    check grep -q "\"name\":\"$plane\".*\"checksum\":\"$sum\"" sums.planes.json
done

# What stands beside planes is JSON, and leads to them and to the place.
"${render[@]}" --quiet --zoom 8 --rotation 30 --planes count,distance -o beside.npy -o first.png
if command -v python3 >/dev/null; then
    check python3 - <<'PYTHON'
import cmath, json, math, os
about = json.load(open("beside.planes.json"))
height, width = about["shape"]
assert (width, height) == (64, 48)
sizes = {"<u4": 4, "<f4": 4}
names = [plane["name"] for plane in about["planes"]]
assert names == ["count", "distance_x", "distance_y"], names
for plane in about["planes"]:
    assert os.path.getsize(plane["file"]) == 128 + width * height * sizes[plane["dtype"]]
to = about["pixel_to_point"]
centre, per_x, per_y = (complex(*map(float, to[key])) for key in ("centre", "per_x", "per_y"))
step = 4 / (8 * height) * cmath.rect(1, math.radians(30))
for x, y in ((0, 0), (63, 47), (5, 40)):
    point = centre + (x - to["centre_pixel"][0]) * per_x + (y - to["centre_pixel"][1]) * per_y
    exact = -0.5 + complex(x + 0.5 - width / 2, -(y + 0.5 - height / 2)) * step
    assert abs(point - exact) < 1e-15, (point, exact)
assert about["schema"] == "planes/2" and about["axes"] == ["y", "x"] and about["plan"]["method"] == "direct"
assert about["limit"] == 100 and about["bailout"] == 1024 and about["formula"] == "mandelbrot"
open("again.ini", "w").write(about["view"])
PYTHON
    timeout -k 5 60 "$deepfield" render again.ini --quiet --size 64x48 -o again.png
    check cmp first.png again.png
fi

# ---- a place from a pipe, also from one that is slow ----

"${render[@]:0:6}" <(sleep 0.3 && cat good.ini) --size 64x48 --quiet -o place.png >/dev/null
check cmp plain.png place.png
check grep -qx 'limit *77 iterations' \
    <("$deepfield" info <(echo '-0.5 0 1') --config <(printf '[view]\nlimit = 77\n'))
expect 65 'is empty' "$deepfield" info <(true)
expect 64 'from a pipe does not reach the ranks' "${render[@]:0:6}" <(cat good.ini) --ranks 2 -o no.png

# ---- two names of one file ----

expect 64 'both the file z.png' "${render[@]}" -o z.png -o ./z.png
expect 64 'both the file ./z.count.npy' "${render[@]}" -o ./z.npy -o z.npy
check test ! -e z.png

# ---- all files of a run, or none ----

expect 74 'cannot write all.count.npy' bash -c 'ulimit -f 11; "$@"' - "${render[@]}" -o all.png -o all.npy
check grep -q 'the other files are complete' message
check test -s all.png -a ! -e all.count.npy

# ---- a pipe that nobody reads, and the signals ----

mkfifo pipe
# ends_by SIGNAL: once the program listens to signals, this one ends it with code 75.
ends_by() {
    local code=0 pid caught=0
    "$deepfield" render good.ini --size 64x48 -o pipe >out 2>message &
    pid=$!
    for ((i = 0; i < 6000 && !(caught & 0x4000); i++)); do # TERM
        caught=0x$(awk '/^SigCgt/ { print $2 }' "/proc/$pid/status" || echo 0)
        sleep 0.01
    done
    kill -s "$1" "$pid"
    ended "$pid" || code=$?
    if ((code != 75)) || ! grep -q 'stopped' message; then
        complain "$1: code $code"
    fi
}
for signal in TERM HUP USR1 USR2; do
    ends_by "$signal"
done
leftover=$(find . -name '.*')
[[ $leftover = . ]] || complain "left behind: $leftover"

# ---- limits of the system ----

{
    cat good.ini
    for ((i = 0; i < 100; i++)); do echo "[a$i]"; done
} >sections.ini
expect 65 'sections.ini:105: more than 100 sections' "$deepfield" info sections.ini
expect 71 'Too many open files' bash -c 'ulimit -n 4; "$@"' - "${render[@]}" -f -o limits.png
no_proc=(unshare -m sh -c 'mount -t tmpfs none /proc && "$@"' -)
if "${no_proc[@]}" "$deepfield" --version >out 2>message; then # neither without root nor sanitizers
    expect 71 'needs /proc' "${no_proc[@]}" "${render[@]}" -f -o limits.png
fi
# Sanitizers want terabytes of addresses.
if (ulimit -v 300000 && "$deepfield" --version >out 2>message); then
    expect 71 'ulimit -v' bash -c 'ulimit -v 300000; "$@"' - "${render[@]}" --threads 256 -f -o limits.png
fi
verdict
