"""Who asks: this machine by its own name, and what servers that are believed say, at sockets of both kinds."""

import pytest
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from tlmviz.hosting import addresses


@pytest.mark.parametrize(
    "client, host, local",
    [
        ("127.0.0.1", "localhost:8501", True),
        ("127.0.0.1", "127.0.0.1:8501", True),
        ("::1", "[::1]:8501", True),
        ("10.0.0.1", "localhost:8501", False),
        ("127.0.0.1", "attention.example.org", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "localhost.example.org", False),
        ("127.0.0.1", "[", False),
        ("", "localhost", False),
        ("::ffff:127.0.0.1", "localhost", True),
    ],
)
def test_this_machine_asks_from_and_for_itself(client, host, local):
    scope = {"client": (client, 1), "headers": [(b"host", host.encode())]}
    assert addresses.is_local(scope) is local


@pytest.mark.parametrize(
    "address, as_what",
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8:0:7::1", "2001:db8:0:7::/64"),
        ("2001:db8:0:7:1:2:3:4", "2001:db8:0:7::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_limits_count_a_household(address, as_what):
    assert addresses.counted(address) == as_what


def test_who_is_believed_is_so_at_sockets_of_both_kinds():
    trusted = ProxyHeadersMiddleware(None, addresses.believed(["10.0.0.7", "10.1.0.0/16", "fd00::/8"])).trusted_hosts
    for each in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.7", "::ffff:10.0.0.7", "::ffff:10.1.2.3", "fd00::1"):
        assert each in trusted
    for each in ("10.0.0.8", "::ffff:10.0.0.8", "::ffff:10.2.0.1", "fe00::1", ""):
        assert each not in trusted
