"""Draws the page Inside a block: one token's row through all steps, a step's matrices and product, the residual stream."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.attention.attention_steps import head_rows
from tlmviz.analysis.attention.matrices import SOURCE, Step
from tlmviz.checks import attention_block
from tlmviz.figures import token_label
from tlmviz.figures.attention import block, residual_stream
from tlmviz.tokens import output_names
from tlmviz.ui import frame, inputs

from . import compute, words
from .component import payload, rows_view
from .controls import CELL, ROWS, Choice, choose_column, keep_cell, sequence

LENS_ROWS = 32  # tokens the logit lens shows at once
LENS_CELL, LENS_SIDE = 27, 110  # pixels of its cells at least, and beside them


def row(choice: Choice) -> None:
    """The row of the token that is followed, through every step; a click chooses a step and opens a cell where it lies."""
    rows, cell = compute.rows(choice), CELL.get()
    data = payload(
        rows,
        title=words.row(choice, rows),
        step=choice.step,
        cell=cell,
        opened=compute.opened(choice, rows, cell),
        sequence=sequence(),
    )
    st.markdown(f"**{inputs.plain(words.row(choice, rows))}**")
    rows_view(data, key=ROWS, on_change=keep_cell)


def picture(choice: Choice, step: Step) -> None:
    """A step's matrices side by side (one below the other on a phone), its curve, or its losses."""
    theme = frame.theme()
    if step.losses is not None:
        frame.chart(
            block.token_losses(list(step.scored), step.losses, theme),
            key="losses",
            alt=words.LOSSES_ALT,
        )
        return
    count = len(step.panels) + (step.activation is not None)
    columns = iter(st.columns(count))
    if step.activation is not None:
        a = step.activation
        with next(columns):
            figure = block.activation_curves(a.own, a.inputs, a.curves, a.counts, a.centres, theme)
            frame.chart(
                figure,
                key="curves",
                alt=words.curves_alt(a.own),
            )
    for number, panel in enumerate(step.panels):
        with next(columns):
            marked = None if panel.y == SOURCE else choice.position
            figure = block.matrix(panel, theme, marked=marked, side_by_side=count)
            frame.chart(
                figure, key=f"panel{number}", alt=f"{panel.name}, {panel.shape}, {panel.y} by {panel.x}"
            )
    if step.heads is not None:
        figure = block.matrix(head_rows(step.heads, choice.position), theme, marked=choice.head)
        frame.chart(figure, key="heads", alt=words.HEADS_ALT)
        frame.badges(filter(None, [compute.heads_check(choice)]))


@frame.fragment
def cell(choice: Choice, step: Step) -> None:
    """One number of the step's product, taken apart and compared with the model's own."""
    product = step.product
    text, beside = st.columns([0.3, 0.7])
    with text:
        st.markdown(words.CELL_HEADING)
        column = choose_column(product)
        opened = product.cell(choice.position, column)
        label = token_label(product.labels[column]) if product.labels else ""
        st.markdown(words.cell(choice.position, product, column, label, opened))
        frame.badges([attention_block.cell_is_the_sum(opened), compute.product_check(choice)])
    with beside:
        figure = block.product_cell(
            opened.left,
            opened.right,
            frame.theme(),
            names=(product.left_name, product.right_name),
            inner=product.inner,
            labels=product.terms,
        )
        frame.chart(figure, key="cell", alt=words.CELL_ALT)


def growth(choice: Choice) -> None:
    """The length of the stream after each sublayer, and each sublayer's share of the likeliest token's logit."""
    lm, trace, theme, position = choice.lm, choice.trace, frame.theme(), choice.position
    labels, lengths = compute.norms(choice.model, choice.text)
    predicted = int(trace.logits[position].argmax())
    parts, check = compute.shares(choice, predicted)
    left, right = st.columns(2)
    with left:
        figure = residual_stream.norms(labels, lengths, position, trace.tokens[position], theme)
        frame.chart(figure, key="norms", alt=words.NORMS_ALT)
    with right:
        if not len(parts):
            st.info(words.NO_SHARES)
            return
        figure = residual_stream.shares(
            list(parts["part"]), parts["share"].to_numpy(), output_names(lm.tokenizer, [predicted])[0], theme
        )
        frame.chart(figure, key="shares", alt=words.SHARES_ALT)
        frame.badges([check])


def logit_lens(choice: Choice) -> None:
    """The likeliest next token read after each layer: at every position, then five of them at the chosen one."""
    lm, tokens, theme, position = choice.lm, choice.trace.tokens, frame.theme(), choice.position
    depths = ["embedding", *(f"layer {i}" for i in range(lm.config.n_layers))]
    first = max(0, min(position - LENS_ROWS // 2, len(tokens) - LENS_ROWS))
    rows = slice(first, min(len(tokens), first + LENS_ROWS))
    lens = compute.logit_lens(choice.model, choice.text, first, rows.stop - first)

    def named(ids) -> list[list[str]]:
        return [output_names(lm.tokenizer, row.tolist()) for row in ids]

    figure = residual_stream.words(
        named(lens.tokens[:, :, 0].T),
        lens.probabilities[:, :, 0].T,
        theme,
        y="token",
        columns=depths,
        rows=tokens[rows],
        marked=position - first,
        title=words.lens_title(rows, len(tokens)),
    )
    with frame.wide("lenswide", LENS_SIDE + LENS_CELL * len(depths)):
        frame.chart(figure, key="lens", alt=words.LENS_ALT)
    figure = residual_stream.words(
        named(lens.tokens[:, position - first]),
        lens.probabilities[:, position - first],
        theme,
        y="read after",
        rows=depths,
        columns=["1st", "2nd", "3rd", "4th", "5th"][: lens.tokens.shape[2]],
        title=words.top_title(token_label(tokens[position])),
    )
    frame.chart(figure, key="top", alt=words.TOP_ALT)
