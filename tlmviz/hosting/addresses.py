"""Who asks: the address of a visitor, as far as servers before this one are believed."""

from __future__ import annotations

import contextlib
import ipaddress
import re
from collections.abc import Iterable, Mapping
from typing import Any

LOOPBACK = ("127.0.0.1", "::1")
MAPPED = "::ffff:"  # begins an IPv4 address at a socket that takes both kinds
BELIEVED = "FORWARDED_ALLOW_IPS"  # uvicorn's own variable: servers before it whose word on who asks is believed
HOUSEHOLD, SITE = 64, 48  # bits of the IPv6 networks of a household at least, and of a site at most
HOSTS = "TLMVIZ_HOSTS"  # names, beside localhost, by which alone the app may be asked
LOCAL = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")  # a header Host


def address(scope: Mapping[str, Any]) -> str:
    """Who asks. uvicorn has put in what the server before us names, where that one is believed (`believed`)."""
    return str((scope.get("client") or ("",))[0]).removeprefix(MAPPED)


def counted(address: str, bits: int = HOUSEHOLD) -> str:
    """What limits count an address as: of IPv6 the network of so many bits that it is in."""
    address = address.removeprefix(MAPPED)
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(address).version == 6:
            return str(ipaddress.ip_interface(f"{address.partition('%')[0]}/{bits}").network)
    return address


def believed(proxies: Iterable[str] = ()) -> str:
    """What BELIEVED holds for this machine and these addresses and networks."""
    networks = [ipaddress.ip_network(each) for each in (*LOOPBACK, *proxies)]
    mapped = [f"{MAPPED}{each.network_address}/{96 + each.prefixlen}" for each in networks if each.version == 4]
    return ",".join([*map(str, networks), *mapped])


def is_local(scope: Mapping[str, Any]) -> bool:
    """Whether this machine asks, by its own name: a server before us that does not say who asks is asked by another
    one."""
    return address(scope) in LOOPBACK and LOCAL.fullmatch(header(scope, b"host")) is not None


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """The first header of this name, in small letters; empty where there is none."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
