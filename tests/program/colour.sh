#!/usr/bin/env bash
# deepfield colour: stored fields get the colours that a render would give them, bit for bit.
# usage: colour.sh DEEPFIELD SCRATCH
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
export XDG_CONFIG_HOME=$scratch DEEPFIELD_QUIET=1

same() {
    cmp -- "$1" "$2" || fail "$1 and $2 differ"
}

# The same pixels, whatever the texts before them say.
same_pixels() {
    local name
    for name in "$1" "$2"; do
        tail -c "+$(LC_ALL=C grep -abo IDAT "$name" | sed -n '1s/:.*//p')" "$name" >"$name.pixels"
    done
    same "$1.pixels" "$2.pixels"
}

# The code that a command ends with; its messages to err.
code_of() {
    local code=0
    "$@" >out 2>err || code=$?
    echo "$code"
}

planes=(count fraction distance_x distance_y phase stripe triangle trap_point trap_cross trap_circle period inside)
view=(seahorse --samples 1 --size 150x83 --limit 2000 --planes 'count,fraction,distance,phase,stripe,triangle,trap_point,trap_cross,trap_circle,period,inside')
"$deepfield" render "${view[@]}" -o a.exr -o a.npy -o a.png --threads 2 >paths
grep -qx a.exr paths || fail "a.exr is not printed"

# 1. The same colours from either kind of file, by default and with others.
mkdir exr npy
"$deepfield" colour a.exr -o exr/ >paths
grep -qx exr/a.png paths || fail "exr/a.png is not printed"
same a.png exr/a.png
look=(--palette ocean --density 3 --offset 0.2 --interior '#102030')
"$deepfield" render a.exr "${look[@]}" -o b.png >paths
"$deepfield" colour a.exr "${look[@]}" -o exr/b.png >paths
same b.png exr/b.png
for from in a.npy a.fraction.npy a.png; do # NAME.planes.json knows the view
    "$deepfield" colour "$from" -o other.png --force >paths
    same a.png other.png
done
mkdir alone
cp a.*.npy alone
for more in '' "${look[*]}" '--interior period' '--interior distance,#302010'; do # the planes alone know none
    read -ra more <<<"$more --relief 0.3 --lines 1" # as a field with distances would be coloured
    "$deepfield" render seahorse --offset 0.6 "${view[@]:1}" "${more[@]}" -o plain.png --force >paths
    "$deepfield" colour alone/a.npy "${more[@]}" -o other.png --force >paths
    same_pixels plain.png other.png
done
[[ $(code_of "$deepfield" colour a.exr --size 1x1 -o c.png) == 64 ]] || fail "--size is taken"

# A place without colours has those that it chooses, at every zoom, and its picture has their names.
place=(--re -0.5 --im 0.25 --size 40x30)
chosen=$("$deepfield" render "${place[@]}" --zoom 16 --explain -o chosen.png | grep '^palette ')
[[ $chosen == *porcelain:reversed*'(the place)' ]] || fail "$chosen"
again=$("$deepfield" render "${place[@]}" --zoom 1e9 --explain --dry-run | grep '^palette ')
[[ $again == "$chosen" ]] || fail "another zoom: $again"
"$deepfield" render chosen.png --print-config --dry-run >config
grep -q '^palette = "porcelain:reversed"' config || fail "the picture does not name its palette"
grep -A1 '; the place' config && fail "colours are chosen again"
"$deepfield" render "${place[@]}" --zoom 16 --palette safe --explain --dry-run >explained
safe=$(sed -n 's/^palette *\([a-z]*\).*/\1/p' explained)
grep -q 'cvd-safe: yes' "$(dirname -- "${BASH_SOURCE[0]}")/../../assets/palettes/$safe.csv" || fail "$safe is not safe"

# 2. Planes come back as they were, through each kind into each.
"$deepfield" colour a.exr -o npy/from_exr.npy >paths
"$deepfield" colour a.npy -o npy/from_npy.exr >paths
"$deepfield" colour npy/from_npy.exr -o npy/twice.npy >paths
for plane in "${planes[@]}"; do
    same "a.$plane.npy" "npy/from_exr.$plane.npy"
    same "a.$plane.npy" "npy/twice.$plane.npy"
done
"$deepfield" colour a.exr -o same.exr >paths
same a.exr same.exr

# 3. The view is carried over: a coloured picture, and the .exr, are views with the new look.
"$deepfield" render exr/b.png -o again.png >paths
same b.png again.png
"$deepfield" render a.exr -o again.png --force >paths
same a.png again.png
# A stored field has one sample a pixel, however many its light was made of.
"$deepfield" render "${view[@]}" --samples 3 -o three.exr >paths
"$deepfield" colour three.exr -o three.png >paths
same a.png three.png
"$deepfield" info a.exr >paths
grep -q '^image *150 x 83, 16 bits' paths || fail "info does not know a.exr"

# 4. Any number of threads, and any number of fields at once, give the same bytes.
mkdir many
for i in {1..9}; do cp a.exr "f$i.exr"; done
"$deepfield" colour f?.exr --palette ocean -o 'many/{}.q.png' -o 'many/{}.exr' --threads 3 >paths
[[ $(wc -l <paths) == 18 ]] || fail "9 fields with two files each print $(wc -l <paths) paths"
"$deepfield" colour a.exr --palette ocean -o one.png -o one.exr --threads 1 >paths
for i in {1..9}; do
    same one.png "many/f$i.q.png"
    same one.exr "many/f$i.exr"
done

