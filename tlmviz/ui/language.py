"""Sentences in the visitor's language, by gettext.

A sentence stands where it is said, inside `_()`, and is looked up as it stands: holes are filled afterwards, so never
an f-string inside. `N_` marks what is declared when a module is imported and looked up when it is drawn. The language
belongs to a run of the script: a cached function and the model's thread have none, and return numbers and names instead
of sentences.
"""

from __future__ import annotations

import gettext
import re
import string
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from typing import Any, Self

from . import link

PSEUDO = "en-XA"  # English with accents on its letters: what is left without them was forgotten
LANGUAGE = link.Field("lang", "en", link.choice(("en", PSEUDO)))
ACCENTS = str.maketrans("aceginosuyzACEGINOSUYZ", "áćéǵíńóśúýźÁĆÉǴÍŃÓŚÚÝŹ")
KEPT = re.compile(r"(\{[^{}]*\}|<[^<>]*>|\$[^$]*\$|`[^`]*`|:\w+(?=\[))")  # holes, markup, formulas, code


class Pseudo(gettext.NullTranslations):
    """English with accents on the letters that have them."""

    def gettext(self, message: str) -> str:
        parts = KEPT.split(message)
        return "".join(part if KEPT.fullmatch(part) else part.translate(ACCENTS) for part in parts)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)


_CATALOGUES = {"en": gettext.NullTranslations(), PSEUDO: Pseudo()}
_CHOSEN: ContextVar[gettext.NullTranslations] = ContextVar("language", default=_CATALOGUES["en"])


def choose() -> None:
    """Take the language of this session's link; called where a run of the script or of a fragment begins."""
    _CHOSEN.set(_CATALOGUES[LANGUAGE.get()])


class Said(str):
    """A sentence that knows the values in its holes, in the order of the holes and as they are written where a hole
    says how; those of a sentence in a hole are among them. Sentences are joined by `+`."""

    values: tuple[Any, ...]

    def __new__(cls, text: str, values: Iterable[Any] = ()) -> Self:
        said = super().__new__(cls, text)
        said.values = tuple(part for value in values for part in (value.values if isinstance(value, Said) else [value]))
        return said

    def __add__(self, more: str) -> Said:
        return Said(super().__add__(more), (*self.values, *getattr(more, "values", ())))

    def format(self, *args: Any, **values: Any) -> Said:
        """The sentence with more of its holes filled."""
        return Said(super().format(*args, **values), (*self.values, *_filled(self, *args, **values)))


def _filled(message: str, *args: Any, **values: Any) -> Iterable[Any]:
    """What stands in each hole of a message, once."""
    parse = string.Formatter()
    holes = {name: spec for text, name, spec, how in parse.parse(message) if name is not None}
    for name, spec in holes.items():
        value = parse.get_field(name, args, values)[0] if name else args[0]
        yield format(value, spec) if spec else value


def _(message: str, **values: Any) -> Said:
    """A sentence in the visitor's language, with `values` in its holes."""
    said = _CHOSEN.get().gettext(message) if message else ""
    return Said(said.format(**values), _filled(message, **values)) if values else Said(said)


def ngettext(one: str, many: str, n: int, **values: Any) -> Said:
    """A sentence for a count `n`, which is its first value, with `values` in its holes."""
    said = _CHOSEN.get().ngettext(one, many, n).format(n=n, **values)
    return Said(said, (n, *_filled(many.replace("{n}", ""), n=n, **values)))


def listed(names: Sequence[str]) -> str:
    """Names as one says them: a, b and c."""
    *first, last = names
    return _("{some} and {last}", some=", ".join(first), last=last) if first else last


def N_(message: str) -> str:  # noqa: N802 (gettext's name)
    """Mark a sentence for translators that is looked up when it is drawn."""
    return message
