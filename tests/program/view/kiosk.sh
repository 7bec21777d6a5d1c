#!/usr/bin/env bash
# The viewer as a stand for the public, under scripts: what a visitor cannot do, what is as before
# after each of them, and what staff and a service manager are told.
# usage: kiosk.sh DEEPFIELD SCRATCH rules|visits|touch|black|takeaway|challenge|colours|log|sound|held|staff|flashes|bounds|status|monkey|service|lost [LOSING]
mode=$3
losing=${4-}
sources=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
set -- "$1" "$2/$3"
# shellcheck source=tests/support/program.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../support/program.sh"
export SDL_VIDEODRIVER=dummy XDG_DATA_HOME=$scratch/data XDG_RUNTIME_DIR=$scratch/run

# The window, small where a script only waits, which costs less.
small='resize 320 240' whole='resize 1024 768'

as=(--kiosk)

# stand NAME WANTED_CODE OPTIONS...: plays the script on stdin, in an empty folder.
stand() {
    local name=$1 wanted=$2 code=0
    shift 2
    mkdir -p "$name"
    sed 's/^settle$/settle within 250/' > "$name.txt"
    (cd -- "$name" && exec "$deepfield" view "${as[@]}" --samples 1 "$@" --script "../$name.txt" --report \
        > "../$name.json" 2> "../message") || code=$?
    [[ $code == "$wanted" ]] || complain "$name: code $code, not $wanted"
}

# A finger that comes and goes at a place, in shares of the window.
tap() {
    printf 'finger 1 down %s\nfinger 1 up %s\n' "$1" "$1"
}

# K2, K6: nothing ends it, writes a file or leaves a box open.
rules() {
    stand rules 0 --set stand.idle_s=300 << SCRIPT
key p
wait until kiosk-stage = 0
key ctrl+q
close
key alt+f4
key g
expect panel = 0
text "-1 0 1e9"
key enter
key ctrl+o
expect panel = 0
key shift+f12
key f1
key ctrl+b
expect panel = 0
key f12
key b
key ctrl+s
key ctrl+c
key ctrl+v
key escape
key f10
key i
key shift+i
settle
expect zoom near 1.4
expect limit-asked = 0
expect ui-scale = 1
key ctrl+plus
expect ui-scale = 1
$(tap '0.965 0.045'; tap '0.965 0.045')
expect panel = 0
click left at 988 36
click left at 988 36
expect panel = 0
shot ../corner.png
SCRIPT
    [[ ! -e data && -z $(ls -A rules) ]] || complain "it wrote: $(find data rules -type f)"
}

# K1, K4, K8: who comes finds home, and so does the next one.
visits() {
    stand visits 0 --language de --set stand.idle_s=2 --set stand.countdown_s=2 << SCRIPT
$small
expect kiosk-stage = 2
hurry 8
wait until kiosk-flies = 1
wait until zoom > 2
hurry 1
$whole
key p
wait until kiosk-visitors = 1
expect kiosk-flies = 0
expect zoom near 1.4
expect palette is "meridian"
finger 1 down 0.44 0.93
wait 0.1
finger 1 up 0.44 0.93
expect palette is "mist"
finger 1 down 0.79 0.93
finger 1 up 0.79 0.93
expect language = 2
key t
expect tiles = 1
key m
key c
expect cycling = 1
key ctrl+z
wheel 4 at 200 200
key j
$small
wait until kiosk-stage = 1
key p
expect kiosk-stage = 0
wait until kiosk-stage = 2
$whole
expect cycling = 0
expect panel = 0
expect hud = 0
expect undo < 2
key p
wait until kiosk-visitors = 2
expect zoom near 1.4
expect julia = 0
expect tiles = 0
expect language = 1
expect palette is "meridian"
finger 1 down 0.32 0.93
finger 1 up 0.32 0.93
wait until zoom < 1
finger 1 down 0.56 0.93
finger 1 up 0.56 0.93
wait until kiosk-flies = 1
$small
wait until zoom > 3
$whole
click left at 500 300
wait until kiosk-flies = 0
finger 1 down 0.2 0.93
finger 1 up 0.2 0.93
$small
wait until zoom near 1.4
SCRIPT
}

