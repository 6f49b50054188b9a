"""Shapes and types of signatures, checked at every call in the tests: jaxtyping's import hook with beartype.

A function that refuses arguments in its own words (`tlmviz.Error`) may still do so; what it would let pass is a
failure.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

import jaxtyping
import numpy as np
import torch
from beartype import BeartypeConf, beartype

ROOT = Path(__file__).parent.parent / "tlmviz"
PACKAGES = ("kernels", "layers", "caches")
MODULES = ("trace", "recording")
CHECK = beartype(conf=BeartypeConf(is_pep484_tower=True))  # a whole number may stand for a float
_jaxtyped = jaxtyping.jaxtyped
# A function's code -> the kinds of arguments that it was checked with.
PASSED: defaultdict[object, set] = defaultdict(set)


def install() -> None:
    """Check the calls of `checked_modules`, which must not have been imported yet."""
    jaxtyping.jaxtyped = jaxtyped
    jaxtyping.install_import_hook(checked_modules(), None)


def checked_modules() -> list[str]:
    """Names of the modules whose calls are checked. Triton reads the source of its kernels: those stay as they are."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    names = [path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for path in paths]
    return [f"tlmviz.{name}" for name in (*names, *MODULES) if not name.endswith(("_triton", "__init__"))]


def jaxtyped(thing=None, *, typechecker=None):
    """What the import hook puts on every function and class."""
    if thing is None:
        return jaxtyped
    if not isinstance(thing, type):
        return checked(thing)
    if dataclasses.is_dataclass(thing) and "__init__" in vars(thing):
        thing.__init__ = checked(thing.__init__)
    return thing


def checked(function):
    """The function with its arguments and result checked, once for every combination of types, shapes and dtypes.

    Its own refusal of the arguments goes first. A function inside another is made anew at every call of that one: its
    checker takes milliseconds to write, so it is written when there is something to check.
    """
    passed = PASSED[getattr(function, "__code__", function)]
    strict = functools.cache(lambda: _jaxtyped(function, typechecker=CHECK))

    @functools.wraps(function)
    def call(*args, **kwargs):
        signature = (_kinds(args), _kinds((*kwargs, *kwargs.values())) if kwargs else ())
        if signature in passed:
            return function(*args, **kwargs)
        try:
            result = strict()(*args, **kwargs)
            passed.add(signature)
            return result
        except jaxtyping.TypeCheckError:
            from tlmviz.errors import Error

            try:
                with off():
                    function(*args, **kwargs)
            except Error:
                raise
            except Exception:
                pass  # not a refusal: the types are what is wrong
            raise

    return call


def _kinds(value) -> object:
    """What a check of a value can depend on."""
    kind = type(value)
    what = _what(kind)
    if what == "array":
        return kind, value.shape, value.dtype
    if what == "several":
        return kind, *map(_kinds, value)
    return value if what == "text" else kind


@functools.cache
def _what(kind: type) -> str:
    """Which of the values that a check looks into are of a type, asked a million times a minute."""
    named = {"array": (torch.Tensor, np.ndarray), "several": (tuple, list), "text": str}
    return next((name for name, kinds in named.items() if issubclass(kind, kinds)), "")


@contextmanager
def off():
    """No checks inside."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        jaxtyping.config.update("jaxtyping_disable", before)
