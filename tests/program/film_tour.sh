#!/bin/bash
# Films of tours: the same bytes however they are made, stops that stand still, the texts beside
# them, and what a tour says already is refused.
# usage: film_tour.sh DEEPFIELD SCRATCH
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/program.sh"
source "$(dirname -- "${BASH_SOURCE[0]}")/../support/film.sh"

# Another formula, other colours, a limit, a cut.
cat > way.ini << 'TOUR'
[tour]
title-en = A way
[begin]
re = -0.7
im = 0
zoom = 1.4
flight = 0
dwell = 0.5
text-en = Here it begins.
text-de = Hier fängt es an.
[valley]
re = -0.7436
im = 0.1314
zoom = 160
flight = 1
dwell = 1
palette = mist
limit = 500
[julia]
re = 0
im = -0.2
zoom = 1.9
julia = -0.7453,0.1126
flight = 1
dwell = 0.5
text-en = A Julia set.
TOUR

film_words=(--tour way.ini --fps 40 --size 48x32 --samples 2) # 160 frames, two pieces

film whole.y4m --language de || complain "whole.y4m"
bytes=$(head -n 1 whole.y4m | wc -c)
[ "$(stat -c %s whole.y4m)" = $((bytes + 160 * (6 + 48 * 32 * 3 / 2))) ] || complain "not 160 frames"
diff whole.srt - << 'TEXTS' || complain "the texts"
1
00:00:00,000 --> 00:00:00,500
Hier fängt es an.

2
00:00:02,500 --> 00:00:04,000
A Julia set.

TEXTS
film parts.y4m --part 1/2 --ranks 3 || complain "part 1"
film parts.y4m --part 2/2 || complain "part 2"
[ ! -e parts.srt ] || complain "texts of a part"
film parts.y4m --language en || complain "the parts together"
cmp whole.y4m parts.y4m || complain "parts are another film"
grep -q 'Here it begins' parts.srt || complain "the texts in English"

# A run that was killed when the film had its name, before or after it had its texts.
for texts in no yes; do
    rm -rf named.* parts.y4m parts.srt
    film named.y4m --language en --part 1/2 || complain "part 1 of a film that has its name"
    cp whole.y4m named.y4m.deepfield/film.y4m
    ln named.y4m.deepfield/film.y4m named.y4m
    [ $texts = no ] || echo old > named.srt
    film named.y4m --language en || complain "a film that has its name: $(cat message)"
    grep -q 'Here it begins' named.srt || complain "texts of a film that had its name"
    [ ! -e named.y4m.deepfield ] || complain "the folder of a film that had its name"
done

# Frames: stops stand still, flights do not, and a frame that is made later is the same.
mkdir f
film f/%02d.png --fps 10 || complain "frames"
for still in 01 04 17 24 36 39; do
    cmp -s "f/$still.png" "f/$(printf %02d $((10#$still - 1))).png" || complain "frame $still moves"
done
for moving in 05 08 12 25 30; do
    cmp -s "f/$moving.png" "f/$(printf %02d $((10#$moving - 1))).png" && complain "frame $moving"
done
cp f/20.png later.png
rm f/20.png
film f/%02d.png --fps 10 || complain "the frame that is missing"
cmp f/20.png later.png || complain "a frame made later is another"
"$deepfield" info f/39.png 2>&1 | tee message | grep -q '^c  *-0.745' || complain "the place of a frame"
compgen -G '*/*.srt' > /dev/null && complain "texts beside frames"

# Stops that show ranks at work, which a film cannot.
sed 's/^\[valley\]$/&\nworkers = 1/; s/^\[julia\]$/&\ntiles = yes/' way.ini > ranks.ini
"$deepfield" film --tour ranks.ini --size 48x32 --fps 4 -o ranks.y4m > ranks.txt 2> ranks.log ||
    complain "ranks.ini"
grep -q 'left out: 2 of 3;' ranks.log || complain "stops left out: $(cat ranks.log)"
[ "$(grep -c -- '-->' ranks.srt)" = 1 ] || complain "texts of stops that are left out"
sed -n '/^\[begin\]/,$ s/^\[.*\]$/&\nrepeat = yes/; /^\[begin\]/,$ p' way.ini > all.ini
said 64 'only deepfield view --tour does' --tour all.ini

said 64 'what --limit would say' --limit 100
said 64 'what --to would say' --to 1e9
said 64 'leave VIEW out' seahorse
said 66 'nowhere.ini' --tour nowhere.ini
cp whole.srt refused.srt
said 73 'refused.srt exists; --force' --language de
rm refused.srt
film refused.y4m --dry-run --json || complain "dry run"
verdict
