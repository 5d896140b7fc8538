"""The local server, spoken to over its socket."""

import http.client
import socket
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path
from threading import Thread

import pytest

from paceline.app.server import CONTENT_SECURITY_POLICY, HEADERS, LocalServer
from paceline.app.site import Site
from paceline.errors import BadValue


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    folder: Path = tmp_path_factory.mktemp("page")
    (folder / "index.html").write_text("the page")
    with LocalServer(Site(folder, live=False), 0) as running:
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def request(server: LocalServer, method: str = "GET", path: str = "/", **headers: str) -> tuple[HTTPResponse, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    try:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response, response.read().decode()
    finally:
        connection.close()


def test_the_page_with_its_headers(server: LocalServer) -> None:
    response, body = request(server)
    assert (response.status, body) == (200, "the page")
    assert {name: response.getheader(name) for name in HEADERS} == HEADERS
    assert response.getheader("Content-Type") == "text/html; charset=utf-8"
    assert response.getheader("Server") == "Paceline/0.1.0"


def test_head_is_get_without_the_body(server: LocalServer) -> None:
    response, body = request(server, "HEAD")
    assert (response.status, body, response.getheader("Content-Length")) == (200, "", "8")


def test_what_a_browser_has_is_not_sent_again(server: LocalServer) -> None:
    tag = request(server)[0].getheader("ETag") or ""
    response, body = request(server, **{"If-None-Match": tag})
    assert (response.status, body) == (304, "")


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_its_own_names(server: LocalServer, name: str) -> None:
    assert request(server, Host=f"{name}:{server.server_port}")[0].status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example:{port}", "localhost", "localhost:1", "localhost.evil.example:{port}", "", ":{port}"],
)
def test_another_name_for_this_address_is_refused(server: LocalServer, host: str) -> None:
    response, body = request(server, Host=host.format(port=server.server_port))
    assert (response.status, body) == (403, f"This server answers to {server.url} only.\n")


def test_a_path_that_is_no_file(server: LocalServer) -> None:
    response, body = request(server, path="/../../etc/passwd")
    assert response.status == 404
    assert body == f"Not a file of the page, which is at {server.url}\n"
    assert response.getheader("Content-Security-Policy") == CONTENT_SECURITY_POLICY


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"])
def test_only_reading(server: LocalServer, method: str) -> None:
    response, _ = request(server, method)
    assert (response.status, response.getheader("Allow")) == (405, "GET, HEAD")


@pytest.mark.parametrize("line", [b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/x\r\n\r\n", b"\r\n"])
def test_nonsense_ends_the_connection_only(server: LocalServer, line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as connection:
        connection.sendall(line)
        assert b"Traceback" not in connection.recv(4096)
    assert request(server)[0].status == 200


def test_loopback_only(server: LocalServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_a_busy_port_is_refused_in_words(server: LocalServer) -> None:
    with pytest.raises(BadValue, match=r"port \d+: another program listens there, .* --port 0 find a free one"):
        LocalServer(server.site, server.server_port)
