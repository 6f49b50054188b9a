"""Lines of tlmviz's own code, read from the source files: pages quote them, nobody retypes them."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..errors import UnknownName


@dataclass(frozen=True)
class Source:
    """Some lines of one function, verbatim but for the common indentation; `where` names file and first line."""

    where: str
    code: str


@cache
def quote(function: Callable[..., Any], *fragments: str) -> Source:
    """The lines of a function that contain the fragments, in the order of the file.

    Raises UnknownName when a fragment is nowhere in it: the code has changed under the page.
    """
    lines, first = inspect.getsourcelines(function)
    found: list[int] = []
    for fragment in fragments:
        here = [number for number, line in enumerate(lines) if fragment in line]
        if not here:
            raise UnknownName(f"{function.__qualname__} has no line with {fragment!r} any more; quote another one.")
        found.append(here[0])
    found = sorted(set(found))
    path = function.__module__.replace(".", "/") + ".py"
    code = textwrap.dedent("".join(lines[number] for number in found)).rstrip()
    return Source(f"{path}, line {first + found[0]}, {function.__qualname__}", code)
