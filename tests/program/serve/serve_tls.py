"""The served page and the status feed over TLS, with a certificate that this test makes.

usage: serve_tls.py PROGRAM FOLDER
"""
import os
import shutil
import socket
import ssl
import subprocess
import sys
import urllib.request

import browser
from service import Service, port_free

SIZE = ("--size", "160x120")


def expect(true, what):
    if not true:
        raise SystemExit(f"not so: {what}")


def made(folder, name, days="2"):
    """A key, and a certificate for localhost that it signed itself."""
    certificate, key = os.path.join(folder, name + ".pem"), os.path.join(folder, name + ".key")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", certificate,
                    "-days", days, "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    os.chmod(key, 0o600)
    return certificate, key


def refused(program, certificate, key, *sentences, port="8042"):
    words = [program, "view", "seahorse", "--serve", port]
    words += ["--serve-certificate", certificate] if certificate else []
    words += ["--serve-key", key] if key else []
    run = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False,
                         stdin=subprocess.DEVNULL)
    expect(run.returncode != 0, f"refused: {certificate} {key}")
    for sentence in sentences:
        expect(sentence in run.stderr, f"'{sentence}' in '{run.stderr}'")


def files(program, folder, certificate, key):
    """What is wrong with the files is said, with the file and what would be right."""
    refused(program, certificate, None, "--serve-key FILE")
    refused(program, None, key, "--serve-certificate FILE")
    refused(program, certificate, key, "it is for --serve and --status-port", port="0")
    gone = os.path.join(folder, "gone")
    refused(program, gone, key, "--serve-certificate", gone, "No such file")
    refused(program, certificate, gone, "--serve-key", gone, "No such file")
    refused(program, folder, key, "--serve-certificate", folder)
    refused(program, key, key, "no certificate in PEM")
    refused(program, certificate, certificate, "no private key in PEM")
    other = made(folder, "other")[1]
    refused(program, certificate, other, other, certificate, "is not the key of the certificate")
    damaged = os.path.join(folder, "damaged.pem")
    with open(damaged, "w", encoding="ascii") as file:
        file.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    refused(program, damaged, key, "damaged")
    for mode in (0o644, 0o640, 0o604, 0o660):
        os.chmod(key, mode)
        if not (mode == 0o640 and os.stat(key).st_uid == 0):
            refused(program, certificate, key, f"mode {mode:03o}", "chmod 600")
    os.chmod(key, 0o600)
    locked = os.path.join(folder, "locked.key")
    subprocess.run(["openssl", "pkcs8", "-topk8", "-in", key, "-passout", "pass:x", "-out", locked],
                   check=True, capture_output=True)
    os.chmod(locked, 0o600)
    refused(program, certificate, locked, "has a passphrase", "openssl pkey")


def hello(service, version):
    """The answer to a ClientHello of RFC 5246 or before, whose newest version is this one: an alert
    has type 0x15, a ServerHello 0x16. No library of this machine has to speak that version."""
    extensions = bytes.fromhex("000a000400020017" "000b00020100" "000d000400020403")
    ciphers = bytes.fromhex("c02bc00ac009")  # ECDHE with ECDSA: AES-GCM, AES-CBC with SHA-1
    body = (version.to_bytes(2, "big") + os.urandom(32) + b"\0" + len(ciphers).to_bytes(2, "big") +
            ciphers + b"\1\0" + len(extensions).to_bytes(2, "big") + extensions)
    message = b"\1" + len(body).to_bytes(3, "big") + body
    with socket.create_connection(("127.0.0.1", service.port), 10) as plain:
        plain.sendall(b"\x16\x03\x01" + len(message).to_bytes(2, "big") + message)
        return plain.recv(4096)


def handshakes(service):
    """Neither plain text, nor old TLS, nor HTTP/2."""
    with socket.create_connection(("127.0.0.1", service.port), 10) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            answer = plain.recv(4096)
        except ConnectionError:
            answer = b""
        expect(not answer.startswith(b"HTTP"), f"no answer in plain text: {answer}")
    context = ssl.create_default_context(cafile=service.certificate)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with socket.create_connection(("127.0.0.1", service.port), 10) as plain, \
            context.wrap_socket(plain, server_hostname="localhost") as hidden:
        expect(hidden.selected_alpn_protocol() == "http/1.1", "HTTP/1.1 alone")
    for version, sentence in ((0x0302, "no TLS 1.1"), (0x0301, "no TLS 1.0")):
        answer = hello(service, version)
        expect(answer[:1] == b"\x15" and answer[5:7] == b"\x02\x46", f"{sentence}: {answer}")
    answer = hello(service, 0x0303)
    expect(answer[:1] == b"\x16" and answer[5:6] == b"\x02", f"TLS 1.2 by the same bytes: {answer}")


def half(service):
    """Clients that begin a handshake and say no more delay nobody."""
    idle = []
    for _ in range(20):
        one = socket.create_connection(("127.0.0.1", service.port), 10)
        one.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        idle.append(one)
    for data in (b"\x16\x03\x01\xff\xff" + b"\xff" * 70000, b"\x15\x03\x03\x00\x02\x02\x28",
                 os.urandom(3000)):
        with socket.create_connection(("127.0.0.1", service.port), 10) as one:
            try:
                one.sendall(data)
            except ConnectionError:
                pass
    client = service.connect()
    client.until(lambda c: c.exact)
    client.close()
    for one in idle:
        one.close()


def page(service):
    state, headers, body = service.get(query="?t=" + service.token(service.page))
    headers = {name.lower(): value for name, value in headers.items()}
    expect(state == 200 and b"<canvas" in body, "the page")
    expect("Secure" in headers["set-cookie"] and "HttpOnly" in headers["set-cookie"],
           f"a cookie for https alone: {headers['set-cookie']}")
    expect("strict-transport-security" not in headers, "other ports of this name stay as they are")
    expect(service.get()[0] == 403, "403 without a token")
    expect(service.page.startswith("https://localhost:"), service.page)
    expect(service.watch.startswith("https://localhost:"), service.watch)


def shown(service):
    """In a browser, where there is one: the socket is encrypted, and the picture comes."""
    if browser.program() is None:
        print("no Chromium here: not looked at in a browser")
        return
    window = browser.Browser("--ignore-certificate-errors")
    try:
        tab = window.page(160, 120)
        tab.go(service.page)
        tab.until("deepfield.view.exact", 120)
        expect(tab.evaluate("location.protocol") == "https:" and not tab.errors,
               f"the browser complains: {tab.errors}")
    finally:
        window.close()


def feed(certificate, port):
    context = ssl.create_default_context(cafile=certificate)
    with urllib.request.urlopen(f"https://127.0.0.1:{port}/status.json", timeout=20,
                                context=context) as answer:
        expect(b"health" in answer.read(), "the status feed")


def main(program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, 0o700)
    certificate, key = made(folder, "own")
    files(program, folder, certificate, key)
    status_port = port_free()
    service = Service(program, *SIZE, "--serve-certificate", certificate, "--serve-key", key,
                      "--status-port", str(status_port), certificate=certificate)
    try:
        page(service)
        handshakes(service)
        half(service)
        feed(certificate, status_port)
        shown(service)
        expect(service.alive(), "the server goes on")
    finally:
        code = service.end()
    expect(code in (0, 143), f"SIGTERM ends it with {code}")


if __name__ == "__main__":
    if not shutil.which("openssl"):
        print("skipped: no openssl here")
        sys.exit(77)
    main(*sys.argv[1:])
