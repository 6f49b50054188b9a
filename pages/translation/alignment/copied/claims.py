"""What the part Write or copy says about its picture, each where it is true."""

from __future__ import annotations

from math import floor

from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, first
from tlmviz.ui.language import N_, _, listed, ngettext

from ..claims import token
from .data import Data

MOST = 0.999  # what "or more" can still be said of
HALF = 0.5  # of a token's probability: what has more of it from the pointer counts as copied


def copies_the_name(data: Data) -> str | None:
    """The name comes out right, and it is the pointer's."""
    steps = data.name_steps
    if not steps or data.copied.share[steps].min() <= HALF:
        return None
    lowest = min(steps, key=lambda t: data.copied.g[t])
    return ngettext(
        "{name} is copied: its {n} token has {share} of its probability from the pointer. At {token} the gate g is "
        "{g}, and {weight} of the attention is on {looked}.",
        "{name} is copied: each of its {n} tokens has {share} or more of its probability from the pointer. At {token} "
        "the gate g is {g}, and {weight} of the attention is on {looked}.",
        len(steps),
        name=_name(data),
        share=number(least(data.copied.share[steps].min()), ".1%"),
        **_at(data, lowest),
    )


def writes_the_name(data: Data) -> str | None:
    """The name comes out right, and the pointer has no more than half of some token of it."""
    steps = data.name_steps
    if not steps or data.copied.share[steps].min() > HALF:
        return None
    least = min(steps, key=lambda t: data.copied.share[t])
    return _(
        "{name} comes out right, and not by copying alone: {token} has {share} of its probability from the pointer.",
        name=_name(data),
        token=token(data.pair.targets, least),
        share=number(float(data.copied.share[least]), ".0%"),
    )


def loses_the_name(data: Data) -> str | None:
    """The translation lacks the name."""
    if data.name_steps or not _named(data):
        return None
    return _("Here the pointer fails: the translation lacks {name}.", name=_name(data))


def twin_loses_it(data: Data) -> str | None:
    """The model without a pointer lacks the name where this one has it."""
    if not data.name_steps or data.chosen.name.strip() in data.text(data.twin):
        return None
    return _(
        "{twin}, which learned from the same sentences without a pointer, loses the name: “{text}”.",
        twin=data.twin,
        text=_text(data, data.twin),
    )


def twin_has_it(data: Data) -> str | None:
    """Both have the name, or only the one without a pointer."""
    if not _named(data) or data.chosen.name.strip() not in data.text(data.twin):
        return None
    return _("{twin}, without a pointer, gets the name right here: it spells it from its vocabulary.", twin=data.twin)


def others_are_copied(data: Data) -> str | None:
    """Words besides the name are the pointer's."""
    others = [t for t in _copied(data) if t not in data.name_steps]
    if not others:
        return None
    return _("Copied besides: {tokens}.", tokens=listed([token(data.pair.targets, t) for t in others[:4]]))


def nothing_is_copied(data: Data) -> str | None:
    """No word is the pointer's."""
    if _copied(data) or not data.words.any():
        return None
    most = int((data.copied.share * data.words).argmax())
    return _(
        "No word is copied here: the pointer's largest part is {share}, of {token}.",
        share=number(float(data.copied.share[most]), ".0%"),
        token=token(data.pair.targets, most),
    )


def writes_the_rest(data: Data) -> str | None:
    """The word that is the vocabulary's most clearly."""
    written = [t for t in range(len(data.words)) if data.words[t] and data.copied.share[t] < HALF]
    written = [t for t in written if data.copied.a[t].max() > HALF]  # else it looks nowhere in particular
    if not written:
        return None
    t = max(written, key=lambda step: data.copied.g[step])
    return _(
        "{token} is written: the gate is {g} there, and the attention ({weight} on {looked}) only says what to "
        "translate.",
        **_at(data, t),
    )


CLAIMS = (
    copies_the_name,
    writes_the_name,
    loses_the_name,
    twin_loses_it,
    twin_has_it,
    others_are_copied,
    nothing_is_copied,
    writes_the_rest,
)
HINTS = (Hint(N_("Type another *Name*."), first(name="Tom")),)


def least(share: float) -> float:
    """A share of which it is true to say that something has so much or more, in tenths of a percent."""
    return min(floor(1000 * float(share)) / 1000, MOST)


def _at(data: Data, t: int) -> dict[str, str]:
    """A step's token, its gate, and where it looks most."""
    at = data.looks[t]
    return {
        "token": token(data.pair.targets, t),
        "g": number(float(data.copied.g[t]), ".2f"),
        "weight": number(float(data.copied.a[t, at]), ".0%"),
        "looked": token(data.pair.source, at),
    }


def _copied(data: Data) -> list[int]:
    return [t for t in range(len(data.words)) if data.words[t] and data.copied.share[t] > HALF]


def _named(data: Data) -> bool:
    """Whether the sentence holds a name that could be lost."""
    return bool(data.chosen.name.strip()) and data.chosen.name in data.chosen.read


def _name(data: Data) -> str:
    return f"“{markdown.plain(data.chosen.name.strip())}”"


def _text(data: Data, name: str) -> str:
    return markdown.plain(data.text(name)) or _("(nothing)")


def written(data: Data, name: str) -> str:
    """A model and what it writes."""
    return f"**{name}**: {_text(data, name)}"


def missing() -> str:
    """What there is to do without the models."""
    return _(
        "This needs a translation model with a pointer and its twin without one, and this installation lacks them. "
        "`python -m tlmviz.training eng-fra-copy --data DIR` trains the first, eng-fra-copy-plain is the second."
    )


NOTICE = (
    N_(
        "Each bar is the probability of a written token. Blue comes from the vocabulary, as in every other "
        "translator; orange is attention on the places where the same token stands in the English sentence. The "
        "gate decides how much each may give."
    ),
    N_(
        "A name that no model saw is cut into pieces that all of them know. Copying goes piece by piece: each step "
        "looks at the next piece of the name."
    ),
    N_(
        "While both models learned, other names stood in the sentences in every pass, made up of syllables and "
        "letters and the same on both sides. So the twin, too, learned to spell a name piece by piece from its "
        "vocabulary."
    ),
    N_(
        "Logged: of 471 held-out sentences with an invented name eng-fra-copy gets it right in 89%, its twin in "
        "81% and eng-fra-additive, which saw no such names, in 0.4%; with real names that it never saw, 79%, 66% "
        "and 0% of 138 (one seed each)."
    ),
)


MATHS = (
    N_(
        "The notes have the mixture for a language model, with a sentinel for the gate (section 7.2.4). In a "
        "translator the pointer's weights are the attention itself, and g is a sigmoid of context, state and last "
        "token (See et al. 2017)."
    ),
)
