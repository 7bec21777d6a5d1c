"""`python -m deepfield ...` is the program `deepfield ...`."""

import os
import sys

from ._library import program

if __name__ == "__main__":
    path = program()
    if path is None:
        sys.exit("deepfield: the program was not found: set DEEPFIELD_PROGRAM to its path")
    os.execv(path, [path, *sys.argv[1:]])
