"""The identities tlmviz rests on, each stated once: a function that returns an error, which has to be within a
tolerance.

A page shows them as badges on what the user typed, the tests assert them, and `python -m tlmviz check <model>` runs all
that apply on any checkpoint. A file of this package is named after a chapter, or `<chapter>_<subject>`; every identity
in it is found by `registry`.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from .registry import IDENTITIES, Identity, applicable, identity, measure, run, run_all
from .result import Check

__all__ = ["IDENTITIES", "Check", "Identity", "applicable", "identity", "measure", "run", "run_all"]

for _module in sorted(module.name for module in iter_modules(__path__)):
    import_module(f"{__name__}.{_module}")
