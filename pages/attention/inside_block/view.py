"""The parts of the page "Inside a block": a step's picture, one cell of its product, the logit lens."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.attention.matrices import Step
from tlmviz.figures import token_label
from tlmviz.figures.attention import block
from tlmviz.figures.attention import residual_stream as pictures
from tlmviz.ui import compute, frame

from . import compute as block_state

LENS_ROWS = 32  # tokens the logit lens shows at once


def picture(step: Step, tokens: list[str], position: int) -> None:
    """A step's matrices side by side (one below the other on a phone), its curve, or its losses."""
    theme = frame.theme()
    if step.losses is not None:
        frame.chart(
            block.token_losses(tokens, step.losses, theme), key="losses", alt="Loss of every token in nats"
        )
        return
    shown = len(step.panels) + (step.activation is not None)
    columns = iter(st.columns(shown))
    if step.activation is not None:
        a = step.activation
        with next(columns):
            figure = block.activation_curves(a.own, a.inputs, a.curves, a.counts, a.centres, theme)
            frame.chart(
                figure,
                key="curves",
                alt=f"{a.own} beside other activations, over a histogram of this text's inputs",
            )
    for number, panel in enumerate(step.panels):
        with next(columns):
            figure = block.matrix(panel, theme, marked=position, side_by_side=shown)
            frame.chart(
                figure, key=f"panel{number}", alt=f"{panel.name}, {panel.shape}, {panel.y} by {panel.x}"
            )


@frame.fragment
def cell(name: str, text: str, current: str, layer: int, head: int, position: int) -> None:
    """One number of the step's product, taken apart and compared with the model's own."""
    product = block_state.step(name, text, current, layer, head).product
    words, beside = st.columns([0.3, 0.7])
    with words:
        st.markdown("**One cell of this product**")
        choice = block_state.column(product)
        opened = product.cell(position, choice)
        where = f"{product.column} {product.columns[choice]}"
        where += f" “{token_label(product.labels[choice])}”" if product.labels else ""
        bias = f" + bias {opened.bias:+.4f}" if product.bias is not None else ""
        st.markdown(
            f"Token {position}, {where}: Σ of {len(opened.products)} products{bias} = **{opened.total:+.5f}**; "
            f"in the model's tensor **{opened.actual:+.5f}**."
        )
        frame.badges(
            [block_state.cell_check(opened), block_state.product_check(name, text, current, layer, head)]
        )
    labels = tuple(compute.trace(name, text).tokens) if product.inner == "key token" else ()
    with beside:
        figure = block.product_cell(
            opened.left,
            opened.right,
            frame.theme(),
            names=(product.left_name, product.right_name),
            inner=product.inner,
            labels=labels,
        )
        frame.chart(figure, key="cell", alt="Products of a row and a column, and their running sum")


def growth(name: str, text: str, position: int) -> None:
    """How long the stream gets, and who wrote the likeliest token's logit."""
    lm, trace, theme = compute.model(name), compute.trace(name, text), frame.theme()
    labels, lengths, _ = block_state.stream(name, text)
    predicted = int(trace.logits[position].argmax())
    parts, check = block_state.shares(name, text, position, predicted)
    left, right = st.columns(2)
    with left:
        figure = pictures.norms(labels, lengths, position, trace.tokens[position], theme)
        frame.chart(figure, key="norms", alt="Length of the stream after each sublayer")
    with right:
        if not len(parts):
            st.info(
                "Post-norm blocks normalise the stream after every addition, so a logit has no sum of shares."
            )
            return
        figure = pictures.shares(
            list(parts["part"]), parts["share"].to_numpy(), lm.tokenizer.name(predicted), theme
        )
        frame.chart(figure, key="shares", alt="Share of each sublayer in the likeliest token's logit")
        frame.badges([check])


def logit_lens(name: str, text: str, position: int) -> None:
    """The likeliest next token read after each layer: at every position, then five of them at the chosen one."""
    lm, tokens, theme = compute.model(name), compute.trace(name, text).tokens, frame.theme()
    lens = block_state.stream(name, text)[2]
    depths = ["embedding", *(f"layer {i}" for i in range(lm.config.n_layers))]
    first = max(0, min(position - LENS_ROWS // 2, len(tokens) - LENS_ROWS))
    rows = slice(first, min(len(tokens), first + LENS_ROWS))
    part = f", tokens {first}–{rows.stop - 1} of {len(tokens)}" if len(tokens) > LENS_ROWS else ""

    def named(ids) -> list[list[str]]:
        return [[lm.tokenizer.name(int(i)) for i in row] for row in ids]

    figure = pictures.words(
        named(lens.tokens[:, rows, 0].T),
        lens.probabilities[:, rows, 0].T,
        theme,
        y="token",
        columns=depths,
        rows=tokens[rows],
        marked=position - first,
        title=f"Logit lens: likeliest next token after each layer (probability){part}",
    )
    frame.chart(figure, key="lens", alt="Likeliest next token of every position after each layer")
    figure = pictures.words(
        named(lens.tokens[:, position]),
        lens.probabilities[:, position],
        theme,
        y="read after",
        rows=depths,
        columns=["1st", "2nd", "3rd", "4th", "5th"][: lens.tokens.shape[2]],
        title=f"Five likeliest tokens after “{token_label(tokens[position])}” (probability)",
    )
    frame.chart(figure, key="top", alt="Five likeliest next tokens after each layer at the chosen position")