# A tap flies in at its place; a finger that is held on black goes where there is something to see.
touch() {
    stand touch 0 --tour the-set --threads 1 --set stand.idle_s=300 << SCRIPT
$small
$(tap '0.3 0.3')
wait until kiosk-visitors = 1
wait until zoom near 2.8
$(tap '0.3 0.3')
wait until zoom near 5.6
finger 1 down 0.9 0.5
wait until zoom > 28
finger 1 up 0.9 0.5
settle
expect one-colour-s < 0.5
expect blank is ""
SCRIPT
}

# Who has come to where all is black is told so, and flown back; then a hand shows how to fly.
black() {
    stand black 0 --tour the-set --threads 1 --set stand.idle_s=300 --language de << SCRIPT
$small
key p
wait until kiosk-visitors = 1
wheel 12 at 210 120
settle
expect blank is "Hier ist alles schwarz: Das Bild fliegt von selbst zurück"
wait until zoom < 3
wait until kiosk-hand = 1
SCRIPT
}

# The second row opens and closes, and a code of the place lasts until the next touch, which does
# nothing else. A finger that holds the picture is let go when the code comes: nothing flies on behind
# it, or after.
takeaway() {
    stand takeaway 0 --threads 1 --set stand.idle_s=300 << SCRIPT
$whole
$(tap '0.5 0.4')
wait until kiosk-visitors = 1
settle
$(tap '0.9 0.9')
wait until kiosk-more = 1
$(tap '0.9 0.9')
wait until kiosk-more = 0
$(tap '0.9 0.9')
wait until kiosk-more = 1
$(tap '0.45 0.8')
wait until kiosk-code > 20
expect kiosk-more = 0
shot code.png
$(tap '0.5 0.4')
wait until kiosk-code = 0
wait 0.3
expect zoom < 4
$(tap '0.9 0.9')
wait until kiosk-more = 1
finger 2 down 0.5 0.4
$(tap '0.45 0.8')
wait until kiosk-code > 20
finger 2 up 0.5 0.4
wait 1
expect zoom < 4
$(tap '0.5 0.4')
wait until kiosk-code = 0
wait 1
expect zoom < 4
SCRIPT
    command -v zbarimg > /dev/null || { echo "the code was not read: there is no zbarimg"; return 0; }
    zbarimg -q --raw takeaway/code.png > takeaway.ini 2> /dev/null || complain "no code is read"
    "$deepfield" render takeaway.ini --size 64x48 -o takeaway.png > message 2>&1 || complain "its text is no place"
}

# A challenge is met by a picture of what it wants, not before, and by no flight of the program's own.
challenge() {
    stand challenge 0 --threads 1 --set stand.idle_s=300 << SCRIPT
$whole
$(tap '0.5 0.4')
wait until kiosk-visitors = 1
$(tap '0.9 0.9')
wait until kiosk-more = 1
$(tap '0.55 0.8')
wait until kiosk-challenge = 1
settle
wheel 4 at 228 384
settle
wait 1
expect kiosk-challenge = 1
wheel 15 at 228 384
settle
wait until kiosk-challenge = 2
shot met.png
$(tap '0.48 0.9')
wait until kiosk-challenge = 0
SCRIPT
}