# 5. A bad one costs only its own files; the code is the highest.
head -c 3000 a.exr >cut.exr
mkdir some
[[ $(code_of "$deepfield" colour f1.exr cut.exr f2.exr nowhere.exr -o some/) == 66 ]] || fail "the code is not 66"
grep -q '^deepfield: cut.exr: damaged EXR' err || fail "cut.exr is not named"
grep -q '^deepfield: nowhere.exr: ' err || fail "nowhere.exr is not named"
grep -q '2 of 4 fields' err || fail "the two are not counted"
[[ $(ls some) == $'f1.png\nf2.png' ]] || fail "left in some/: $(ls some)"
same exr/a.png some/f1.png
mkdir looped # a plane that cannot be read is not one that was not saved
cp a.count.npy a.fraction.npy looped
ln -s a.phase.npy looped/a.phase.npy
[[ $(code_of "$deepfield" colour looped/a.npy -o looped.png) == 66 ]] || fail "the code is not 66"
grep -q 'looped/a.phase.npy: ' err || fail "looped/a.phase.npy is not named"

# 6. Nothing is replaced unless asked, and nothing is written twice.
[[ $(code_of "$deepfield" colour a.exr -o a.png) == 73 ]] || fail "a.png would be replaced"
grep -q -- --force err || fail "--force is not named"
[[ $(code_of "$deepfield" colour a.exr b.exr -o x.png) == 64 ]] || fail "two fields go to one file"
[[ $(code_of "$deepfield" colour f1.exr many/f1.exr -o some/ --force) == 64 ]] || fail "twice some/f1.png"
[[ $(code_of "$deepfield" colour a.exr -o x.png -o ./x.png) == 64 ]] || fail "x.png is written twice"
grep -q 'are the same file' err || fail "two names of x.png: $(cat err)"
[[ $(code_of "$deepfield" colour a.exr -o nowhere/) == 73 ]] || fail "nowhere/ is there"
grep -q 'make the folder first' err || fail "no folder: $(cat err)"
"$deepfield" colour same.exr --palette ocean -o same.exr --force >paths
"$deepfield" colour same.exr -o same.png >paths
same one.png same.png

# 7. 32 bits, and counts beyond 32 bits.
"$deepfield" render whole-set --size 64x36 --limit 5000000000 --bits 32 -o w.exr -o w.npy >paths
"$deepfield" colour w.exr -o w2.npy >paths
same w.count.npy w2.count.npy
if command -v exrheader >/dev/null; then
    exrheader w.exr >paths
    grep -q 'G, 32-bit floating-point' paths || fail "w.exr has halves"
    grep -q 'N1, 32-bit unsigned' paths || fail "w.exr has no N1"
    grep -q 'Iterations (type string): "5000000000"' paths || fail "w.exr has no limit"
fi

# Roots are told apart by the phases, which .npy files have where somebody asks for them.
"$deepfield" render --formula newton_3 --size 64x36 --samples 1 --quiet -o n.png -o n.npy >paths
"$deepfield" colour n.npy -o n1.png >paths 2>err
grep -q "n.npy: all roots have the same colours" err || fail "roots without phases: $(cat err)"
"$deepfield" render --formula newton_3 --size 64x36 --samples 1 --quiet --planes count,fraction,phase -o n.png -o n.npy --force >paths
"$deepfield" colour n.npy -o n2.png >paths 2>err
[[ ! -s err ]] || fail "roots with phases: $(cat err)"
same n.png n2.png

# Colours by a plane, and layers: the same from a field as computed, and again from the view in it.
layer=(--palette meridian+ocean --layer overlay --layer-by binary --layer-offset 0.2 --by count+phase)
small=(seahorse --samples 1 --size 64x36 --quiet --planes 'count,fraction,phase')
"$deepfield" render "${small[@]}" -o p.exr >paths
"$deepfield" render "${small[@]}" "${layer[@]}" -o p1.png >paths
"$deepfield" colour p.exr "${layer[@]}" -o p2.png >paths
"$deepfield" render p2.png --quiet -o p3.png >paths
same p1.png p2.png
same p1.png p3.png
[[ $(code_of "$deepfield" colour w.exr --by phase -o x.png) == 78 ]] || fail "colours by no phase"
grep -q "colours by the plane 'phase', which is not in this file" err || fail "no phase: $(cat err)"
[[ $(code_of "$deepfield" colour p.exr --layer-by phase -o x.png) == 64 ]] || fail "no layer"
[[ $(code_of "$deepfield" render seahorse --by phase --runs 2 -o x.png) == 64 ]] || fail "no counts"

# The first of two palettes may be chosen by the place; the view has its name.
"$deepfield" render "${small[@]}" --palette auto+ocean --layer screen -o p4.png >paths
grep -aqE '^palette = ".*\+ocean"' p4.png || fail "auto+ocean: $(grep -a ^palette p4.png)"
"$deepfield" render p4.png --quiet -o p5.png >paths
same p4.png p5.png
[[ $(code_of "$deepfield" render seahorse --palette ocean+safe --layer screen -o x.png) == 78 ]] || fail "a second by place"
grep -q "name the second" err || fail "ocean+safe: $(cat err)"

# 8. Stopped: what is complete stays, nothing is left of the rest.
mkdir stopped
for i in {10..40}; do ln -s a.exr "f$i.exr"; done
"$deepfield" colour f??.exr -o stopped/ --threads 1 >begun 2>err &
while [[ ! -s begun ]] && kill -0 $! 2>/dev/null; do sleep 0.01; done
kill -TERM $! 2>/dev/null || true
code=0
wait $! || code=$?
((code == 75 || code == 0)) || fail "stopped with $code: $(cat err)"
for file in stopped/*; do same exr/a.png "$file"; done
[[ -z $(find stopped -name '.*' -type f) ]] || fail "left: $(ls -A stopped)"
echo "colour.sh: all good"
