"""The local server: the page's files on loopback, to this machine's browser and to no one else."""

import errno
import os
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from paceline import __version__
from paceline.app.site import Site
from paceline.errors import BadValue

LOOPBACK = "127.0.0.1"
HTTP_PORT = 80

# The page's own policy (web/vite.config.ts), plus the one directive that a page cannot set for itself.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
    "font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS: dict[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    # These three give the page SharedArrayBuffer, by which a learner's endless loop can be interrupted.
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_PLAIN_TEXT = "text/plain; charset=utf-8"


class LocalServer(ThreadingHTTPServer):
    """A server of one site on 127.0.0.1; port 0 takes a free one."""

    daemon_threads = True
    # Elsewhere than on POSIX this option lets two programs listen on one port.
    allow_reuse_address = os.name == "posix"

    def __init__(self, site: Site, port: int) -> None:
        self.site = site
        try:
            super().__init__((LOOPBACK, port), Handler)
        except OSError as error:
            raise BadValue(f"port {port}", *_refusal(error)) from None

    @property
    def url(self) -> str:
        """The page's address."""
        return f"http://{LOOPBACK}:{self.server_port}/"

    def accepts(self, host: str) -> bool:
        """Whether a Host header names this server, so that no other site's name can be pointed at it."""
        name, colon, port = host.lower().rpartition(":") if not host.endswith("]") else (host, "", "")
        if not colon:
            name, port = host.lower(), str(HTTP_PORT)
        return name in {"localhost", LOOPBACK, "[::1]"} and port == str(self.server_port)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up is nothing to report; anything else is a fault of ours."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD with the site's files, and anything else with a sentence."""

    server: LocalServer
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """The file, or a sentence that says why not."""
        if not self.server.accepts(self.headers.get("Host", "")):
            self.send_error(HTTPStatus.FORBIDDEN, explain=f"This server answers to {self.server.url} only.")
            return
        content = self.server.site.find(self.path)
        if content is None:
            self.send_error(HTTPStatus.NOT_FOUND, explain=f"Not a file of the page, which is at {self.server.url}")
            return
        headers = {"Cache-Control": content.cache_control, "ETag": content.etag}
        if self.headers.get("If-None-Match") == content.etag:
            self._reply(HTTPStatus.NOT_MODIFIED, b"", headers)
        else:
            self._reply(HTTPStatus.OK, content.body, headers | {"Content-Type": content.mime_type})

    def do_HEAD(self) -> None:
        """What GET would answer, without the body."""
        self.do_GET()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A refusal in plain text; the base class sends its own through here too."""
        headers = {"Content-Type": _PLAIN_TEXT, "Connection": "close"}
        if code == HTTPStatus.NOT_IMPLEMENTED:
            code, explain = HTTPStatus.METHOD_NOT_ALLOWED, "This server only hands out files: GET and HEAD."
            headers["Allow"] = "GET, HEAD"
        sentence = explain or HTTPStatus(code).description or HTTPStatus(code).phrase
        self._reply(HTTPStatus(code), f"{sentence}\n".encode(), headers)

    def _reply(self, status: HTTPStatus, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in (HEADERS | headers).items():
            self.send_header(name, value)
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        """The server's name; Python's version is nobody's business."""
        return f"Paceline/{__version__}"

    def log_message(self, *_: Any) -> None:
        """Nothing: the terminal belongs to the person who started the server."""


def _refusal(error: OSError) -> tuple[str, str]:
    instead = "Choose another with --port, or let --port 0 find a free one."
    if error.errno == errno.EADDRINUSE:
        return "another program listens there, perhaps an earlier Paceline", instead
    if error.errno == errno.EACCES:
        return "this system keeps it for its administrator", instead
    return error.strerror or "the system refused it", instead
