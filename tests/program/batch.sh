#!/usr/bin/env bash
# Many views in one run: does each picture have the bytes of a run of its own, do failures cost only their
# own picture, and does the same command make what is missing, after a kill, too?
# usage: batch.sh DEEPFIELD SCRATCH
# shellcheck disable=SC2154 # program.sh assigns them
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
export DEEPFIELD_SAMPLES=1 # what is not about samples
set +eo pipefail # codes are looked at one by one
small=(--size 160x90 --quiet)

# ---- as if each were alone; what one view's file sets does not reach the next ----
mkdir whole views
cat >views/odd.ini <<'INI'
[view]
re = -1.25
im = 0
zoom = 8
limit = 300
rotation = 30
title = "Odd"
[look]
palette = ocean
relief = 0.5
density = 2
[output]
planes = count,fraction,distance
INI
list=(views/odd.ini seahorse rosettes formulas:burning-ship-miniship whole-set)
for view in "${list[@]}"; do
    name=$(basename "${view/:/-}" .ini)
    "$deepfield" render "$view" "${small[@]}" -o "whole/$name.png" -o "whole/$name.npy" >/dev/null || complain "$view alone"
done
outs=(-o pictures/ -o 'pictures/{name}.npy')
for ranks in 1 3; do
    rm -rf pictures && mkdir pictures
    ends 0 pictures/seahorse.png render "${list[@]}" "${small[@]}" "${outs[@]}" --ranks $ranks --oversubscribe
    same_folders whole pictures "ranks $ranks"
