"""What the page Start says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.figures import number, readable
from tlmviz.ui import markdown
from tlmviz.ui.language import _

from .data import FINDER, MODEL, Data


def finds(data: Data) -> str | None:
    """The first head's row goes to one word for the most part."""
    key, weight = _most(data)
    if key == data.heads[FINDER].row or weight < 0.5:
        return None
    return _(
        "Reading “{query}”, one head of the model looks back at “{key}”: that word gets {weight} of its attention.",
        query=_word(data, data.heads[FINDER].row), key=_word(data, key), weight=number(weight, ".0%"),
    )  # fmt: skip


def spreads(data: Data) -> str | None:
    """The first head's row goes to several words, or to the word itself."""
    key, weight = _most(data)
    if key != data.heads[FINDER].row and weight >= 0.5:
        return None
    return _(
        "Reading “{query}”, one head of the model gives “{key}” most of its attention of any word: {weight}.",
        query=_word(data, data.heads[FINDER].row), key=_word(data, key), weight=number(weight, ".0%"),
    )  # fmt: skip


def shortened(data: Data) -> str | None:
    """A long text is not shown whole."""
    if data.length == len(data.tokens):
        return None
    return _(
        "Only the first {tokens} of {length} tokens are shown here; the Attention explorer of {model} shows all.",
        tokens=len(data.tokens), length=f"{data.length:,}", model=MODEL,
    )  # fmt: skip


CLAIMS = (finds, spreads, shortened)


def _most(data: Data) -> tuple[int, float]:
    head = data.heads[FINDER]
    key = int(head.weights[head.row].argmax())
    return key, float(head.weights[head.row, key])


def _word(data: Data, position: int) -> str:
    return markdown.plain(readable(data.tokens[position]).lstrip("␣") or "␣")


def notice() -> tuple[str, ...]:
    """What holds of the picture's parts in any state."""
    return (
        _("Weights are shares: what a word gives to itself and to earlier words adds up to 100%."),
        _(
            "Each picture of a chapter is drawn from a model, on your sentence where the chapter reads sentences. Click one to "
            "go there."
        ),
    )
