"""Packages that only an extra of pyproject.toml brings: what needs one says which to install."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import MissingExtra


def require(package: str, extra: str, what: str) -> None:
    """Raise MissingExtra where `package`, which the extra of that name brings and `what` needs, is not installed."""
    if find_spec(package) is None:
        raise MissingExtra(
            '{what} needs {package}, which is not installed here; run `pip install "tlmviz[{extra}]"`.',
            what=what,
            package=package,
            extra=extra,
        )
