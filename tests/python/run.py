"""Runs test files of unittest, and ends with 77 where all their tests were skipped.

usage: run.py FILE.py... [NAME...]
"""

import importlib.util
import os
import signal
import sys
import unittest

SKIPPED = 77  # CTest takes this exit code as "skipped"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def load(path):
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except unittest.SkipTest as why:
        skip(why)
    return module


def mpi_of_another_kind():
    """The sentence of two MPIs in one process, which no rank survives; None: there is one."""
    if not any(name in os.environ for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK")):
        return None
    try:
        from deepfield import LibraryError, _library

        _library.mpi_check()
    except ModuleNotFoundError:
        return None
    except LibraryError as why:
        return str(why) if "two MPI" in str(why) else None
    return None


def main():
    if sys.version_info < (3, 9):
        skip(f"Python {sys.version.split()[0]} is older than 3.9")
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:0] = [here, os.path.join(here, "..", "..", "python")]
    why = mpi_of_another_kind()
    if why:
        skip(why)
    files = [word for word in sys.argv[1:] if word.endswith(".py")]
    names = [word for word in sys.argv[1:] if not word.endswith(".py")]
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    for file in files:
        module = load(file)
        suite.addTests(loader.loadTestsFromNames(names, module) if names
                       else loader.loadTestsFromModule(module))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    for _test, why in result.skipped:
        print(f"skipped: {why}")
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun and len(result.skipped) == result.testsRun:
        sys.exit(SKIPPED)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
    main()
