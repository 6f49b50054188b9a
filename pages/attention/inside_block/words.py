"""The words of the page Inside a block: claim, what to notice, and one cell in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from tlmviz.analysis.attention import stack_steps, steps
from tlmviz.analysis.attention.matrices import Cell, Product, Step
from tlmviz.analysis.attention.rows import Row
from tlmviz.analysis.attention.stacks import ENCODER
from tlmviz.figures import token_label
from tlmviz.figures.written import number

from .controls import Choice

CLAIM = "Every step of one layer on your text: the tensor, its shape, the line of code that made it."
NOTICE = (
    "What travels through the model (the residual stream) keeps its shape: attention and the MLP only *add* to it.",
    "Follow *scale*, *mask* and *softmax*: at first a token has scores for later tokens too. The mask takes these away, and "
    "softmax turns each row into shares of what is left.",
    "*per head* shows what each head writes on its own: added up, the heads are the attention's output.",
    "The logit lens asks after every layer what the next word would be: the answer forms layer by layer.",
)
NOTICE_PAIR = (
    "**A decoder's block has three parts.** First the translation looks at itself, where the mask hides what is not written "
    "yet; then *cross-attention* looks at the source sentence; then comes the MLP. Each only *adds* to what travels through.",
    "**Two texts meet in *cross scores*:** a row for each token that is written, a column for each that was read. The queries "
    "are made from the translation, the keys and values from the *memory*, the encoder's last step. Nothing is hidden: the "
    "source is all there.",
    "***per head* and *cross per head*** show what each head writes on its own; added up, the heads are the attention's output.",
)
NOTICE_MATHS = (
    "Where the head is tied to the embedding, the lens reads the embedding itself as the token at hand.",
    "Every sublayer ends at `[B, T, C]` again.",
)
NO_SHARES = "Post-norm blocks normalise the stream after every addition, so a logit has no sum of shares."
CELL_HEADING = "**One cell of this product**"
TOP_ALT = "Five likeliest next tokens after each layer at the chosen position"
LOSSES_ALT = "Loss of every token in nats"
HEADS_ALT = "What every head writes at the chosen token, a row each, and their sum"
CELL_ALT = "Products of a row and a column, and their running sum"
NORMS_ALT = "Length of the stream after each sublayer"
SHARES_ALT = "Share of each sublayer in the likeliest token's logit"
LENS_ALT = "Likeliest next token of every position after each layer"


def cell(position: int, product: Product, column: int, label: str, opened: Cell) -> str:
    """One cell of a product: where it is, the sum of its terms, and the model's own number."""
    name = f"{product.column} {product.columns[column]}" + (f" “{label}”" if label else "")
    bias = f" + bias {number(opened.bias, '+.4f')}" if product.bias is not None else ""
    return (
        f"Token {position}, {name}: Σ of {len(opened.products)} products{bias} = **{number(opened.total, '+.5f')}**; "
        f"in the model's tensor **{number(opened.actual, '+.5f')}**."
    )


def row(choice: Choice, rows: Sequence[Row]) -> str:
    """Which token's row the first picture follows, and through what."""
    token = rows[0].token
    name = token_label(choice.trace.tokens[token])
    nearest = (
        ""
        if token == choice.position
        else f" (of a long text some rows are drawn, not that of token {choice.position})"
    )
    end = "memory" if choice.which == ENCODER else "logits"
    through = f"the {choice.which}'s layer" if choice.which else "layer"
    return f"Token {token} “{name}” through {through} {choice.layer}, head {choice.head}, from embedding to {end}{nearest}"


def top_title(token: str) -> str:
    """What stands above the picture."""
    return f"Five likeliest tokens after “{token}” (probability)"


def curves_alt(own: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{own} beside other activations, over a histogram of this text's inputs"


def lens_title(rows: slice, count: int) -> str:
    """What stands above the logit lens: of all tokens of the text, or of the `rows` of many."""
    if rows.stop - rows.start == count:
        return "Logit lens: likeliest next token after each layer (probability)"
    return f"Logit lens: likeliest next token after each layer (probability), tokens {rows.start}–{rows.stop - 1} of {count}"


def snippet(choice: Choice, step: Step) -> str:
    """Python that makes the step's tensor and draws it."""
    if choice.pair is None:
        return steps.snippet(choice.model, choice.text, step)
    return stack_steps.stack_snippet(
        choice.model, choice.text, list(choice.pair.translation), choice.which, step
    )
