"""What a host allows each visitor: read from the environment, because every app process must know them."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import asdict, dataclass, fields

from tlmviz.errors import Error

VARIABLE = "TLMVIZ_LIMITS"  # JSON with the fields of Limits; unset where the app runs for its own user
PATIENCE = 10  # seconds that a browser may take between two pieces of what it sends or is sent
CONNECTIONS = 8  # that a browser may have for each of its tabs: six for what a page loads, and its websocket
LINK = 131_072  # bytes of a link: 10,000 characters of any script, as links write them


@dataclass(frozen=True)
class Limits:
    """What one app process allows. 0 stands for no limit."""

    sessions: int = 0  # browser tabs at once
    characters: int = 0  # of a text that is read
    seconds: float = 0  # that one press may wait and compute
    requests: int = 0  # of one address in a minute; a class may share one address
    presses: int = 0  # of one tab in a minute
    tabs: int = 0  # of one address at once; a class may share one address

    def as_json(self) -> str:
        """What VARIABLE holds."""
        return json.dumps(asdict(self))


def current() -> Limits:
    """The limits of this process. Raises Error where VARIABLE cannot be read."""
    return _read(os.environ.get(VARIABLE, ""))


@functools.cache
def _read(text: str) -> Limits:
    if not text:
        return Limits()
    names = [field.name for field in fields(Limits)]
    try:
        given = json.loads(text)
        unknown = [name for name in given if name not in names]
        if unknown or not all(isinstance(value, int | float) and value >= 0 for value in given.values()):
            raise ValueError
        return Limits(**given)
    except (ValueError, AttributeError, TypeError):
        raise Error(
            f"{VARIABLE} is {text[:100]!r}; it takes JSON with {', '.join(names)}, each 0 or more, as "
            f"{Limits(sessions=100, characters=4000).as_json()}."
        ) from None
