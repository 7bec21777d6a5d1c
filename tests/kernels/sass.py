"""Machine code of NVIDIA GPUs from 7.0 on: kernels of object files, archives and fat binaries, their
instructions by class, and which of these are in innermost loops. Needs no cuobjdump.

An instruction has 16 bytes; its lowest 9 bits are the operation, the next 3 the form of the
operands. Object files hold fat binaries: containers of PTX and cubins, which nvcc compresses."""
import ctypes
import ctypes.util
import struct
from collections import Counter

FP64 = {0x28: "DMUL", 0x29: "DADD", 0x2A: "DSETP", 0x2B: "DFMA", 0x3F: "DMMA"}
# Conversions: bits 75 and 76 are log2 of the result's bytes, 84 and 85 of the operand's. The second
# operation of each is the one for which either has 64 bits, of integers or of doubles.
CONVERSIONS = {0x104: "F2F", 0x110: "F2F", 0x105: "F2I", 0x111: "F2I", 0x106: "I2F", 0x112: "I2F",
               0x107: "FRND", 0x113: "FRND"}
ARITHMETIC = {0x20: "FMUL", 0x21: "FADD", 0x23: "FFMA"}
FP32 = {0x08: "FSEL", 0x09: "FMNMX", 0x0B: "FSETP", **ARITHMETIC}
INTEGER = {0x02: "MOV", 0x07: "SEL", 0x0C: "ISETP", 0x10: "IADD3", 0x11: "LEA", 0x12: "LOP3",
           0x13: "IABS", 0x16: "PRMT", 0x17: "IMNMX", 0x19: "SHF", 0x1C: "PLOP3", 0x24: "IMAD",
           0x25: "IMAD.WIDE", 0x27: "IMAD.HI", 0x35: "IADD", 0x36: "VIADD", 0x46: "VIADDMNMX",
           0x48: "VIMNMX", 0x4A: "VIMNMX3"}
MEMORY = {0x82: "UMOV", 0xB9: "ULDC", 0x181: "LDG", 0x182: "LDC", 0x186: "STG", 0x1AC: "LDCU"}
NOP, BRANCH = 0x118, 0x147
BYTES = 16
CUBIN, LZ4, ZSTANDARD = 2, 0x2000, 0x8000
MAGIC = 0xBA55ED50


class Unreadable(Exception):
    """What a file has that this module does not read."""


def operation(word):
    return word & 0x1FF


def kind(word):
    """Class of an instruction."""
    code = operation(word)
    if code in CONVERSIONS:
        result, operand = word >> 75 & 3, word >> 84 & 3
        name = CONVERSIONS[code]
        wide = (name != "I2F" and operand == 3) or (name != "F2I" and result == 3)
        return "fp64" if wide else "other"
    return ("fp64" if code in FP64 else "fp32" if code in FP32 else "integer" if code in INTEGER
            else "memory" if code in MEMORY else "other")


class Kernel:
    """A kernel: its mangled name, its architecture as 90, its instructions as integers."""

    def __init__(self, name, architecture, code):
        self.name, self.architecture = name, architecture
        self.words = [int.from_bytes(code[i:i + BYTES], "little")
                      for i in range(0, len(code), BYTES)]

    def classes(self, places=None):
        words = self.words if places is None else [self.words[place] for place in places]
        return Counter(kind(word) for word in words if operation(word) != NOP)

    def target(self, place):
        """Place that the branch at a place goes to."""
        word = self.words[place]
        offset = word >> 34 & (1 << 48) - 1
        offset -= offset >> 47 << 48
        if self.architecture >= 90:
            offset = offset << 8 | word >> 16 & 0xFF
        return place + 1 + offset * 4 // BYTES

    def loops(self):
        """Innermost loops: ranges of places from the target of a branch back to that branch, which
        have no other such range within. A branch to itself ends a kernel, and is no loop."""
        back = {(self.target(place), place) for place, word in enumerate(self.words)
                if operation(word) == BRANCH and self.target(place) < place}
        return [range(first, last + 1) for first, last in sorted(back)
                if not any((a, b) != (first, last) and first <= a and b <= last for a, b in back)]

    def loop_classes(self):
        """Classes of each innermost loop; "arithmetic": fp32 sums and products."""
        counts = []
        for loop in self.loops():
            count = self.classes(loop)
            count["arithmetic"] = sum(operation(self.words[i]) in ARITHMETIC for i in loop)
            counts.append(count)
        return counts


def sections(elf):
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    rows = [struct.unpack_from("<IIQQQQIIQQ", elf, table + i * size) for i in range(count)]
    for row in rows:
        at = rows[names][4] + row[0]
        yield elf[at:elf.index(b"\0", at)].decode(), elf[row[4]:row[4] + row[5]]


def cubin_kernels(cubin, architecture):
    return [Kernel(name[len(".text."):], architecture, code)
            for name, code in sections(cubin) if name.startswith(".text.")]


def expanded(data, size):
    library = ctypes.util.find_library("zstd")
    if not library:
        raise Unreadable("it is compressed by Zstandard, and there is no libzstd")
    zstd = ctypes.CDLL(library)
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(size)
    if zstd.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data))) != size:
        raise Unreadable("its compressed machine code is damaged")
    return out.raw


def entry_kernels(data, at, head, size):
    """Kernels of an entry that is a cubin."""
    packed, architecture = struct.unpack_from("<I8xI", data, at + 16)
    flags, = struct.unpack_from("<Q", data, at + 40)
    full, = struct.unpack_from("<Q", data, at + 56)
    body = data[at + head:at + head + size]
    if flags & LZ4:
        raise Unreadable("it is compressed by LZ4, as nvcc before 12.4 does")
    return cubin_kernels(expanded(body[:packed], full) if flags & ZSTANDARD else body, architecture)


def fat_binary_kernels(data):
    at = 0
    while at + BYTES <= len(data):
        magic, _, head, size = struct.unpack_from("<IHHQ", data, at)
        if magic != MAGIC:
            raise Unreadable("it has an unknown container")
        entry, end = at + head, at + head + size
        while entry < end:
            what, _, head, size = struct.unpack_from("<HHIQ", data, entry)
            if what == CUBIN:
                yield from entry_kernels(data, entry, head, size)
            entry += head + size
        at = end + -end % 8


def object_kernels(elf):
    for name, data in sections(elf):
        if name == ".nv_fatbin":
            yield from fat_binary_kernels(data)


def archive_members(data):
    at = len(b"!<arch>\n")
    while at + 60 <= len(data):
        size = int(data[at + 48:at + 58])
        yield data[at + 60:at + 60 + size]
        at += 60 + size + size % 2


def file_kernels(path):
    """Kernels of a file; raises Unreadable."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] == b"!<arch>\n":
        for member in archive_members(data):
            if member[:4] == b"\x7fELF":
                yield from object_kernels(member)
    elif data[:4] == b"\x7fELF":
        yield from object_kernels(data)
    else:
        yield from fat_binary_kernels(data)
