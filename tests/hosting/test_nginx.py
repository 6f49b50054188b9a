"""nginx's configuration, tried with its own program where that is installed; its absence is one sentence."""

import contextlib
import http.client
import http.server
import shutil
import socket
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import ClassVar

import pytest

from tlmviz.errors import Error
from tlmviz.hosting import nginx
from tlmviz.hosting.limits import LINK
from tlmviz.hosting.server import free_port

IS_HERE = bool(shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin"))
needs_nginx = pytest.mark.skipif(not IS_HERE, reason="nginx is not installed; `make test` installs it on Debian")


def test_every_process_is_named_and_visitors_stay(tmp_path):
    text = nginx.write(tmp_path / "new", 8501, ["127.0.0.1:9001", "10.0.0.2:9002"]).read_text()
    assert "server 127.0.0.1:9001 " in text and "server 10.0.0.2:9002 " in text and "listen 8501;" in text
    assert "hash $visitor consistent;" in text and "tlmviz=$request_id; Path=/; HttpOnly; SameSite=Lax$secure" in text
    assert "{" in text and "{{" not in text and text.count("{") == text.count("}")


def test_its_absence_is_one_sentence(monkeypatch):
    monkeypatch.setattr(nginx.shutil, "which", lambda *_, **__: None)
    with pytest.raises(Error, match=r"nginx .* is not installed; get it .* or serve with --processes 1\."):
        nginx.executable()


class App(http.server.BaseHTTPRequestHandler):
    """Answers with who asked and by which scheme; /slow when it is let go, /moved with the query as where to go."""

    let_go = threading.Event()
    paths: ClassVar[list[str]] = []  # of what was asked

    def do_GET(self):
        self.paths.append(self.path)
        if self.path == "/slow":
            self.let_go.wait(60)
        said = f"{self.headers['x-forwarded-for']} {self.headers['x-forwarded-proto']}".encode()
        self.send_response(200)
        if self.path.startswith("/moved?"):
            self.send_header("Location", self.path[7:] * (3 if "thrice" in self.path else 1))
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


@pytest.fixture
def before_app():
    """Starts nginx with these settings before two small apps; returns its port."""
    with contextlib.ExitStack() as stack:
        # Not in pytest's folder, into which nginx, once it is nobody, does not come.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def start(**settings):
            apps = [stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)) for _ in range(2)]
            for app in apps:
                threading.Thread(target=app.serve_forever, daemon=True).start()
                stack.callback(app.shutdown)
            App.let_go.clear()
            stack.callback(App.let_go.set)
            port = free_port()
            nginx.write(folder, port, [f"127.0.0.1:{app.server_port}" for app in apps], **settings)
            folder.chmod(0o711)
            front = nginx.start(nginx.executable(), folder)
            stack.callback(front.wait)
            stack.callback(front.terminate)
            while True:
                with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                    return port
                assert front.poll() is None, (folder / "nginx.log").read_text()

        yield start


