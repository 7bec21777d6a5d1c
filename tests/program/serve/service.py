"""`deepfield view --serve` as a process, and a client of its page without a browser."""
import json
import re
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time
import urllib.error
import urllib.request

from websocket import WebSocket


def port_free():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Service:
    def __init__(self, program, *words, view="seahorse", port=None, certificate=None):
        self.port = port or port_free()
        self.certificate = certificate
        self.process = subprocess.Popen(
            [program, "view", view, "--serve", str(self.port), "--serve-watch", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.page = self.watch = self.staff = self.screens = self.elsewhere = None
        for line in self.process.stdout:
            found = re.search(r"(https?://\S+)", line)
            if found and line.startswith("page"):
                self.page = found[1]
            elif found and line.startswith("for staff"):
                self.staff = found[1]
            elif found and line.startswith("screens"):
                self.screens = found[1]
            elif found:
                self.watch = found[1]
            if line.startswith("from elsewhere"):
                self.elsewhere = line
                break
        if not self.page:
            raise SystemExit(f"no page: {self.process.stderr.read()}")
        self.folder = self.folder_of(self.page)
        self.origin = f"{self.page.split(':')[0]}://localhost:{self.port}"

    @staticmethod
    def folder_of(url):
        """The folder of a right, by an address for it."""
        return url.split("?")[0].rsplit("/", 1)[0] + "/"

    @staticmethod
    def token(url):
        return url.split("?t=")[1]

    def get(self, path="", headers=None, query="", url=None):
        """State and headers of an answer; url: an address for the right, else the leader's."""
        folder = self.folder_of(url or self.page).replace("localhost", "127.0.0.1", 1)
        tls = self.certificate and ssl.create_default_context(cafile=self.certificate)
        lines = {"Host": f"localhost:{self.port}", **(headers or {})}
        request = urllib.request.Request(folder + path + query, headers=lines)
        try:
            with urllib.request.urlopen(request, timeout=20, context=tls) as answer:
                return answer.status, dict(answer.headers), answer.read()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read()

    def connect(self, url=None, **headers):
        url = url or self.page
        lines = {"Origin": self.origin, "Cookie": "deepfield=" + self.token(url)}
        lines.update({name.replace("_", "-"): value for name, value in headers.items()})
        folder = self.folder_of(url).replace("http", "ws", 1)
        return Client(WebSocket(folder + "socket", "deepfield", lines,
                                certificate=self.certificate))

    def end(self, how=signal.SIGTERM, timeout_s=30):
        self.process.send_signal(how)
        try:
            self.process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode

    def alive(self):
        return self.process.poll() is None


class Relay:
    """A link to a service, by a port of its own, which can be cut and is there again."""

    def __init__(self, target):
        self.target, self.port = target, port_free()
        self.listener, self.ends = None, []
        self.restore()

    def restore(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # wakes accept
        self.listener.close()
        for end in self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.ends = []

    def _accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            self.ends += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    @staticmethod
    def _carry(from_, to):
        try:
            while piece := from_.recv(65536):
                to.sendall(piece)
            to.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Client:
    """What the page does, but for pixels: takes frames and confirms them."""

    def __init__(self, socket_):
        self.socket = socket_
        self.facts = self.lists = self.place = None
        self.notes, self.frames = [], []
        self.exact = False
        self.motion = 0

    def take(self, timeout_s=30, confirm=True):
        message = self.socket.receive(timeout_s)
        if isinstance(message, str):
            value = json.loads(message)
            if value["kind"] == "note":
                self.notes.append(value["text"])
            else:
                setattr(self, value["kind"], value)
            return value
        flags, cells, sequence, motion, width, height = struct.unpack_from("<xBHIIHH", message)
        frame = {"kind": "frame", "flags": flags, "cells": cells, "sequence": sequence,
                 "motion": motion, "width": width, "height": height, "bytes": len(message),
                 "at_s": time.monotonic()}
        self.exact = bool(flags & 2)
        self.motion = motion
        self.frames.append(frame)
        if confirm:
            self.socket.send(f"shown {sequence}")
        return frame

    def until(self, true, timeout_s=60):
        end_s = time.monotonic() + timeout_s
        while not true(self):
            if time.monotonic() > end_s:
                raise SystemExit("what was waited for did not come")
            self.take(max(0.1, end_s - time.monotonic()))

    def send(self, text):
        self.socket.send(text)

    def close(self):
        self.socket.close()