# Colours at rest are those of the picture, however what moved it was cut off: by a finger, a key, a
# gamepad, the end of a visit; and in the viewer by a drag, Escape, Home, and the hand that flew.
colours() {
    local rest=$'wait 0.05\nsettle\nexpect colours-measured = 1'
    stand colours 0 --size 160x90 --threads 1 --tour the-set --set stand.idle_s=1 \
        --set stand.countdown_s=1 << SCRIPT
$small
wait 0.2
$(tap '0.5 0.4')
wait until kiosk-visitors = 1
$rest
wait until kiosk-stage = 2
pad button south down
$rest
key p
$rest
SCRIPT
    local as=() # a viewer that is none of a stand
    stand cut 0 --size 160x90 --threads 1 --tour the-set << SCRIPT
wait 0.2
drag 80 40 90 50 over 0.1
$rest
key escape
key home
$rest
key home
$rest
hold left at 60 40 for 0.6
$rest
SCRIPT
}

# Who holds a button for longer than a visit waits is still there.
held() {
    stand held 0 --size 160x90 --threads 1 --set stand.idle_s=1 --set stand.countdown_s=1 << SCRIPT
$small
key p
wait until kiosk-visitors = 1
hold left at 60 40 for 2.6
expect kiosk-visitors = 1
expect zoom > 2
SCRIPT
    stand stick 0 --size 160x90 --threads 1 --set stand.idle_s=1 --set stand.countdown_s=1 << SCRIPT
$small
key p
wait until kiosk-visitors = 1
pad axis left-x 0.5
wait 2.6
expect kiosk-visitors = 1
expect kiosk-stage = 0
pad axis left-x 0
wait until kiosk-stage > 0
SCRIPT
}

# Two corners and the digits end it; test_kiosk.c has what does not.
staff() {
    local corners='finger 1 down 0.02 0.02
finger 2 down 0.98 0.02'
    stand staff 0 --set stand.idle_s=300 --set stand.pin=2580 << SCRIPT
key p
$small
$corners
wait until kiosk-digits = 1
finger 1 up 0.02 0.02
finger 2 up 0.98 0.02
$whole
shot digits.png
key 1
key 1
key 1
key 1
expect kiosk-digits = 0
wait 0.2
expect flies = 0
$small
$corners
wait until kiosk-digits = 1
finger 1 up 0.02 0.02
finger 2 up 0.98 0.02
$whole
$(for y in 0.344 0.445 0.547 0.648; do tap "0.5 $y"; done)
expect zoom = -1
SCRIPT
    stand pin 78 --set stand.pin=12a4 <<< quit
    grep -qF 'stand.pin' message || complain "a wrong PIN is not told"
}

# K7: palettes as fast as a hand can change them, and colours that flow.
flashes() {
    stand flashes 0 --set stand.idle_s=300 << SCRIPT
key p
settle
$(for ((i = 0; i < 60; i++)); do printf 'key p\nwait 0.05\n'; done)
key c
wait 1
expect flashes <= 3
expect flashes > 0
SCRIPT
}

# K5: no picture keeps its limit when it takes too long; black ones and one colour are left.
bounds() {
    stand bounds 0 --set stand.idle_s=300 --threads 1 << SCRIPT
key p
settle
expect kiosk-limit >= 1000
$(for i in 1 2 3 4; do printf 'wheel 12 at 600 384\nwait 0.2\n'; done)
wait until one-colour-s > 0.3
wait until zoom < 50
expect one-colour-s < 60
SCRIPT
}

page_text() {
    exec 3<> "/dev/tcp/127.0.0.1/$1" && printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$2" >&3 && cat <&3 && exec 3>&-
}

status() {
    local port=$((20000 + RANDOM % 20000)) i
    stand status 0 --set stand.idle_s=300 --status-port "$port" << SCRIPT &
key p
settle
shot there.png
wait until kiosk-visitors = 2
SCRIPT
    local stand=$!
    for ((i = 0; i < 600; i++)); do
        [[ ! -e status/there.png ]] || break
        sleep 0.1
    done
    sleep 0.5
    page_text "$port" /status.json > page.json || complain "no page"
    page_text "$port" / > page.html || complain "no page for people"
    grep -qF '"health":"ok","stage":"visitor"' page.json || complain "the page: $(< page.json)"
    grep -q '"visitors":1,"frames":[1-9]' page.json || complain "the page: $(< page.json)"
    grep -qF '<h1>deepfield: ok</h1>' page.html || complain "the page: $(< page.html)"
    # A second one goes on without a page.
    stand taken 0 --set stand.idle_s=300 --status-port "$port" << SCRIPT
key p
expect kiosk-alarms = 1
SCRIPT
    grep -qF "no status page on 127.0.0.1:$port yet" message || complain "the taken port is not told"
    kill_tree "$stand"
    wait "$stand" 2> /dev/null || true
}

