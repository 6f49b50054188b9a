"""`tlmviz serve`: the app for a class or a public demo, in several processes behind one address."""

from __future__ import annotations

import argparse
import ipaddress
import os
import sys
from dataclasses import fields

from tlmviz.errors import Error
from tlmviz.hosting.limits import Limits
from tlmviz.hosting.server import host_of, port_is_free, require_address, require_app

PORT = 8501
LIMITS = tuple(field.name for field in fields(Limits))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many processes, where, and what each visitor is allowed."""
    cores = os.cpu_count() or 1
    parser.add_argument(
        "--processes", type=int, default=cores, metavar="K", help=f"app processes; one per core ({cores})"
    )
    parser.add_argument("--port", type=int, default=PORT, help=f"the port to serve at ({PORT})")
    parser.add_argument(
        "--bind", metavar="ADDRESS", default="", help="the address to listen at; all of this machine's unless given"
    )
    parser.add_argument(
        "--name", "--host", dest="host", metavar="NAME", default="", help="the name by which visitors reach this server"
    )
    parser.add_argument(
        "--proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="a server before this one, or a network of them, that says in X-Forwarded-For who asks; may be repeated",
    )
    limits = parser.add_argument_group("limits; 0 stands for none")
    limits.add_argument("--sessions", type=int, default=500, help="browser tabs at once, in all (500)")
    limits.add_argument("--characters", type=int, default=10_000, help="of a text that is read (10000)")
    limits.add_argument("--seconds", type=float, default=45, help="a press may wait and compute (45)")
    limits.add_argument(
        "--requests", type=int, default=6000, help="of one address in a minute; a class may share one (6000)"
    )
    limits.add_argument("--presses", type=int, default=600, help="of one tab in a minute (600)")
    limits.add_argument("--tabs", type=int, default=300, help="of one address at once; a class may share one (300)")


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if not 1 <= options.processes <= 64:
        raise Error(f"{options.processes} processes cannot be served; choose from 1 to 64, one per core.")
    if not 0 < options.port < 65536:
        raise Error(f"{options.port} is no port; choose a number from 1 to 65535.")
    if options.bind:
        require_address(options.bind)
    if not port_is_free(options.port, options.bind):
        raise Error(f"Port {options.port} is in use; choose another one with --port.")
    proxies = tuple(map(_network, options.proxy))
    given = {name: getattr(options, name) for name in LIMITS}
    if min(given.values()) < 0:
        raise Error(f"A limit is {min(given.values())}; limits are 0, for none, or more.")
    require_app()  # before what it needs is imported
    from tlmviz.hosting.process_pool import ProcessPool

    # Visitors are spread over the processes.
    given |= {name: -(-given[name] // options.processes) for name in ("sessions", "tabs")}
    pool = ProcessPool(options.processes, options.port, Limits(**given), options.host, options.bind, proxies)
    try:
        pool.start()
        print(
            f"{options.processes} processes at http://{host_of(options.bind)}:{options.port}, /health and /metrics "
            "there; Ctrl+C ends them.",
            file=sys.stderr,
            flush=True,
        )
        pool.run()
    finally:
        pool.stop()
    return 0


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError:
        raise Error(
            f"{text!r} is no address; --proxy takes one, such as 10.0.0.7, or a network, such as 10.0.0.0/24."
        ) from None