def asked(port, path="/", **headers):
    """The status, the text and the cookie that a request gets."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    said = answer.status, answer.read().decode(), answer.headers["set-cookie"] or ""
    connection.close()
    return said


@needs_nginx
def test_its_own_program_finds_it_right(tmp_path):
    config = nginx.write(tmp_path, 8501, ["127.0.0.1:9001"], proxies=("10.0.0.7", "10.1.0.0/16"), tabs=300)
    command = [nginx.executable(), "-t", "-c", str(config), "-e", str(tmp_path / "log")]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 0 and "warn" not in said.stderr, said.stderr


@needs_nginx
def test_a_script_is_asked_for_once_whatever_stands_behind_its_name(before_app):
    port = before_app()
    App.paths.clear()
    assert {asked(port, f"/vendored/a.js?x={number}")[0] for number in range(5)} == {200}
    assert App.paths == ["/vendored/a.js?x=0"]


@needs_nginx
def test_it_listens_at_one_address_where_one_is_given(before_app):
    port = before_app(bind="127.0.0.1")
    assert asked(port)[0] == 200
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.2", port)):
        pass


@pytest.mark.parametrize("bind, listens", [("", "8501"), ("10.0.0.7", "10.0.0.7:8501"), ("fe80::1", "[fe80::1]:8501")])
def test_an_address_is_written_as_nginx_reads_it(tmp_path, bind, listens):
    text = nginx.write(tmp_path, 8501, ["127.0.0.1:9001"], bind=bind).read_text()
    assert f"    listen {listens};\n" in text


@needs_nginx
def test_a_proxy_that_is_believed_says_who_asks(before_app):
    port = before_app(proxies=("10.0.0.7",))
    assert asked(port)[1] == "127.0.0.1 http"
    assert asked(port, X_Forwarded_For="10.0.0.1")[1] == "10.0.0.1 http"
    assert asked(port, X_Forwarded_For="10.0.0.1, 10.0.0.7")[1] == "10.0.0.1 http"
    assert asked(port, X_Forwarded_For="10.0.0.1, 10.0.0.8")[1] == "10.0.0.8 http"


@needs_nginx
def test_behind_https_the_cookie_is_for_https(before_app):
    port = before_app()
    assert asked(port)[2].endswith("; Path=/; HttpOnly; SameSite=Lax")
    status, said, cookie = asked(port, X_Forwarded_Proto="https")
    assert said == "127.0.0.1 https" and cookie.endswith("; SameSite=Lax; Secure")


@needs_nginx
@pytest.mark.parametrize(
    "one, neighbour, other",
    [
        ("10.0.0.1", "10.0.0.1", "10.0.0.2"),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.1", "::ffff:10.0.0.2"),
        ("2001:db8:1:2::3", "2001:db8:1:2:9:8:7:6", "2001:db8:1:3::3"),
        ("2001:db8::3", "2001:db8::9:8:7:6", "2001:db8:0:1::3"),
    ],
)
def test_an_address_has_only_so_many_connections(before_app, monkeypatch, one, neighbour, other):
    monkeypatch.setattr(nginx, "CONNECTIONS", 2)
    port = before_app(tabs=1)
    held = [http.client.HTTPConnection("127.0.0.1", port) for _ in range(2)]
    for each in held:
        each.request("GET", "/slow", headers={"X-Forwarded-For": one})
    while asked(port, X_Forwarded_For=one)[0] == 200:  # until nginx has read both
        pass
    assert asked(port, X_Forwarded_For=neighbour)[0] == 429
    assert asked(port, X_Forwarded_For=other)[0] == 200
    App.let_go.set()
    assert [each.getresponse().status for each in held] == [200, 200]
    for each in held:
        each.close()


@needs_nginx
def test_a_request_that_is_sent_by_halves_is_let_go(before_app, monkeypatch):
    monkeypatch.setattr(nginx, "PATIENCE", 1)
    with socket.create_connection(("127.0.0.1", before_app()), timeout=60) as half:
        half.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        said = b""
        with contextlib.suppress(ConnectionResetError):
            said = half.recv(1000)
    assert b" 200 " not in said


@needs_nginx
def test_a_link_of_ten_thousand_characters_passes_there_and_back(before_app):
    port = before_app()
    for size in (4_000, 10_000, 60_000):
        assert asked(port, f"/moved?{'a' * size}")[0] == 200
    status, said, _ = asked(port, f"/moved?{'a' * LINK}")
    assert status == 414 and said.startswith(f"This link is longer than {LINK} bytes")


@needs_nginx
def test_an_answer_that_nginx_cannot_read_closes_the_app_to_nobody_else(before_app):
    port = before_app()
    for visitor in range(20):
        assert asked(port, f"/moved?thrice{'a' * 60_000}", Cookie=f"tlmviz={visitor}")[0] == 502
        assert asked(port, "/", Cookie=f"tlmviz={visitor}")[0] == 200