# The log has a line for the day with both visits, which begin with a touch and not with a mouse; a
# file that is no such log stays as it is.
log() {
    printf 'name\n' > other.csv
    stand log 0 --text large --threads 1 --set stand.idle_s=1 --set stand.countdown_s=0 \
        --set "stand.log=$scratch/visits.csv" << SCRIPT
$small
expect ui-scale = 1.5
move 100 100
move 200 200
expect kiosk-stage = 0
expect kiosk-visitors = 0
$(tap '0.3 0.3')
wait until kiosk-visitors = 1
settle
wait until kiosk-stage = 2
key p
expect kiosk-visitors = 2
SCRIPT
    grep -qxE '20[0-9]{2}-[0-9]{2}-[0-9]{2},2,[0-9]+,[0-9]+' visits.csv || complain "the log: $(< visits.csv)"
    [[ $(head -n 1 visits.csv) == date,visits,seconds,places && $(wc -l < visits.csv) == 2 ]] ||
        complain "the log: $(< visits.csv)"
    stand other 0 --threads 1 --set "stand.log=$scratch/other.csv" <<< "$(tap '0.3 0.3')
wait until kiosk-visitors = 1"
    [[ $(< other.csv) == name ]] || complain "another file was changed: $(< other.csv)"
    grep -q 'stand.log: .*/other.csv: it does not begin with' message || complain "no word about the log"
}

# Sound while a flight goes in, silence at rest, and a stand without an audio device.
sound() {
    export SDL_AUDIODRIVER=dummy
    stand sound 0 --sound --threads 1 --set stand.idle_s=300 << SCRIPT
$small
$(tap '0.3 0.3')
wait until kiosk-visitors = 1
expect sound = 1
wait until loudness = 0
finger 1 down 0.4 0.3
wait until loudness > 0.5
finger 1 up 0.4 0.3
wait until loudness = 0
SCRIPT
    SDL_AUDIODRIVER=nowhere stand silent 0 --sound --threads 1 <<< $'expect sound = 0\nexpect kiosk-alarms = 1'
    grep -q 'there is no sound' message || complain "no word about the sound: $(< message)"
    stand off 0 --threads 1 <<< 'expect sound = 0'
}

# A device that fails is told to staff, and no more than that; when none is left it ends, so that it
# is started again.
lost() {
    deepfield=$losing
    export LOSING_RANK=0 LOSING_AFTER=2 LOSING_FILE=$scratch/victim.png
    LOSING_TIMES=1 stand one 76 --set stand.idle_s=300 --threads 2 << SCRIPT
key p
settle
shot $scratch/victim.png
wheel 3 at 600 300
wait until lost = 1
settle
expect kiosk-alarms > 0
expect panel = 0
shot $scratch/icon.png
SCRIPT
    grep -qF 'the others go on' message || complain "no line about the device"
    rm -f -- victim.png
    stand all 76 --set stand.idle_s=300 --threads 2 << SCRIPT
key p
settle
shot $scratch/victim.png
wheel 3 at 600 300
wait until kiosk-alarms > 0
wait 200
expect zoom = -1
SCRIPT
    grep -qF 'there were no pictures for 10 s' message || complain "it did not end by itself"
}

