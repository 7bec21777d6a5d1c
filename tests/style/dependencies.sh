#!/usr/bin/env bash
# Are the packages that quickstart installs those of the table of dependencies, and is the bill of materials of the
# build one?
# usage: dependencies.sh PROJECT BUILD
set -euo pipefail
cd -- "$1"
failures=0
mapfile -t packages < <(sed -n '/^tools=(/,/^missing_packages/p' quickstart |
    grep -oE '[a-z0-9-]+:[a-z0-9-]+|\blib[a-z0-9-]+-dev\b|\b(libjs|python3)-[a-z0-9]+' | sed 's/.*://' | sort -u)
((${#packages[@]} > 25)) || { echo "quickstart: ${#packages[@]} packages"; exit 1; }
for package in "${packages[@]}"; do
    grep -qwF -e "$package" docs/dependencies.md ||
        { echo "docs/dependencies.md has no $package of quickstart"; failures=$((failures + 1)); }
done
python3 - "$2/deepfield.cdx.json" <<'PYTHON' || failures=$((failures + 1))
import json, re, sys
bill = json.load(open(sys.argv[1]))
assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5"), bill
names = {part["name"]: part.get("version") for part in bill["components"]}
assert {"GMP", "MPFR", "zlib", "OpenEXR", "MPI"} <= set(names), names
assert "library" not in names and "CMake" not in names, names
assert all(part["licenses"] for part in bill["components"])
revision = bill["metadata"]["component"]["properties"][0]["value"]
assert re.fullmatch("[0-9a-f]+(-dirty)?|unknown", revision), revision
PYTHON
((failures == 0))
