"""A WebSocket client of the standard library alone (RFC 6455), for tests: text and binary messages,
and bytes as they are for hostile ones."""
import base64
import os
import select
import socket
import ssl
import struct
import time
from urllib.parse import urlsplit


class Closed(Exception):
    pass


class WebSocket:
    def __init__(self, url, protocol=None, headers=None, timeout_s=60, certificate=None):
        parts = urlsplit(url)
        port = parts.port or 80
        # A bare system may not know the name that the page has.
        host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname
        self.socket = socket.create_connection((host, port), timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if parts.scheme == "wss":
            context = ssl.create_default_context(cafile=certificate)
            self.socket = context.wrap_socket(self.socket, server_hostname=parts.hostname)
        self.buffer = b""
        lines = {"Host": parts.netloc, "Upgrade": "websocket", "Connection": "Upgrade",
                 "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
                 "Sec-WebSocket-Version": "13"}
        if protocol:
            lines["Sec-WebSocket-Protocol"] = protocol
        lines.update(headers or {})
        path = parts.path + ("?" + parts.query if parts.query else "")
        request = f"GET {path} HTTP/1.1\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in lines.items() if value is not None) + "\r\n"
        self.socket.sendall(request.encode())
        head = self._until(b"\r\n\r\n")
        self.state = int(head.split(b" ", 2)[1]) if head.startswith(b"HTTP/1.1 ") else 0
        if self.state != 101:
            self.socket.close()
            raise Closed(f"HTTP {self.state}")

    def _more(self):
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise Closed("the other side has closed")
        self.buffer += piece

    def _until(self, mark):
        while mark not in self.buffer:
            try:
                self._more()
            except (Closed, ConnectionError):
                head, self.buffer = self.buffer, b""
                return head
        head, self.buffer = self.buffer.split(mark, 1)
        return head

    def _exactly(self, count):
        while len(self.buffer) < count:
            self._more()
        piece, self.buffer = self.buffer[:count], self.buffer[count:]
        return piece

    def send(self, data, opcode=None, final=True):
        if isinstance(data, str):
            data, opcode = data.encode(), 1 if opcode is None else opcode
        mask = os.urandom(4)
        length = len(data)
        head = bytes([(0x80 if final else 0) | (2 if opcode is None else opcode)])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", length)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", length)
        key = (mask * (length // 4 + 1))[:length]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(key, "big")).to_bytes(length, "big")
        self.socket.sendall(head + mask + masked)

    def send_raw(self, data):
        self.socket.sendall(data)

    def receive(self, timeout_s=60):
        """The next message: str or bytes."""
        whole = b""
        kind = None
        until_s = time.monotonic() + timeout_s
        while True:
            self.socket.settimeout(max(0.01, until_s - time.monotonic()))
            first, second = self._exactly(2)
            length = second & 127
            if length == 126:
                length = struct.unpack(">H", self._exactly(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._exactly(8))[0]
            data = self._exactly(length)
            opcode = first & 15
            if opcode == 8:
                raise Closed(f"closed with {struct.unpack('>H', data[:2])[0] if len(data) > 1 else 0}")
            if opcode == 9:
                self.send(data, 10)
                continue
            if opcode == 10:
                continue
            kind = opcode or kind
            whole += data
            if first & 0x80:
                return whole.decode() if kind == 1 else whole

    def waits(self, timeout_s):
        """Has anything come, within so many seconds?"""
        return bool(self.buffer) or bool(select.select([self.socket], [], [], timeout_s)[0])

    def close(self):
        self.socket.close()
