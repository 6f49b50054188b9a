"""The app asks no other machine for anything: not where it begins, and not for a page of somebody else's."""

import http.client
import subprocess
import sys
import urllib.request

import pytest

from tlmviz.hosting import server

WATCH = """
import ipaddress, socket, sys

def is_foreign(host):
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host not in (None, "", "localhost")
    return not (address.is_loopback or address.is_unspecified)

def watch(event, given):
    # A datagram socket that is connected has sent nothing: so a machine finds its own address.
    connects = event == "socket.connect" and given[0].type == socket.SOCK_STREAM and isinstance(given[1], tuple)
    host = given[1][0] if connects else given[0] if event == "socket.getaddrinfo" else None
    if is_foreign(host):
        with open({file!r}, "a") as file:
            file.write(f"{{event}} {{host}}\\n")

sys.addaudithook(watch)
"""
SOCKET = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "Sec-WebSocket-Version": "13",
}
ELSEWHERE = {"Origin": "http://elsewhere.example"}
REBOUND = {"Host": "evil.com:8741", "Origin": "http://evil.com:8741"}
NEXT_DOOR = {"Origin": "http://127.0.0.1:1"}


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A file to which every Python process that is started writes which other machines it asks."""
    file = tmp_path / "asked.txt"
    file.touch()
    (tmp_path / "sitecustomize.py").write_text(WATCH.format(file=str(file)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return file


def test_what_asks_another_machine_is_seen(asked):
    """192.0.2.1 is nobody's: the kernel is asked without waiting, and nothing is sent."""
    code = "import socket; each = socket.socket(); each.setblocking(False); each.connect_ex(('192.0.2.1', 80))"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert asked.read_text() == "socket.connect 192.0.2.1\n"


def answered(port, path, **headers):
    """The status of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.slow
@pytest.mark.parametrize("command", [("run",), ("serve", "--processes", "1")], ids=" ".join)
def test_no_connection_leaves_this_machine_and_no_other_one_is_told_figures(command, asked):
    with server.serve([sys.executable, "-m", "tlmviz", *command]) as running:
        assert answered(running.port, "/", Accept="text/html") == 200
        for foreign in (ELSEWHERE, REBOUND, NEXT_DOOR):
            assert answered(running.port, "/_stcore/stream", **SOCKET, **foreign) == 403
        assert answered(running.port, "/_stcore/stream", **SOCKET) == 101
        assert answered(running.port, "/", **REBOUND) == 403
        if command == ("run",):  # which nobody else reaches: a proxy's word does not make it another's
            assert answered(running.port, "/", **REBOUND, X_Forwarded_For="10.0.0.1") == 403
        assert answered(running.port, "/metrics") == 200
        for path in ("/", "/health", "/nowhere"):
            headers = urllib.request.urlopen(f"http://127.0.0.1:{running.port}{path}").headers
            assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "same-origin"
        assert answered(running.port, "/metrics", Host="attention.example.org") == 403
        assert answered(running.port, "/%6detrics", X_Forwarded_For="10.0.0.1") == 403
    assert asked.read_text() == ""
