"""The live view of deepfield in Jupyter, by jupyter-server-proxy.

Jupyter starts `deepfield view --serve` at the first request, on a Unix socket in a folder of this
user alone, and hands requests of whoever may use this Jupyter to it. The token stays between the
two: the program prints it into a file beside the socket, and requests get it as their cookie.

DEEPFIELD_JUPYTER has the view and options: "elephant --ranks 4".
"""
import atexit
import os
import re
import shlex
import shutil
import tempfile


class Page:
    """The served page: its socket, and the address that the program prints."""

    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="deepfield-jupyter-")
        self.socket = os.path.join(self.home, "socket")
        self.printed = os.path.join(self.home, "page")
        atexit.register(shutil.rmtree, self.home, ignore_errors=True)

    def command(self):
        words = shlex.split(os.environ.get("DEEPFIELD_JUPYTER", "")) or ["seahorse"]
        return ["sh", "-c", 'umask 077; exec "$@" >"$0"', self.printed, "deepfield", "view", "--serve",
                "--serve-address", self.socket, *words]

    def address(self):
        """Folder and token of the page; empty before it is there."""
        try:
            with open(self.printed, encoding="ascii") as file:
                found = re.search(r"^page +https?://[^/\s]+/(\w+)/\?t=(\w+)$", file.read(), re.MULTILINE)
        except OSError:
            found = None
        return found.groups() if found else ("", "")

    def headers(self):
        """What requests say to the program: a name of this machine, its own origin (that of the
        browser was checked by Jupyter), and its token in the place of all cookies."""
        return {"Host": "localhost", "Origin": "http://localhost", "Cookie": "deepfield=" + self.address()[1]}

    def enter(self, response, path):
        """Sends a browser from the root into the page's folder."""
        folder = self.address()[0]
        if path in ("", "/") and folder:
            response.code = 302
            response.headers["Location"] = folder + "/"
            response.body = b""


def setup():
    """The entry of jupyter-server-proxy, which calls functions by the names of their parameters, and
    so no methods."""
    page = Page()

    def headers():
        return page.headers()

    def enter(response, path):
        page.enter(response, path)

    return {
        "command": page.command(),
        "unix_socket": page.socket,
        "timeout": 60,
        "request_headers_override": headers,
        "rewrite_response": enter,
        "launcher_entry": {"title": "deepfield", "enabled": True},
    }
