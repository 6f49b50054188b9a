"""What a head's row says beside what the model expects next, and how much hangs on the head: claims of pages that show
a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tlmviz.figures import number
from tlmviz.tokens import output_names
from tlmviz.ui import compute as shared
from tlmviz.ui.language import _
from tlmviz.ui.markdown import quoted

WORK = 1e9  # tokens times parameters: about 50 ms of a processor for a pass without a head
FELT = 0.05  # of probability: with a smaller change hardly anything hangs on a head
LOOKED = 0.5  # of a head's attention


@dataclass(frozen=True)
class Look:
    """A head's row: its weights [T] from a query, and the likeliest next token with its probability."""

    model: str
    text: str
    head: tuple[int, int]
    query: int
    weights: np.ndarray
    expected: tuple[int, float]

    @property
    def followed(self) -> int | None:
        """The key that the row weighs most, where the query's token stood in front of it; None where it did not."""
        best, ids = int(self.weights.argmax()), shared.trace(self.model, self.text).ids
        return best if 0 < best <= self.query and ids[best - 1] == ids[self.query] else None

    @property
    def comes_again(self) -> bool:
        """Whether that key is what is expected next."""
        followed = self.followed
        return followed is not None and shared.trace(self.model, self.text).ids[followed] == self.expected[0]

    def said(self) -> dict[str, Any]:
        """What both sentences name."""
        assert self.followed is not None
        tokens = shared.trace(self.model, self.text).tokens
        return {
            "token": quoted(tokens[self.query], self.query),
            "key": quoted(tokens[self.followed], self.followed),
            "head": "L{}H{}".format(*self.head),
            "share": number(float(self.weights[self.followed]), ".0%"),
            "p": number(self.expected[1], ".0%"),
        }


class Looks(Protocol):
    """A page's data: of the row that it shows, or None where it shows none that a next token follows."""

    @property
    def look(self) -> Look | None: ...


def comes_again(data: Looks) -> str | None:
    """The head looks at what followed the token last time, and the model expects that again; what hangs on that
    head."""
    if (look := data.look) is None or not look.comes_again:
        return None
    told = _(
        "{token} has been here before. Head {head} gives {share} of its attention to what followed it then, {key}, "
        "which the model expects again, with {p}.",
        **look.said(),
    )
    rest = hangs(look.model, look.text, look.head, look.query)
    return told + " " + rest if rest else told


def comes_again_in_vain(data: Looks) -> str | None:
    """The head looks at what followed the token last time, and the model expects something else."""
    if (look := data.look) is None or look.followed is None or look.comes_again:
        return None
    return _(
        "{token} has been here before. Head {head} gives {share} of its attention to what followed it then, {key}; the "
        "model expects {next} now, with {p}.",
        **look.said(),
        next=_name(look.model, look.expected[0]),
    )


def looks_too(data: Looks) -> str | None:
    """Another head that looks at the same key, and what hangs on that one."""
    if (look := data.look) is None or not look.comes_again:
        return None
    rows = shared.trace(look.model, look.text).row(look.query)  # [L, H, S]
    shares = rows[..., look.followed] * (rows.argmax(-1) == look.followed)
    shares[look.head] = 0.0
    layer, head = divmod(int(shares.argmax()), shares.shape[1])
    said = hangs(look.model, look.text, (layer, head), look.query)
    if not said or shares[layer, head] < LOOKED:
        return None
    share = number(float(shares[layer, head]), ".0%")
    told = _("**L{layer}H{head} looks there too**, with {share}.", layer=layer, head=head, share=share)
    return told + " " + said


def hangs(model: str, text: str, head: tuple[int, int], query: int) -> str:
    """How much of the likeliest next token's probability hangs on a head: measured without it; "" where that takes
    long."""
    lm, trace = shared.model(model), shared.trace(model, text)
    if len(trace) * lm.n_parameters > WORK:
        return ""
    p, left = trace.probabilities(query), shared.trace(model, text, (head,)).probabilities(query)
    before, after = int(p.argmax()), int(left.argmax())
    change = float(left[before] - p[before])
    said = {"p": number(float(left[before]), ".0%"), "token": _name(model, before), "next": _name(model, after)}
    if after != before:
        return _("Without this head it expects {next} instead, and {token} with {p}.", **said)
    if abs(change) < FELT:
        return _("This head merely looks: without it {p} are left.", **said)
    return _("Without this head the model gives {p}.", **said)


def _name(model: str, token: int) -> str:
    return quoted(output_names(shared.model(model).tokenizer, [token])[0])
