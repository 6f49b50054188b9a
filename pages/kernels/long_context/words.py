"""The words that the views of the page Long context share: claim, the text's origin, what was cut, start of a snippet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.figures import number
from tlmviz.ui import inputs, long_text

if TYPE_CHECKING:
    from .controls import Choice

CLAIM = "Any tile of any map at any length, and what sparser attention would cost and lose."


def sample_origin(ended: bool) -> str:
    """Where the bundled stories come from, and whether they `ended` before the chosen length."""
    end = ": all there are; let the model write more." if ended else "."
    return f"Stories that stories-rope wrote beforehand{end}"


def written_origin(model: str, tokens: int, seed: int) -> str:
    """How the model wrote the text."""
    return f"{tokens:,} tokens written by {model}: stories drawn one by one (seed {seed}), joined by blank lines."


def own_origin(text: str) -> str:
    """How long an own text is, and whether the link holds it."""
    limit = long_text.IN_LINK
    place = "in the link" if len(text) <= limit else f"too long for the link (over {limit:,})"
    return f"{len(text):,} characters, line breaks kept; {place}."


def beyond_learned_positions(model: str, length: int, limit: int) -> str:
    """A text longer than the model's learned positions is cut."""
    return (
        f"{model} has learned vectors for {limit:,} positions and cannot read beyond them: of {length:,} tokens the "
        f"first {limit:,} are shown. Models with RoPE can go on."
    )


def beyond_the_longest(length: int, limit: int) -> str:
    """A text longer than the page reads is cut."""
    return f"This text has {length:,} tokens and the page reads {limit:,}: the first {limit:,} are shown."


def queries(count: int, length: int) -> str:
    """How many of a text's queries were read."""
    return "every query" if count == length else f"{count:,} evenly spaced queries of {length:,}"


def snippet_start(choice: Choice, tokens: int, names: str) -> str:
    """The start of a snippet: imports of `names` from the analysis, model, text, its ids, and the pass over `tokens` of them."""
    samples = ""
    if choice.source == long_text.SAMPLE:
        samples, text = "from tlmviz.analysis.samples import long_sample_text\n", "text = long_sample_text()"
    elif choice.source == long_text.OWN:
        text = long_text.text_line(choice.text)
    else:
        names += ", write_stories"
        text = f"text = write_stories(lm, tokens={choice.n_tokens}, seed={choice.seed})"
    return f"""\
import tlmviz
from tlmviz.analysis.kernels.long_context import {names}
{samples}
lm = tlmviz.load({choice.model!r})
{text}
ids = lm.tokenizer.encode(text, bos=True)[:{tokens}]
trace = long_trace(lm, ids)  # keeps q, k, v and lse of each layer
"""


def guess(model: str, context: int, tokens: int, within: float) -> str:
    """The question before the pictures."""
    return (
        f"{inputs.plain(model)} was trained on texts of {context:,} tokens and reads {tokens:,}. Within its training "
        f"length its loss is {number(within, '.2f')} nats per token. What is it beyond?"
    )


def guessed(context: int, within: float, beyond: float) -> str:
    """The mean loss on both sides of the training length."""
    change = round(beyond - within, 2) + 0.0  # no minus before a zero
    return (
        f"Beyond {context:,} tokens the loss is **{number(beyond, '.2f')} nats** per token: {number(change, '+.2f')} on the "
        f"{number(within, '.2f')} within."
    )