# What systemd says of the service, where there is one.
service() {
    local unit='deepfield-stand@'
    command -v systemd-analyze > /dev/null || { echo "no systemd-analyze: skipped"; exit 77; }
    sed 's#^ExecStart=.*#ExecStart=/bin/true#' "$sources/configs/stand/$unit.service" > "$unit.service"
    systemd-analyze verify --man=no "$scratch/${unit}tty1.service" > message 2>&1 || complain "the service"
    [[ ! -s message ]] || complain "what is said of the service"
    "$deepfield" view --config "$sources/configs/stand/stand.ini" --print-config > settings 2> message ||
        complain "stand.ini"
    grep -qE '^kiosk *= *true' settings || complain "stand.ini is no kiosk: $(grep kiosk settings)"
}

# field REGEX: a number of the monkey's report.
field() {
    sed -nE "s/.*$1([-0-9.e+]+).*/\\1/p" monkey.json
}

# Ticks of all cores, those in which they worked, and those in which they did for this test's children.
ticks() {
    local user nice system idle iowait irq softirq steal own
    read -r _ user nice system idle iowait irq softirq steal _ < /proc/stat
    read -ra own < "/proc/$$/stat"
    echo $((user + nice + system + idle + iowait + irq + softirq + steal)) \
        $((user + nice + system + irq + softirq + steal)) $((own[15] + own[16]))
}

# K9: input of all kinds for KIOSK_SECONDS; the window changes its size meanwhile. With KIOSK_JUDGES=1
# memory after the first ten minutes is judged, and times are, if others left most of the cores.
monkey() {
    local seconds=${KIOSK_SECONDS:-8} seed=${KIOSK_SEED:-1} begin rounds i
    begin=$(ticks)
    rounds=$((seconds / 4))
    ulimit -c 0
    stand monkey 0 --size 480x270 --set stand.idle_s=1 --set stand.countdown_s=1 \
        --set stand.pin=97531 --threads 2 << SCRIPT
$(for ((i = 0; i < rounds; i++)); do
        printf 'mash 3.5 60 %d\n' "$((seed * 100000 + i))"
        ((i % 5)) || printf 'wait 2.2\n'
        ((i % 3)) || printf 'resize %d %d\n' "$((320 + i * 37 % 400))" "$((200 + i * 53 % 300))"
    done)
expect panel = 0
expect flashes <= 3
SCRIPT
    [[ ! -e data && -z $(ls -A monkey) ]] || complain "it wrote: $(find data monkey -type f)"
    ! grep -qE 'AddressSanitizer|runtime error' message || complain "a sanitizer found something"
    cat monkey.json
    # shellcheck disable=SC2046,SC2086 # words
    [[ ! ${KIOSK_JUDGES-} ]] || judged $begin $(ticks)
}

# Never one colour for long, no input that waits, and no growth once all is warm.
judged() {
    local growth others=$((100 * ($5 - $2 - $6 + $3) / ($4 - $1)))
    echo "others took $others % of the cores"
    if ((others < 10)); then
        below "$(field '"one_colour_s":')" 2 "seconds of one colour"
        below "$(field '"reaction":.[^}]*"p99_ms":')" 100 "ms for 99 of 100 inputs"
    else
        echo "times are not judged"
    fi
    growth=$(field '"growth_bytes_per_hour":')
    below "${growth:-0}" 1e6 "bytes an hour"
}

below() {
    awk "BEGIN { exit !($1 <= $2) }" || complain "$1 $3, more than $2"
}

case $mode in
    rules) rules ;;
    visits) visits ;;
    staff) staff ;;
    flashes) flashes ;;
    bounds) bounds ;;
    status) status ;;
    held) held ;;
    colours) colours ;;
    sound) sound ;;
    log) log ;;
    touch) touch ;;
    black) black ;;
    takeaway) takeaway ;;
    challenge) challenge ;;
    monkey) monkey ;;
    service) service ;;
    lost) lost ;;
    *) fail "what is $mode?" ;;
esac
verdict
