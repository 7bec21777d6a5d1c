"""The entry for jupyter-server-proxy (configs/jupyter): its command, and requests as that proxy
makes them of those of browsers.

usage: serve_jupyter.py PROGRAM CONFIGS
"""
import os
import signal
import socket
import subprocess
import sys
import time
import types


def expect(true, what):
    if not true:
        raise SystemExit(f"not so: {what}")


def answer(path, target, headers):
    """The head of an answer on the socket."""
    with socket.socket(socket.AF_UNIX) as plain:
        plain.settimeout(20)
        plain.connect(path)
        lines = [f"GET {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        plain.sendall("\r\n".join(lines).encode())
        head = b""
        while b"\r\n\r\n" not in head:
            piece = plain.recv(4096)
            if not piece:
                break
            head += piece
        return head.split(b"\r\n\r\n")[0].decode()


def listens(path):
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(path)
        return True
    except OSError:
        return False


def main(program, configs):
    sys.path.insert(0, os.path.join(configs, "jupyter"))
    import jupyter_deepfield_proxy  # pylint: disable=import-outside-toplevel,import-error
    os.environ["PATH"] = os.path.dirname(os.path.abspath(program)) + ":" + os.environ["PATH"]
    os.environ["DEEPFIELD_JUPYTER"] = "elephant --size 160x120"
    entry = jupyter_deepfield_proxy.setup()
    path = entry["unix_socket"]
    expect(entry["request_headers_override"]()["Cookie"] == "deepfield=", "no token before there is a page")
    process = subprocess.Popen(entry["command"], stdout=subprocess.DEVNULL)
    try:
        until_s = time.monotonic() + 60
        while not listens(path):
            expect(process.poll() is None and time.monotonic() < until_s, "it listens")
            time.sleep(0.05)
        headers = entry["request_headers_override"]()
        expect(" 403 " in answer(path, "/", {**headers, "Cookie": "a=b"}), "403 without the token")
        root = types.SimpleNamespace(code=403, headers={}, body=b"x")
        while not root.headers:  # the address is printed behind the socket
            entry["rewrite_response"](root, "/")
            time.sleep(0.01)
        expect(root.code == 302 and not root.headers["Location"].startswith("/"), f"on to {root.headers}")
        headers = entry["request_headers_override"]()
        folder = "/" + root.headers["Location"]
        expect(" 200 " in answer(path, folder, headers), "the page")
        file = types.SimpleNamespace(code=200, headers={}, body=b"x")
        entry["rewrite_response"](file, folder + "page.css")
        expect(file.code == 200 and file.body == b"x", "files stay as they are")
        expect(" 200 " in answer(path, folder + "page.css", headers), "its files")
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                   "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol": "deepfield"}
        expect(" 101 " in answer(path, folder + "socket", {**headers, **upgrade}), "its socket")
        mode = os.stat(os.path.join(os.path.dirname(path), "page")).st_mode & 0o777
        expect(mode == 0o600, f"the token is this user's alone ({mode:03o})")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    expect(not os.path.exists(path), "its name is gone at the end")


if __name__ == "__main__":
    main(*sys.argv[1:])
