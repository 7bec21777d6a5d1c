#!/bin/bash
# Films: the same bytes whether a run makes all of it, is killed in between, has a part, or several
# ranks; frames as they are rendered alone; and what is wrong is said before anything is computed.
# usage: film.sh DEEPFIELD SCRATCH SOURCE SAME_PIXELS
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/film.sh"
kf=published/kf-1e50

film_words=(seahorse --to 300 --seconds 10 --fps 25 --size 48x32) # 250 frames, three pieces

film whole.y4m || complain "whole.y4m"
[ "$(head -c 200 whole.y4m | head -n 1)" = 'YUV4MPEG2 W48 H32 F25:1 Ip A1:1 C420mpeg2 XCOLORRANGE=LIMITED' ] ||
    complain "$(head -n 1 whole.y4m)"
bytes=$(head -n 1 whole.y4m | wc -c)
[ "$(stat -c %s whole.y4m)" = $((bytes + 250 * (6 + 48 * 32 * 3 / 2))) ] || complain "not 250 frames"
[ ! -e whole.y4m.deepfield ] || complain "its folder is left"

# Parts, in any order, joined by the command without --part; one of them by three ranks.
film parts.y4m --part 2/3 --ranks 3 || complain "part 2"
[ ! -e parts.y4m ] || complain "a part alone is a film"
film parts.y4m --part 1/3 || complain "part 1"
"$deepfield" resume parts.y4m -q > out 2> message || complain "the rest"
cmp whole.y4m parts.y4m || complain "parts are another film"

# A part of a film that has fewer pieces.
"$deepfield" film "${film_words[@]}" --seconds 0.4 --part 2/3 -o short.y4m > out 2> message || complain "no piece"
[[ $(< message) == *'part 2 of 3 has nothing to do: 10 frames are 1 piece of up to 120'*'0 of 10 frames are there'* &&
    $(< message) != *'were there'* ]] || complain "a part without a piece"

# Killed when the first stretch is there, and gone on with.
film killed.y4m &
pid=$!
for ((i = 0; i < 600; i++)); do
    compgen -G 'killed.y4m.deepfield/*.measures' > /dev/null && break
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
done
for child in $(descendants "$pid"); do kill -9 "$child" 2>/dev/null || true; done
wait "$pid" 2>/dev/null 2>&1 || true
if [ ! -e killed.y4m ]; then # it was not faster
    film killed.y4m --fps 24 && complain "another film is taken for this one"
    grep -q "'fps = 25' is 'fps = 24'" message || complain "what differs is not said"
    film killed.y4m || complain "going on"
fi
cmp whole.y4m killed.y4m || complain "killed and gone on with, it is another film"

# Stopped on request, although all its frames come from one key picture.
film stopped.y4m --to 1.05 --seconds 900 &
pid=$!
for ((i = 0; i < 600; i++)); do
    [ -s stopped.y4m.deepfield/film.y4m ] && break
    sleep 0.05
done
was=0
kill -TERM "$(descendants "$pid" | tail -n 1)"
wait "$pid" || was=$?
[ "$was" = 75 ] || complain "stopped with status $was"

# Frames by themselves: those that are there stay, and are the same as the others.
frames=(--method frames --samples 1 --seconds 0.2 --fps 25)
mkdir f
film f/%03d.png "${frames[@]}" --log-json log || complain "frames"
[ "$(grep -c '"event":"frame","frame":[0-4],"log10_zoom":.*"iterations":[1-9]' log)" = 5 ] ||
    complain "not each frame has its figures: $(< log)"
[ "$(echo f/*.png)" = 'f/000.png f/001.png f/002.png f/003.png f/004.png' ] || complain "$(ls f)"
cp f/002.png second.png
touch -d 2001-01-01 f/001.png
rm f/002.png
film f/%03d.png "${frames[@]}" || complain "the frame that is missing"
cmp f/002.png second.png || complain "a frame made later is another"
# A frame is a picture with its view inside, and curves of colours are rounded there.
same=$4
"$deepfield" render second.png --quiet -o again.png > message 2>&1 || complain "the place of a frame"
differ=$({ "$same" second.png again.png || true; } | sed -nE 's/^([0-9]+) of .*/\1/p')
((${differ:-0} <= 48 * 32 / 10)) || complain "a frame rendered again is another picture: $differ pixels"
[ "$(stat -c %Y f/001.png)" -lt 1000000000 ] || complain "a frame that was there was made again"
rm -r f/film.deepfield
film f/%03d.png "${frames[@]}" && complain "files of nobody knows whom are taken for frames"
grep -q 'f/000.png exists; --force' message || complain "not told"

# Deep, along a path; each frame has its own numbers.
printf '%s\n' '[a]' 'time = 0' 'zoom = 1e12' '[b]' 'time = 0.1' 'zoom = 1e18' 'rotation = 30' > path.ini
"$deepfield" film "$kf" --path path.ini --size 32x18 --fps 30 --samples 1 --limit 20000 --quiet -o 'deep%d.exr' \
    > message 2>&1 || complain "deep"
"$deepfield" info deep2.exr 2>&1 | tee message | grep -q 'rotation  *30' || complain "the place of deep2.exr"
"$deepfield" colour deep0.exr deep2.exr -o '{}.png' > message 2>&1 || complain "fields of frames"

