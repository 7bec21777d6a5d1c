"""The declarations of ctypes are those of deepfield.h."""

import ctypes
import os
import re
import unittest

from deepfield import _library, errors
from support import ROOT

HEADER = os.path.join(ROOT, "include", "deepfield", "deepfield.h")


def header():
    with open(HEADER, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def functions():
    found = {}
    for _result, name, arguments in re.findall(
            r"DEEPFIELD_API\s+([\w\s*]*?)\s*\*?\s*(deepfield_\w+)\s*\(([^;]*)\)\s*;", header()):
        depth, parts = 0, 1
        for letter in arguments:
            depth += (letter == "(") - (letter == ")")
            parts += letter == "," and depth == 0
        found[name] = 0 if arguments.strip() == "void" else parts
    return found


def members(struct):
    body = re.search(r"typedef struct " + struct + r"\s*{(.*?)}", header(), re.S).group(1)
    names = []
    for declaration in body.split(";"):
        for part in declaration.split(","):
            match = re.search(r"(\w+)\)?\s*(\[\w+\])*\s*$", part.strip())
            if match:
                names.append(match.group(1))
    return names


class Interface(unittest.TestCase):
    def test_functions_are_those_of_the_header(self):
        declared = {name: len(row[1]) for name, row in _library.FUNCTIONS.items()}
        self.assertEqual(declared, functions())

    def test_structures_have_the_members_of_the_header(self):
        for struct, name in ((_library.WorldOptions, "deepfield_world_options"),
                             (_library.ProgressStruct, "deepfield_progress"),
                             (_library.RankWorkStruct, "deepfield_rank_work"),
                             (_library.FilmOptions, "deepfield_film_options"),
                             (_library.ArrayStruct, "deepfield_array"),
                             (_library.LiveState, "deepfield_live_state"),
                             (_library.OrbitStruct, "deepfield_orbit"),
                             (_library.LiveMoments, "deepfield_live_moments"),
                             (_library.LiveRequest, "deepfield_live_request"),
                             (_library.LivePixels, "deepfield_live_pixels")):
            self.assertEqual([field[0] for field in struct._fields_], members(name), name)

    def test_every_status_has_a_class(self):
        body = re.search(r"typedef enum deepfield_status {(.*?)}", header(), re.S).group(1)
        names = re.findall(r"DEEPFIELD_(\w+)", body)
        self.assertEqual(names[0], "OK")
        for number, name in enumerate(names[1:], 1):
            word = name.replace("_", "").lower()
            words = {"io": "inputoutput", "system": "systemfailure"}
            kind = errors.CLASSES[number]
            self.assertEqual(kind.status, number)
            self.assertIn(kind.__name__.lower(), (words.get(word, word) + "error",
                                                  words.get(word, word)))

    def test_version_is_that_of_the_header(self):
        numbers = [int(re.search(rf"DEEPFIELD_VERSION_{part} (\d+)", header()).group(1))
                   for part in ("MAJOR", "MINOR")]
        self.assertEqual(tuple(numbers), _library.INTERFACE)

    def test_unknown_status_is_an_error_with_its_number(self):
        error = errors.error_of(99, "new")
        self.assertEqual((type(error), error.status, str(error)), (errors.Error, 99, "new"))
        self.assertEqual(ctypes.sizeof(_library.ArrayStruct) % 8, 0)
