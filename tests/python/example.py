"""Runs a script of examples/python/ in a folder of its own; 77: a module or a GPU is missing.

usage: example.py NAME
"""

import os
import runpy
import sys
import tempfile

from run import mpi_of_another_kind

SKIPPED = 77  # CTest takes this exit code as "skipped"
LINES_MOST = 40

name = sys.argv[1]
here = os.path.dirname(os.path.abspath(__file__))
path = os.path.normpath(os.path.join(here, "../../examples/python", name + ".py"))
with open(path, encoding="utf-8") as file:
    lines = file.read().count("\n")
if lines > LINES_MOST:
    sys.exit(f"{path}: {lines} lines; an example has at most {LINES_MOST}")

why = mpi_of_another_kind()
if why:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)
if name == "spawned_workers":
    try:
        from mpi4py import MPI
    except ModuleNotFoundError as missing:
        print(f"skipped: no module {missing.name}")
        sys.exit(SKIPPED)
    if MPI.Get_library_version().startswith("Open MPI v5"):
        print("skipped: ranks that Open MPI 5 has started do not reach those that start them")
        sys.exit(SKIPPED)

# All ranks of a job share the folder, whose name the launcher's process decides.
own = f"deepfield-example-{name}-{os.getuid()}-{os.getppid()}"
folder = os.path.join(tempfile.gettempdir(), own)
while True:
    try:
        os.makedirs(folder, exist_ok=True)
        os.chdir(folder)
        break
    except FileNotFoundError:  # a rank that had nothing to do has just removed it
        pass
sys.argv = [path]
try:
    runpy.run_path(path, run_name="__main__")
except ModuleNotFoundError as missing:
    print(f"skipped: no module {missing.name}")
    sys.exit(SKIPPED)
except Exception as failure:
    if type(failure).__name__ not in ("NoDeviceError", "CUDARuntimeError"):
        raise
    print(f"skipped: {failure}")
    sys.exit(SKIPPED)
finally:
    os.chdir("/")
    try:
        for left in os.listdir(folder):
            if os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "0")) == "0":
                os.unlink(os.path.join(folder, left))
        os.rmdir(folder)
    except OSError:  # another rank has done it, or is about to
        pass
