#!/usr/bin/env bash
# Are the planes period and inside those of multiprecision arithmetic? Some pixels of three views:
# large components, the same turned, and small ones of long periods.
# usage: inside.sh DEEPFIELD INSIDE SCRATCH
set -euo pipefail
deepfield=$1
inside=$2
scratch=$3
rm -rf -- "$scratch"
mkdir -p -- "$scratch"
cd -- "$scratch"
while read -r name re im zoom rotation points; do
    "$deepfield" render --re="$re" --im="$im" --zoom "$zoom" --rotation "$rotation" --limit 20000 \
        --size 96x54 --planes count,period,inside --quiet -o "$name.npy" > /dev/null
    printf '%s: ' "$name"
    "$inside" "$re" "$im" "$zoom" "$rotation" "$name.period.npy" "$name.inside.npy" "$points"
done <<'END'
whole -0.7 0 1.4 0 24
turned -0.12 0.74 9 33 12
small -0.74462036721582258724794201043551 0.11256363280298738172024997084009 2.5e10 0 4
END
