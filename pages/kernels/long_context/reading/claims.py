"""What the part Text says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.kernels.far_reading import FAR
from tlmviz.figures import number, readable
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _
from tlmviz.ui.markdown import plain

from .data import Data


def _word(data: Data, at: int) -> str:
    return plain(readable(data.trace.tokens[at]))


def _head(data: Data) -> str:
    return "L{}H{}".format(*data.found.head)


def beyond_training(data: Data) -> str | None:
    """How much of the pinned word's weight lies farther back than any training text."""
    if data.beyond is None or (share := number(data.beyond, ".3f")) == "0.000":
        return None
    return _(
        "At “{word}” head {head} puts {share} of its weight on tokens {context} or more back: distances that no "
        "training text had, so nothing taught the head what to do there.",
        word=_word(data, data.query),
        head=_head(data),
        share=share,
        context=f"{data.passage.context:,}",
    )


def looks_far(data: Data) -> str | None:
    """The token that the pinned word reads most, where it is far."""
    key = int(data.row.argmax())
    if data.query - key < FAR or key == 0:
        return None
    return _(
        "At “{word}” head {head} looks {back} tokens back, at “{read}”, with {share} of its weight.",
        word=_word(data, data.query),
        head=_head(data),
        back=f"{data.query - key:,}",
        read=_word(data, key),
        share=number(float(data.row[key]), ".2f"),
    )


def looks_near(data: Data) -> str | None:
    """The token that it reads most, where it is near."""
    key = int(data.row.argmax())
    if data.query - key >= FAR or key == data.query or key == 0:
        return None
    return _(
        "At “{word}” head {head} looks nearby, most at “{read}”, with {share} of its weight.",
        word=_word(data, data.query),
        head=_head(data),
        read=_word(data, key),
        share=number(float(data.row[key]), ".2f"),
    )


def rests(data: Data) -> str | None:
    """The first token, or itself."""
    key = int(data.row.argmax())
    share = number(float(data.row[key]), ".2f")
    if key == 0 and data.query:
        return _(
            "At “{word}” head {head} rests on the first token, with {share} of its weight.",
            word=_word(data, data.query),
            head=_head(data),
            share=share,
        )
    if key == data.query:
        return _(
            "At “{word}” head {head} looks most at that word itself, with {share} of its weight.",
            word=_word(data, data.query),
            head=_head(data),
            share=share,
        )
    return None


def read_far(data: Data) -> str | None:
    """The heads that are offered."""
    layer, head, value = data.far[0]
    if number(value, ".2f") == "0.00":
        return None
    return _(
        "No head puts more on one token {far} or more back than L{layer}H{head}: {value} on average, over the tokens "
        "that have one so far back.",
        layer=layer,
        head=head,
        far=FAR,
        value=number(value, ".2f"),
    )


def none_far(data: Data) -> str | None:
    """No head reads far."""
    return (
        None if read_far(data) else _("On average no head puts as much as 0.01 on a token {far} or more back.", far=FAR)
    )


CLAIMS = beyond_training, looks_far, looks_near, rests, read_far, none_far
HINTS = (Hint(N_("Click a word, or one of the heads."), within),)
NOTICE = (N_("*Loss* colours each word by how surprising it was to the model: −log p in nats, the darkest from 8 on."),)
