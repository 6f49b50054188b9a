"""What the part Steps says about its picture, each where it is true, and how numbers are written on the page."""

from __future__ import annotations

from tlmviz.figures.written import large
from tlmviz.tokens import END
from tlmviz.ui import markdown
from tlmviz.ui.guess import three_digits
from tlmviz.ui.hints import Hint, where
from tlmviz.ui.language import N_, _, ngettext

from .data import Data


def saves(data: Data) -> str | None:
    """How many times the operations the generation takes without the cache."""
    cached, again = data.totals
    times = three_digits(again / cached)
    if times == "1":
        return None
    return _(
        "Once it has read {prompt} tokens, the model writes {n} more, with {bytes} bytes in its cache for each token "
        "that it keeps; without a cache the writing alone would take {times} times as many operations.",
        n=data.done.steps,
        prompt=f"{data.done.prompt:,}",
        bytes=f"{per_token(data):,}",
        times=times,
    )


def saves_nothing(data: Data) -> str | None:
    """A prompt and a generation of almost nothing."""
    return None if saves(data) else _("So short a text costs as much with the cache as without.")


def forgets(data: Data) -> str | None:
    """A window's ring is full."""
    if not (window := data.done.window) or len(data.done.ids) <= window:
        return None
    return _(
        "{length} tokens were read and {window} are kept: the ring is full, and each new one overwrites the oldest.",
        length=f"{len(data.done.ids):,}",
        window=f"{window:,}",
    )


def ended(data: Data) -> str | None:
    """The model ended its text early."""
    done, asked = data.done, data.chosen.tokens
    if done.ids[-1] not in data.lm.tokenizer.ends or done.steps >= asked:
        return None
    return _("The model ended its text after {steps} of {asked} tokens.", steps=done.steps, asked=asked)


def beyond(data: Data) -> str | None:
    """The text is longer than training was."""
    if len(data.done.ids) <= data.lm.config.context:
        return None
    return _(
        "Positions from {context} on lie beyond the length it was trained on.", context=f"{data.lm.config.context:,}"
    )


CLAIMS = saves, saves_nothing, forgets, ended, beyond
HINTS = (Hint(N_("Press ▶."), where(lambda data: data.done.tokens)),)


def per_token(data: Data) -> int:
    """Bytes of a token that is kept, in all layers."""
    return data.done.bytes_per_token_per_layer * len(data.done.windows)


def title(data: Data, longest: int) -> str:
    """What stands above the steps: the head, and how many of a long text's positions are drawn."""
    chosen, length = data.chosen, len(data.done.ids)
    layer, head = chosen.head
    said = _("{model} ({kind}), L{layer}H{head}", model=chosen.model, kind=data.shape.kind, layer=layer, head=head)
    if length <= longest:
        return said
    return _("{said}; the last {shown} of {all} positions", said=said, shown=longest, all=f"{length:,}")


def generated(data: Data) -> str:
    """The generated text."""
    text = "".join(data.done.tokens[data.done.prompt :]).replace(END, f" {END}")
    return _("Generated: {text}", text=markdown.plain(text))


def question(data: Data) -> str:
    """The question before the picture."""
    return ngettext(
        "{model} has read {prompt} tokens and writes {n} token. Without a cache it reads the whole text again for "
        "each. How many times as many operations is that?",
        "{model} has read {prompt} tokens and writes {n} tokens. Without a cache it reads the whole text again for "
        "each. How many times as many operations is that?",
        data.done.steps,
        model=markdown.plain(data.chosen.model),
        prompt=f"{data.done.prompt:,}",
    )


def answer(times: float, cached: int, again: int) -> str:
    """How many operations the generated tokens take, both ways."""
    return _(
        "It is **{times} times** as many: {again} operations without the cache, {cached} with it.",
        times=three_digits(times),
        again=large(again),
        cached=large(cached),
    )


NOTICE = (
    N_(
        "Each token makes **one row** of the map and **one column** of what is kept. Rows above never change, so "
        "old queries are never needed again."
    ),
)
