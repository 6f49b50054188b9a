"""What the page Start says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.tokens import is_piece
from tlmviz.ui import fetching, markdown
from tlmviz.ui.language import N_, _, ngettext
from tlmviz.ui.looking import hangs

from .data import FINDER, HELD_OUT, MODEL, Data


def asks(data: Data) -> str | None:
    """What the first head's row goes to is a visitor's to guess first, where it is one word."""
    if not _asked(data):
        return None
    return _(
        "**Where does the model look?** Once it has read “{query}”, one head of it gives most of its attention to a "
        "single earlier word. Tap the word that you think it is.",
        query=_word(data, _most(data)[0]),
    )


def expects(data: Data) -> str | None:
    """The first head's row goes to one word for the most part, and the model expects that word again."""
    row, key, weight = _most(data)
    if _asked(data) or not _looks_back(data) or not data.expects(row, key):
        return None
    told = _(
        "After “{query}” the model expects “{key}”, with {likely}, and a head of it looks back at just {that}: the "
        "“{key}” before gets {weight} of its attention.",
        query=_word(data, row),
        key=_word(data, key),
        likely=number(data.expected[row].p, ".0%"),
        weight=number(weight, ".0%"),
        that=_(_kind(data, key)),
    )
    head = data.heads[FINDER]
    return f"{told} {hangs(MODEL, data.chosen.text, (head.layer, head.head), data.places[row].stop - 1)}"


def finds(data: Data) -> str | None:
    """The first head's row goes to one word for the most part, which is not what the model expects next."""
    row, key, weight = _most(data)
    if _asked(data) or not _looks_back(data) or data.expects(row, key):
        return None
    return _(
        "Reading “{query}”, one head of the model looks back at “{key}”, which gets {weight} of its attention.",
        query=_word(data, row),
        key=_word(data, key),
        weight=number(weight, ".0%"),
    )


def spreads(data: Data) -> str | None:
    """The first head's row goes to several words, or to the word itself."""
    row, key, weight = _most(data)
    if _looks_back(data):
        return None
    named = f"“{_word(data, key)}”"
    if data.word(key) == data.word(row):
        named = _("itself") if key == row else _("an earlier {word}", word=named)
    return _(
        "Reading “{query}”, one head of the model gives {key} more of its attention than any other word: {weight}.",
        query=_word(data, row),
        key=named,
        weight=number(weight, ".0%"),
    )


def shortened(data: Data) -> str | None:
    """A long text is not shown whole."""
    shown = data.places[-1].stop
    if data.length == shown:
        return None
    return _(
        "Only the first {tokens} of {length} tokens are shown here; the Attention explorer of {model} shows all.",
        tokens=shown,
        length=f"{data.length:,}",
        model=MODEL,
    )


def unlike(data: Data) -> str | None:
    """The sentence costs three times what held-out stories do, or more: which model knows more."""
    times = data.cost / HELD_OUT
    if times < 3:
        return None
    said = _(
        "**Unlike its stories**: this text costs the model {bits} bits per byte, {times} times what held-out stories "
        "do.",
        bits=number(data.cost, ".2f"),
        times=number(times, ".1f"),
    )
    if data.bytes:
        said += " " + ngettext(
            "{n} of its {all} tokens is a part of a character.",
            "{n} of its {all} tokens are parts of characters.",
            data.bytes,
            all=data.length,
        )
    way = _(
        "SmolLM2 has read far more than stories: in the Attention explorer, {way}.", way=fetching.way_to("smollm2-135m")
    )
    return f"{said} {way}"


CLAIMS = (asks, expects, finds, spreads, shortened, unlike)


def _most(data: Data) -> tuple[int, int, float]:
    """The first head's row, the word that it gives most to, and how much."""
    head = data.heads[FINDER]
    key = int(head.weights[head.row].argmax())
    return head.row, key, float(head.weights[head.row, key])


def _asked(data: Data) -> bool:
    return not data.chosen.guessed and _looks_back(data)


def _looks_back(data: Data) -> bool:
    """Whether most of the row goes to one earlier word."""
    row, key, weight = _most(data)
    return key != row and weight >= 0.5


def _kind(data: Data, position: int) -> str:
    """What a token is: a word, a piece of one, or a sign."""
    if is_piece(data.tokens, position):
        return N_("that piece of a word")
    return N_("that word") if data.tokens[position].strip().isalpha() else N_("that sign")


def _word(data: Data, position: int) -> str:
    return markdown.plain(data.word(position))


NOTICE = (
    N_("Weights are shares: what a word gives to itself and to earlier words adds up to 100%."),
    N_(
        "Each picture of a chapter is drawn from a model, on your sentence where the chapter reads sentences. "
        "Click one to go there."
    ),
)