# Deep frames of other formulas and of Julia sets have the counts of their pictures. Blocks, which leave out
# what all frames bear, are not taken.
for place in formulas:tricorn-deep 'julia-seahorse --formula celtic --julia 0.1,0.2 --re 0.51 --im 0.3'; do
    read -ra options <<< "$place"
    options+=(--zoom 1e20 --limit 3000 --size 32x18 --blocks none --quiet --force)
    "$deepfield" film "${options[@]}" --from 1e19 --method frames --seconds 0.2 --fps 10 --samples 1 \
        -o 'formula%d.exr' > message 2>&1 || complain "a film of $place"
    "$deepfield" render "${options[@]}" -o picture.exr > message 2>&1 || complain "a picture of $place"
    "$deepfield" colour formula1.exr picture.exr -o '{}.png' --palette ocean --density 1 --relief 0 --lines 0 --force \
        > message 2>&1 || complain "counts of $place"
    "$same" formula1.png picture.png || complain "frames of $place are not its pictures"
    rm -r film.deepfield
done

said 77 'needs [0-9.]* GiB (key picture .*only 80 %' --size 200000x200000
said 77 'needs [0-9.]* GiB (frame .*only 80 %' --size 1000000000x20000 --method frames
said 64 'one -o' -o another.y4m
said 78 'both sides must be even; use --size 50x32' --size 49x32
said 64 'must be K/N' --part 3/2
said 78 'has 8 or 10 bits' --bits 16
said 78 'one run makes' --flash-safe --part 1/2
said 78 'leave these out' --path path.ini
said 64 '--fps' --fps 0
said 64 '29.97, 12.5 or 24000/1001' --fps 29,97

# Rates that are no whole numbers, in stretches: the head, the clock of the video, the texts beside it.
film ntsc.y4m --fps 29.97 --seconds 1 || complain "29.97"
head -n 1 ntsc.y4m | grep -q ' F30000:1001 ' || complain "$(head -n 1 ntsc.y4m)"
"$deepfield" film "${film_words[@]}" --fps 23.976 --dry-run > out 2> message || complain "23.976"
grep -q ' at 24000/1001 frames/s' out || complain "what it is to be: $(< out)"
# Averages along orbits: frames have them and say so, deep ones, too.
mkdir -p sums deep
film sums/%d.png --to 4 --seconds 0.2 --fps 10 --method frames --samples 1 --by stripe --stripes 3 ||
    complain "frames by stripes: $(< message)"
"$deepfield" render sums/1.png -q -o sums/again.png > /dev/null
"$same" sums/1.png sums/again.png || complain "a frame by stripes renders to another picture"
film deep/%d.png --to 1e20 --seconds 0.1 --fps 10 --size 16x9 --method frames --samples 1 --by stripe ||
    complain "a deep frame by stripes: $(< message)"

if command -v ffprobe > /dev/null; then
    film ntsc.mkv --fps 24000/1001 --seconds 1 || complain "24000/1001"
    [[ $(ffprobe -v error -count_frames -show_entries stream=r_frame_rate,nb_read_frames -of csv=p=0 ntsc.mkv) == 24000/1001,24 ]] ||
        complain "its rate: $(ffprobe -v error -show_entries stream=r_frame_rate -of csv=p=0 ntsc.mkv)"
fi
printf '%s\n' '[a]' 'time = 0' 'zoom = 1' '[b]' 'time = 0' 'zoom = 2' > path.ini
path=(film seahorse --path path.ini -o refused.y4m)
"$deepfield" "${path[@]}" > message 2>&1 && complain "two keyframes at one time"
grep -q 'path.ini:5: \[b\]: time 0 is not after' message || complain "no line"
printf '%s\n' '[a]' 'time = 0' 'zoom = 1' 'eas = 2' > path.ini
"$deepfield" "${path[@]}" > message 2>&1 && complain "an unknown key"
grep -q "path.ini:4: unknown key 'eas'.*ease" message || complain "not told"
env PATH=/nowhere "$deepfield" film seahorse --to 10 --size 48x32 -o none.mp4 > message 2>&1 &&
    complain "a film without ffmpeg"
grep -q 'apt-get install ffmpeg' message || complain "no remedy"

if command -v ffprobe > /dev/null; then
    for name in x.mp4 x.webm x.mkv; do
        film "$name" --seconds 2 --effort fastest --bits 10 --chroma 444 || complain "$name"
        facts=$(ffprobe -v error -count_frames -show_entries \
            stream=nb_read_frames,pix_fmt,color_range,color_space,color_transfer,color_primaries \
            -of default=nw=1 "$name" | sort | tr '\n' ' ')
        [ "$facts" = "color_primaries=bt709 color_range=tv color_space=bt709 color_transfer=iec61966-2-1 \
nb_read_frames=50 pix_fmt=yuv444p10le " ] || complain "$name: $facts"
    done
    for name in twice.webm twice.mkv; do # the same film is the same bytes
        for folder in first second; do
            mkdir -p "$folder"
            "$deepfield" film seahorse --to 4 --seconds 0.4 --fps 20 --size 32x18 --effort fastest --quiet \
                -o "$folder/$name" > message 2>&1 || complain "$folder/$name"
        done
        cmp "first/$name" "second/$name" || complain "$name is not the same twice"
    done
    ffmpeg -v error -i x.mkv -pix_fmt yuv444p10le -f yuv4mpegpipe -strict -1 - | tail -n +2 > lossless
    film x.y4m --seconds 2 --bits 10 --chroma 444 || complain "x.y4m"
    tail -n +2 x.y4m | cmp - lossless || complain "FFV1 is not what was piped"
fi
verdict
