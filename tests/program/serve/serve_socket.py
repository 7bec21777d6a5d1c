"""The served page on a Unix socket: who may make one where, and that it answers as a port does.

usage: serve_socket.py PROGRAM
"""
import os
import socket
import subprocess
import sys
import tempfile

from service import Service


def expect(true, what):
    if not true:
        raise SystemExit(f"not so: {what}")


def answer(path, target, *lines):
    with socket.socket(socket.AF_UNIX) as plain:
        plain.settimeout(20)
        plain.connect(path)
        head = [f"GET {target} HTTP/1.0", "Host: localhost", *lines, "", ""]
        plain.sendall("\r\n".join(head).encode())
        found = b""
        while more := plain.recv(65536):
            found += more
        return found


def refused(program, path, sentence):
    run = subprocess.run([program, "view", "seahorse", "--serve", "8042", "--serve-address", path],
                         capture_output=True, text=True, timeout=60, check=False)
    expect(run.returncode != 0 and sentence in run.stderr, f"'{sentence}' in '{run.stderr}'")


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page")
        stale = socket.socket(socket.AF_UNIX)  # a server that was killed leaves its name
        stale.bind(path)
        stale.close()
        service = Service(program, "--size", "160x120", "--serve-address", path, port=8042)
        try:
            target = "/" + service.page.split("/", 3)[3]
            expect(b" 200 " in answer(path, target)[:20], "the page, with its token")
            expect(b" 403 " in answer(path, "/")[:20], "403 without")
            expect(b" 403 " in answer(path, target.split("?")[0])[:20], "403 without the token")
            refused(program, path, "a server listens there")
        finally:
            code = service.end()
        expect(code in (0, 143) and not os.path.exists(path), f"its name is gone at the end ({code})")
        service = Service(program, "--size", "160x120", "--serve-address", os.path.relpath(path),
                          port=8042)
        try:
            expect(f":{os.path.realpath(path)} " in service.elsewhere,
                   f"the whole path in '{service.elsewhere}'")
            os.rename(path, path + ".gone")  # keeps its number from the next one
            other = socket.socket(socket.AF_UNIX)
            other.bind(path)
            other.listen()
        finally:
            service.end()
        expect(os.path.exists(path), "a socket of another server stays")
        other.close()
        file = os.path.join(folder, "file")
        with open(file, "w", encoding="utf-8") as stream:
            stream.write("kept")
        refused(program, file, "it is no socket")
        with open(file, encoding="utf-8") as stream:
            expect(stream.read() == "kept", "a file stays as it is")
        os.chmod(folder, 0o750)
        refused(program, path, "of this user alone")
        refused(program, "/" + "a" * 150, "at most 107 characters")


if __name__ == "__main__":
    main(*sys.argv[1:])
