"""Sentences in the visitor's language, by gettext.

A sentence stands where it is said, inside `_()`, and is looked up as it stands: holes are filled afterwards, so never
an f-string inside. `N_` marks what is declared when a module is imported and looked up when it is drawn. The language
belongs to a run of the script: a cached function and the model's thread have none, and return numbers and names instead
of sentences.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

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


def _(message: str, **values: Any) -> str:
    """A sentence in the visitor's language, with `values` in its holes."""
    said = _CHOSEN.get().gettext(message) if message else ""
    return said.format(**values) if values else said


def ngettext(one: str, many: str, n: int, **values: Any) -> str:
    """A sentence for a count `n`, which is also a value, with `values` in its holes."""
    return _CHOSEN.get().ngettext(one, many, n).format(n=n, **values)


def listed(names: Sequence[str]) -> str:
    """Names as one says them: a, b and c."""
    *first, last = names
    return _("{some} and {last}", some=", ".join(first), last=last) if first else last


def N_(message: str) -> str:  # noqa: N802 (gettext's name)
    """Mark a sentence for translators that is looked up when it is drawn."""
    return message
