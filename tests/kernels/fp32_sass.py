"""Machine code of what computes in fp32 has no fp64, which most GPUs do at 1/32 or 1/64 of the rate.

    fp32_sass.py SOURCE_DIR NVCC ARCHIVE [--write]

- Steps and blocks of pixels in fp32 (fp32_probe.cu), compiled here for each architecture of
  ARCHITECTURES that nvcc knows: none at all.
- Kernels of the archive, the build's own, for the architectures that it has: none in the innermost
  loops of direct kernels in fp32 or double-single, and none in those loops of a deep kernel with
  pixels in fp32 that compute in fp32.
- app/bench/forecast_costs.inc has the instructions of the probe's steps: within TOLERANCE, as other
  versions of nvcc make other code. --write writes it.

The probe's kernel in doubles, the direct kernels in doubles and a planted loop show that the test
sees fp64."""
import os
import re
import subprocess
import sys
import tempfile

import sass

ARCHITECTURES = (86, 89, 90, 103, 120)
PROBES_LEAST = 20  # fp64 instructions of the probe in doubles
PROBES = 17  # kernels of the probe
TOLERANCE = 0.15
COSTS = "app/bench/forecast_costs.inc"
COST = re.compile(r"_Z\d+cost_(block|along|direct|iteration)(_wide)?(_f32|_ds)?P")
NUMBERS = {None: "FP64", "_f32": "FP32", "_ds": "DS"}
CLASSES = ("fp64", "fp32", "integer", "other")
DIRECT = re.compile(r"_Z\d+(?:round_steps|first|plain_steps)I(?P<number>[fd]|\d+\w*?_ds)")
LATE = re.compile(r"_Z10deep_queueI(?:9late_kindE|12(?:row|own)_kind_f32I)")


def problems(kernel, of_loops):
    """What is wrong with a kernel in fp32, as sentences; of_loops: only loops in fp32 count."""
    if not of_loops:
        wide = kernel.classes()["fp64"]
        return [f"has {wide} fp64 instructions"] if wide else []
    loops = kernel.loop_classes()
    busy = [count for count in loops if count["arithmetic"]]
    if not busy:
        return ["has no loop in fp32: the test does not know its code"]
    return [f"has {count['fp64']} fp64 instructions in a loop of {sum(count.values())}"
            for count in busy if count["fp64"]]


def line(kernel, wrong):
    loops = sum(count["fp64"] for count in kernel.loop_classes())
    print(f"sm_{kernel.architecture} {kernel.name[:72]}: {len(kernel.words)} instructions, "
          f"fp64 {kernel.classes()['fp64']}, in innermost loops {loops}"
          + "".join(f"; WRONG: {text}" for text in wrong))


def probe_compile(source, nvcc, folder):
    known = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True,
                           check=True).stdout.split()
    codes = ",".join(f"sm_{number}" for number in ARCHITECTURES if f"sm_{number}" in known)
    out = os.path.join(folder, "probe.fatbin")
    subprocess.run([nvcc, "-std=c++17", "-O3", "-fmad=false", "-fatbin", "-I", source,
                    "-gencode", f"arch=compute_80,code=[{codes}]", "-o", out,
                    os.path.join(source, "tests/kernels/fp32_probe.cu")], check=True)
    return list(sass.file_kernels(out)), codes.count("sm_")


def costs(kernels):
    """Instructions of each step by (architecture, kind, number)."""
    found = {}
    for kernel in kernels:
        step = COST.match(kernel.name)
        if step:
            kind = (step[1] + (step[2] or "")).upper()
            counts = kernel.classes()
            if step[1] == "iteration":
                counts["integer"] = counts["other"] = 0  # begin and end of the kernel
            found[kernel.architecture, kind, NUMBERS[step[3]]] = [counts[name] for name in CLASSES]
    return found


def costs_write(path, found):
    with open(path, "w", encoding="ascii") as file:
        file.write("/* COST(architecture, kind, number, fp64, fp32, integer, other): instructions of a "
                   "step without\n * loads and stores, all branches counted, from the machine code of "
                   "tests/kernels/fp32_probe.cu by\n * nvcc 13.0. Written and compared by "
                   "tests/kernels/fp32_sass.py. */\n")
        for (architecture, kind, number), counts in sorted(found.items()):
            file.write(f"COST({architecture}, {kind}, {number}, "
                       f"{', '.join(str(count) for count in counts)})\n")


def costs_judge(path, found):
    with open(path, encoding="ascii") as file:
        rows = re.findall(r"^COST\((\d+), (\w+), (\w+), ([\d, ]+)\)$", file.read(), re.M)
    faults = 0
    for architecture, kind, number, counts in rows:
        now = found.get((int(architecture), kind, number))
        told = [int(count) for count in counts.split(", ")]
        if now and (abs(sum(now) - sum(told)) > 3 + TOLERANCE * sum(told)
                    or abs(now[0] - told[0]) > 3 + TOLERANCE * told[0]):
            print(f"WRONG: sm_{architecture} {kind} {number} has {now} instructions, {COSTS} says "
                  f"{told}: write it by --write")
            faults += 1
    return faults + (not rows)


def probes_judge(kernels, architectures):
    faults = 0
    for kernel in kernels:
        if "cost_" in kernel.name and not re.search("_f32P|_dsP", kernel.name):
            continue
        planted, early = "planted" in kernel.name, "early" in kernel.name
        wrong = problems(kernel, of_loops=planted)
        if planted:
            wrong = [] if wrong else ["its planted fp64 is not found"]
        elif early:
            seen = kernel.classes()["fp64"]
            wrong = [] if seen >= PROBES_LEAST else [f"only {seen} fp64 instructions are found"]
        line(kernel, wrong)
        faults += len(wrong)
    if len(kernels) != PROBES * architectures:
        print(f"WRONG: {len(kernels)} kernels of the probe for {architectures} architectures")
        faults += 1
    return faults


def archive_judge(path):
    """Judges the build's kernels; controls: direct kernels in doubles, which have fp64."""
    faults = judged = controls = 0
    for kernel in sass.file_kernels(path):
        direct = DIRECT.match(kernel.name)
        if direct and direct["number"] == "d":
            controls += any(count["fp64"] for count in kernel.loop_classes())
        elif direct or LATE.match(kernel.name):
            wrong = problems(kernel, of_loops=True)
            line(kernel, wrong)
            faults += len(wrong)
            judged += 1
    print(f"{judged} kernels of the build in fp32, {controls} in doubles beside them")
    return faults + (not judged) + (not controls)


def main():
    source, nvcc, archive = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        kernels, architectures = probe_compile(source, nvcc, folder)
    if "--write" in sys.argv:
        costs_write(os.path.join(source, COSTS), costs(kernels))
    faults = probes_judge(kernels, architectures)
    faults += costs_judge(os.path.join(source, COSTS), costs(kernels))
    try:
        faults += archive_judge(archive)
    except sass.Unreadable as why:
        print(f"the build's machine code is not read: {why}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
