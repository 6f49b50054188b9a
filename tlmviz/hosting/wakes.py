"""The server's event loop is woken once for all that was handed to it since it last looked.

Streamlit (1.67) hands two callbacks to the loop for each of the fifty messages that a press sends, and asyncio wakes it
for each by a byte through a socket: system calls by which script and loop take the interpreter from one another.
"""

from __future__ import annotations

import asyncio


def once(loop: asyncio.AbstractEventLoop) -> None:
    """Let a byte that the `loop` has not read yet stand for all that follow. A loop of another kind stays as it is."""
    if not isinstance(loop, asyncio.SelectorEventLoop):
        return
    write, read = loop._write_to_self, loop._process_self_data  # type: ignore[attr-defined]
    woken = False

    def wake() -> None:
        nonlocal woken
        if not woken:
            woken = True
            write()

    def reading(data: bytes) -> None:
        nonlocal woken
        read(data)
        # Behind the read: what was handed over before lies with what the loop does next, and needs no byte.
        woken = False

    loop._write_to_self, loop._process_self_data = wake, reading  # type: ignore[attr-defined]
