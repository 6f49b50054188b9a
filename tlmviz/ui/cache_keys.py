"""Keys of Streamlit's caches, made in a tenth of the time where the arguments are plain: a press asks a cache a hundred
times.

Streamlit (1.67) looks at the function's signature and walks through each argument's name and value, for each argument
anew.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from typing import Any

from streamlit.runtime.caching import cache_utils

PLAIN = {str, bytes, int, float, bool, type(None)}
_streamlits = cache_utils._make_value_key


class _NotPlain(Exception):
    """An argument that only Streamlit makes a key of."""


def quicken() -> None:
    """Let the caches of this process make them so."""
    cache_utils._make_value_key = _key


def _key(
    cache_type: Any, func: Callable[..., Any], func_args: tuple[Any, ...], func_kwargs: dict[str, Any], hash_funcs: Any
) -> str:
    """A key of the arguments alone, as a function has a cache of its own."""
    try:
        if hash_funcs:
            raise _NotPlain
        written = repr((_plain(func_args), *((name, _plain(value)) for name, value in func_kwargs.items())))
    except _NotPlain:
        return _streamlits(cache_type, func, func_args, func_kwargs, hash_funcs)
    return hashlib.blake2b(written.encode(), digest_size=16).hexdigest()


def _plain(value: Any) -> Any:
    """What tells a value from all others when it is written; tuples and frozen dataclasses are walked through."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is tuple:
        return tuple(map(_plain, value))
    settings = getattr(kind, "__dataclass_params__", None)
    if settings is None or not settings.frozen:
        raise _NotPlain
    return (kind, *(_plain(getattr(value, field.name)) for field in dataclasses.fields(value)))