done
[[ $(head -1 out) == pictures/*.png && $(wc -l <out) -gt 10 ]] || complain "paths: $(head -3 out)"

# ---- again: nothing is computed, and of what is missing only that ----
before=$(find pictures -printf '%f %i %T@\n' | sort)
ends 0 "5 of 5 pictures were complete" render "${list[@]}" --size 160x90 "${outs[@]}"
[[ $(find pictures -printf '%f %i %T@\n' | sort) == "$before" ]] || complain "complete pictures were written again"
[[ $(wc -l <out) -gt 10 ]] || complain "their paths: $(<out)"
rm pictures/seahorse.* pictures/rosettes.png pictures/odd.count.npy pictures/odd.fraction.npy pictures/odd.distance* pictures/odd.planes.json
ends 0 "2 of 5 pictures were complete" render "${list[@]}" --size 160x90 "${outs[@]}"
same_folders whole pictures "what was missing"

# ---- another picture in the place of one, and --force ----
ends 73 "holds another picture: it has view.limit = '10000', this one '77'; --force replaces it" render seahorse elephant "${small[@]}" --limit 77 -o pictures/
[[ -s pictures/elephant.png ]] || complain "the other picture is missing"
ends 0 "" render seahorse "${small[@]}" --limit 77 -o pictures/ --force
! cmp -s whole/seahorse.png pictures/seahorse.png || complain "--force has not replaced it"
ends 0 "" render seahorse "${small[@]}" --relief 0.7 -o pictures/ --force
ends 73 "it has look.relief = '0.7', this one '0'" render seahorse "${small[@]}" -o pictures/
printf '255 0 0\n0 0 255\n' >colours.map # a palette whose file changes under its name
ends 0 "" render seahorse elephant "${small[@]}" --palette colours.map -o 'pictures/{name}-map.png' -o 'pictures/{name}-map.npy'
printf '0 255 0\n0 0 255\n' >colours.map
ends 73 "elephant-map.png has the colours of another palette: colours.map was another file then; --force replaces it" \
    render seahorse elephant "${small[@]}" --palette colours.map -o 'pictures/{name}-map.png'
ends 0 "" render seahorse elephant "${small[@]}" --palette colours.map -o 'pictures/{name}-map.npy' # which has no colours
echo no picture >pictures/seahorse.png
ends 73 "is a text, not a place" render seahorse "${small[@]}" -o pictures/

# ---- a view that fails, among others; --json has a line for each ----
rm -rf pictures && mkdir pictures
printf '[view]\nre = x\nim = 0\nzoom = 1\n' >views/broken.ini
ends 66 "2 of 4 pictures failed; the others are complete" render seahorse views/broken.ini no-such whole-set "${small[@]}" -o pictures/ --json
[[ $(wc -l <out) == 4 && $(sed -n 2p out) == '{"schema":"error/1","code":65,'*'"view":"views/broken.ini"}' &&
    $(sed -n 3p out) == '{"schema":"error/1","code":66,'*'"view":"no-such"}' &&
    $(sed -n 4p out) == '{"schema":"render/1",'*'"already_complete":false'* ]] || complain "the lines: $(cut -c 1-200 out)"
{ cmp -s whole/seahorse.png pictures/seahorse.png && cmp -s whole/whole-set.png pictures/whole-set.png; } || complain "the others"
ends 66 "" render seahorse views/broken.ini no-such whole-set "${small[@]}" -o pictures/ --json
[[ $(grep -c '"already_complete":true' out) == 2 ]] || complain "complete ones in JSON: $(cut -c 1-200 out)"
ends 66 "no-such" render no-such --size 160x90 -o pictures/ --json
[[ $(wc -l <out) == 1 && $(wc -l <message) == 1 ]] || complain "one view is told once: $(cat out message)"

# ---- stdout that has the events has no other lines, of pictures made and of those that were there ----
rm -rf pictures && mkdir pictures
for there in false true; do
    ends 0 "" render seahorse whole-set "${small[@]}" -o pictures/ --log-json -
    [[ $(grep -c '"event":"end","code":0,.*"files":\["pictures/' out) == 2 && $(grep -vc '^{"schema":"event/1",' out) == 0 ]] ||
        complain "events alone, there: $there: $(cut -c 1-200 out)"
done

# ---- files written behind the next picture: the bytes and the order of runs of their own, failures of each ----
rm -rf pictures whole && mkdir pictures whole
for i in 1 2 3 4 5 6 7 8; do
    printf '[view]\nre = -0.75\nim = 0.1\nzoom = %s\n' "$i" >"views/n$i.ini"
    "$deepfield" render "views/n$i.ini" "${small[@]}" -o "whole/n$i.png" >/dev/null || complain "n$i alone"
done
mkdir pictures/n3.png pictures/n7.png # folders: these two cannot be written
ends 73 "2 of 8 pictures failed; the others are complete" render views/n[1-8].ini "${small[@]}" -o pictures/ --json
[[ $(grep -oE 'views/n[1-8].ini' out | uniq | tr -dc 1-8) == 12345678 && $(wc -l <out) == 8 ]] || complain "order: $(cut -c 1-150 out)"
[[ $(sed -n '3p;7p' out | grep -c '^{"schema":"error/1","code":73,.*n[37].ini"}$') == 2 ]] || complain "failures of their own: $(cut -c 1-150 out)"
rmdir pictures/n3.png pictures/n7.png && rm whole/n[37].png
same_folders whole pictures "written behind"

# ---- lists, names ----
printf '\357\273\277# views\n\n  seahorse \r\n\twhole-set' >list
rm -rf pictures && mkdir pictures
ends 0 pictures/3-seahorse-160x90.png render elephant needle --list list "${small[@]}" -o 'pictures/{index}-{name}-{size}.png'
[[ $(ls pictures) == $'1-elephant-160x90.png\n2-needle-160x90.png\n3-seahorse-160x90.png\n4-whole-set-160x90.png' ]] || complain "names: $(ls pictures)"
ends 0 pictures/seahorse.png render --list - "${small[@]}" -o pictures/ <list
ends 65 "it names no view" render --list /dev/stdin "${small[@]}" -o pictures/ < <(echo '# nothing')
ends 65 "--list /dev/null: it is empty" render --list /dev/null "${small[@]}" -o pictures/
ends 66 "nowhere" render --list nowhere "${small[@]}" -o pictures/
ends 64 "would be written twice, for seahorse and for seahorse" render seahorse seahorse "${small[@]}" -o pictures/
ends 64 "2 views were given" render seahorse elephant "${small[@]}" -o one.png
ends 64 "a VIEW from stdin is for one picture" render seahorse - "${small[@]}" -o pictures/
ends 73 "make the folder first" render seahorse elephant "${small[@]}" -o 'nowhere/{name}.png'
ends 0 "pictures/view.png" render --re 0 --im 0 --zoom 1 "${small[@]}" -o pictures/
rm -rf pictures parts && mkdir pictures parts
for part in 4 2 1 3; do # each picture by one part; there is a part without any
    ends 0 "" render elephant needle seahorse "${small[@]}" --part $part/4 -o 'parts/{index}-{name}.png' --json
    [[ $(find parts -name '*.png' | wc -l) == $(($(find parts -name '*.part' | wc -l) + $(wc -l <out))) ]] || complain "part $part: $(ls parts)"
    for line in $(seq "$(wc -l <out)"); do touch "parts/$part-$line.part"; done
done
[[ $(find parts -name '*.png' | sort) == $'parts/1-elephant.png\nparts/2-needle.png\nparts/3-seahorse.png' ]] || complain "parts: $(ls parts)"
ends 64 "--part 5/4: it must be K/N" render elephant needle "${small[@]}" --part 5/4 -o pictures/
cp views/odd.ini "views/...ini" && cp views/odd.ini $'views/a\nb.ini' # hostile names stay in the folder, on one line
ends 0 "" render views/...ini $'views/a\nb.ini' "${small[@]}" -o pictures/
[[ $(find . -name '*.png' -newer views/...ini -not -path './whole/*' -printf '%P\n' | sort) == $'pictures/_..png\npictures/a_b.png' ]] ||
    complain "hostile names: $(find . -name '*.png' -newer views/...ini)"
printf '[compute]\nbackend = scalar\n' | cat views/odd.ini - >views/scalar.ini
ends 78 "the backend is scalar" render views/scalar.ini whole-set "${small[@]}" -o pictures/ --force
ends 0 "" render views/scalar.ini whole-set "${small[@]}" -o pictures/ --force --backend cpu

# ---- killed and stopped in the middle ----
big=(--quiet --set output.journal=0.001) # the first is over before anything is kept
sed 's/zoom = 8/&\nsize = 32x18/; /planes/d' views/odd.ini >views/tiny.ini
printf '%s\n' '[view]' 're = -1.7685' 'im = 0.0009' 'zoom = 400' 'size = 500x400' >views/large.ini
three=(views/tiny.ini rosettes views/large.ini)
rm -rf whole pictures && mkdir whole pictures
for view in "${three[@]}"; do
    "$deepfield" render "$view" "${big[@]}" -o "whole/$(basename "$view" .ini).png" >/dev/null || complain "$view alone"
done
(cd pictures && LD_PRELOAD=$KILLING KILLED_AT=1 ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 \
    "$deepfield" render "${three[@]}" "${big[@]}" --threads 1 -o ./) >/dev/null 2>&1
[[ $(find pictures -name "*.deepfield" | wc -l) == 1 ]] || complain "it was not killed: $(ls pictures)"
kept=$(find pictures -name "*.deepfield")
cp -a pictures resumed
ends 0 "goes on from $kept" render "${three[@]}" --set output.journal=0.001 -o pictures/ --ranks 3 --oversubscribe
same_folders whole pictures "after a kill"
ends 0 "" resume "resumed/$(basename "$kept" .deepfield)" --set output.quiet=true # a picture of many is one of its own
cmp -s "whole/$(basename "$kept" .deepfield)" "resumed/$(basename "$kept" .deepfield)" || complain "resume of one of them"
rm -rf pictures && mkdir pictures
LD_PRELOAD=$KILLING KILLED_AT=1 KILLED_BY=15 ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 ends 75 "the same command goes on" \
    render "${three[@]}" "${big[@]}" --threads 1 -o pictures/ --json
made=$(($(wc -l <out) - 1)) # none, where the machine is slow
[[ $(tail -1 out) == '{"schema":"error/1","code":75,"text":"stopped on request; '$made' of 3 '*'"view":null}' ]] ||
    complain "lines of a stop: $(cut -c 1-200 out)"
ends 0 "" render "${three[@]}" "${big[@]}" -o pictures/
same_folders whole pictures "after a stop"

# ---- killed between the names of a picture's two files ----
rm -rf pictures && mkdir pictures
two=(render views/tiny.ini rosettes "${small[@]}" -o pictures/ -o "pictures/{name}.jpg")
host=$(uname -n | tr -c 'a-zA-Z0-9\n' -)
host=${host:0:32}
ends 0 "" "${two[@]}"
{
    printf 'deepfield set 3\0%s\0' 2
    for file in tiny.png tiny.jpg; do
        printf '%s\0\0.%s.%s.1.1.part\0\0%s\0' "$(stat -c '%i %.9Y %s' pictures/$file)" $file "$host" $file
    done
} >"pictures/.deepfield.$host.1.1.set"
mv pictures/tiny.jpg "pictures/.tiny.jpg.$host.1.1.part"
ends 0 "are complete: tiny.png" "${two[@]}"
[[ $(find pictures -type f | wc -l) == 4 ]] || complain "after a kill between two names: $(ls -A pictures)"

# ---- a full stdout ----
rm -rf pictures && mkdir pictures
"$deepfield" render "${list[@]}" "${small[@]}" -o pictures/ >/dev/full 2>err # flushed after each picture
[[ $? == 74 && $(<err) == 'deepfield: stdout: not all of it could be written' ]] ||
    complain "stdout on a full disk: $(cut -c 1-200 err)"
verdict
