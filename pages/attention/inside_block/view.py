"""Draws the page Inside a block: one token's row through all steps, a step's matrices and product, the residual
stream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from tlmviz.analysis.attention import stack_steps, steps
from tlmviz.analysis.attention.attention_steps import head_rows
from tlmviz.analysis.attention.matrices import SOURCE, Panel
from tlmviz.analysis.attention.rows import main_panel
from tlmviz.analysis.attention.stacks import telling_row
from tlmviz.checks import attention_block
from tlmviz.figures import number, token_label
from tlmviz.figures.attention import block, residual_stream
from tlmviz.tokens import output_names
from tlmviz.ui import compute as shared
from tlmviz.ui import engine, frame, inputs, link, live, markdown, translation
from tlmviz.ui.claims import holding
from tlmviz.ui.components.attention_view import TAG_TABLE
from tlmviz.ui.language import _

from . import claims
from .data import Data
from .state import Choice
from .steps import steps as steps_of

READER = Path(__file__).parent / "reader.js"
PICTURE = live.Picture(__file__, "block", step=Choice.step, cell=Choice.cell)
LENS_CELL, LENS_SIDE = 27, 110  # pixels of the lens's cells at least, and beside them


def controls(model: str) -> dict[str, Any] | None:
    """Draw text, or sentence and translation, layer, head and token; what they say. None where there is nothing to read
    yet."""
    if model in translation.transformers():
        return _pair_controls(model)
    lm = shared.model(model)
    text = inputs.text_box(lm, **engine.pause(model))
    if text is None:
        return None
    row = shared.striking_row(model, text)
    link.open_on(f"block:{model}", lambda: (row.layer, row.head))
    tokens = shared.trace(model, text).tokens
    return {"model": model, "text": text, "pair": None, **_place(lm.config, tokens, row.query)}


def _pair_controls(model: str) -> dict[str, Any] | None:
    pair = translation.pair_boxes(model)
    if pair is None:
        return None
    which, *places = st.columns([0.3, 0.14, 0.14, 0.2, 0.22], vertical_alignment="center")
    which = Choice.which.draw(which)
    stack = translation.stack(pair, which)
    *head, start = telling_row(stack)
    link.open_on(f"block:{model}:{which}", lambda: tuple(head))
    chosen = _place(stack.config, stack.trace.tokens, start, places)
    return {"model": model, "text": pair.text, "pair": pair, **chosen}


def _place(config: Any, tokens: list[str], start: int, places: Any = None) -> dict[str, int]:
    layer, head, position, _room = inputs.head_and_token_menus(config, tokens, start, places)
    for name in ("head", "query"):
        link.FIELDS[name].share()
    return {"layer": layer, "head": head, "position": position}


def rows(data: Data) -> None:
    """The row of the token that is followed, through every step; a click chooses a step and opens a cell where it
    lies."""
    shown = data.rows
    header = {
        "engine": _engine(data),
        "title": claims.about(data),
        "step": data.name,
        "opened": data.opened,
        "rows": [
            {
                "name": row.name,
                "what": row.what,
                "inside": row.inside,
                "kind": row.kind,
                "x": row.x,
                "product": row.product,
                "labels": list(row.labels),
            }
            for row in shown
        ],
    }
    arrays = {f"values{n}": np.asarray(row.values, np.float32) for n, row in enumerate(shown)}
    arrays |= {f"places{n}": np.asarray(row.places, np.float32) for n, row in enumerate(shown)}
    with st.container(key="blockrows"):
        PICTURE.show(header, arrays)


def _engine(data: Data) -> dict[str, Any] | None:
    """What the browser makes pictures of further texts, and opens cells, by; None where the server does."""
    chosen = data.chosen
    if data.stack:
        return None
    return engine.offer(
        chosen.model,
        chosen.text,
        READER,
        ("step", "cell"),
        layer=chosen.layer,
        head=chosen.head,
        query=link.FIELDS["query"].get(),
        steps=steps_of(data.lm.config, data.drawn_steps),
        tags=TAG_TABLE,
    )


def step_menu(data: Data) -> None:
    """The chosen step among all of them, with buttons back and forth, and what it does."""
    at = data.names.index(data.name)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        Choice.step.draw(st.container(width=190), data.names, data.opening)
        Choice.every.draw()
        for label, move in (("‹", -1), ("›", 1)):
            target = data.names[min(max(at + move, 0), len(data.names) - 1)]
            st.button(
                label,
                key=f"move{move}",
                on_click=_go,
                args=(target,),
                disabled=target == data.name,
                help=_("To “{step}”", step=target),
            )
    st.markdown(f"**{at + 1}/{len(data.names)} {data.name}.** {data.step.said}")


def _go(step: str) -> None:
    Choice.step.set(step)
    Choice.cell.set(None)


def tensor(data: Data) -> None:
    """The matrix that the step makes, its losses, or its curve."""
    step, theme = data.step, frame.theme()
    with st.container(key="tensor"):
        if step.losses is not None:
            figure = block.token_losses(list(step.scored), step.losses, theme)
            frame.chart(figure, key="losses", alt=_("Loss of every token in nats"))
        elif step.panels:
            main = main_panel(step)
            _matrix(data, step.panels.index(main), main, 2)


def other_tensors(data: Data) -> None:
    """What it is made from, and what each head writes."""
    step, theme = data.step, frame.theme()
    main = main_panel(step) if step.panels else None
    others = [(n, panel) for n, panel in enumerate(step.panels) if panel is not main]
    a, count = step.activation, len(others) + (step.activation is not None)
    columns = iter(st.columns(count) if count else ())
    if a is not None:
        with next(columns):
            figure = block.activation_curves(a.own, a.inputs, a.curves, a.counts, a.centres, theme)
            alt = _("{name} beside other activations, over a histogram of this text's inputs", name=a.own)
            frame.chart(figure, key="curves", alt=alt)
    for n, panel in others:
        with next(columns):
            _matrix(data, n, panel, count)
    if step.heads is not None:
        figure = block.matrix(head_rows(step.heads, data.chosen.position), theme, marked=data.chosen.head)
        alt = _("What every head writes at the chosen token, a row each, and their sum")
        frame.chart(figure, key="heads", alt=alt)
        frame.badges(filter(None, [data.heads_check]))


def _matrix(data: Data, n: int, panel: Panel, side_by_side: int) -> None:
    marked = None if panel.y == SOURCE else data.chosen.position
    figure = block.matrix(panel, frame.theme(), marked=marked, side_by_side=side_by_side)
    frame.chart(figure, key=f"panel{n}", alt=f"{panel.name}, {panel.shape}, {panel.y} × {panel.x}")


@frame.fragment
def cell(data: Data) -> None:
    """One number of the step's product, taken apart and compared with the model's own."""
    product, position = data.step.product, data.chosen.position
    text, beside = st.columns([0.3, 0.7])
    with text:
        st.markdown(_("**One cell of this product**"))
        column, last = 0, len(product.columns) - 1
        if last:
            Choice.column.set(min(Choice.column.get(), last))  # another step may have fewer
            column = Choice.column.draw(max_value=last)
            Choice.column.put()
        opened = product.cell(position, column)
        name = f"{product.column} {product.columns[column]}"
        name += f" “{markdown.plain(token_label(product.labels[column]))}”" if product.labels else ""
        bias = _(" + bias {bias}", bias=number(opened.bias, "+.4f")) if product.bias is not None else ""
        st.markdown(
            _(
                "Token {position}, {name}: Σ of {count} products{bias} = **{total}**; in the model's tensor "
                "**{actual}**.",
                position=position,
                name=name,
                count=len(opened.products),
                bias=bias,
                total=number(opened.total, "+.5f"),
                actual=number(opened.actual, "+.5f"),
            )
        )
        frame.badges([attention_block.cell_is_the_sum(opened), data.product_check])
    with beside:
        figure = block.product_cell(
            opened.left,
            opened.right,
            frame.theme(),
            names=(product.left_name, product.right_name),
            inner=product.inner,
            labels=product.terms,
        )
        frame.chart(figure, key="cell", alt=_("Products of a row and a column, and their running sum"))


def code(data: Data) -> None:
    """The lines of the model that made the step, and its equation."""
    left, right = st.columns(2)
    with left:
        for source in data.step.sources:
            st.code(source.code, language="python", wrap_lines=True)
            st.caption(source.where)
    with right:
        frame.equation(data.step.latex, data.step.reference)


def stream(data: Data) -> None:
    """What every sublayer adds to the stream, and what the head could read from it on the way."""
    st.markdown("## " + _("The residual stream"))
    _growth(data)
    _logit_lens(data)
    frame.what_to_notice(*holding(claims.STREAM, data).values())


def _growth(data: Data) -> None:
    """The length of the stream after each sublayer, and each sublayer's share of the likeliest token's logit."""
    theme, position = frame.theme(), data.chosen.position
    labels, lengths = data.norms
    parts, check = data.shares
    left, right = st.columns(2)
    with left:
        figure = residual_stream.norms(labels, lengths, position, data.trace.tokens[position], theme)
        frame.chart(figure, key="norms", alt=_("Length of the stream after each sublayer"))
    with right:
        if not len(parts):
            st.info(_("Post-norm blocks normalise the stream after every addition, so a logit has no sum of shares."))
            return
        token = output_names(data.lm.tokenizer, [data.expected[0]])[0]
        figure = residual_stream.shares(list(parts["part"]), parts["share"].to_numpy(), token, theme)
        frame.chart(figure, key="shares", alt=_("Share of each sublayer in the likeliest token's logit"))
        frame.badges([check])


def _logit_lens(data: Data) -> None:
    """The likeliest next token read after each layer: at every position, then five of them at the chosen one."""
    lm, tokens, position, rows = data.lm, data.trace.tokens, data.chosen.position, data.drawn
    depths = [_("embedding"), *(_("layer {n}", n=n) for n in range(lm.config.n_layers))]
    lens, at, theme = data.lens, position - rows.start, frame.theme()

    def named(ids: Any) -> list[list[str]]:
        return [output_names(lm.tokenizer, row.tolist()) for row in ids]

    title = _("Logit lens: likeliest next token after each layer (probability)")
    if rows.stop - rows.start < len(tokens):
        title += _(", tokens {first}–{last} of {count}", first=rows.start, last=rows.stop - 1, count=len(tokens))
    figure = residual_stream.words(
        named(lens.tokens[:, :, 0].T),
        lens.probabilities[:, :, 0].T,
        theme,
        y="token",
        columns=depths,
        rows=tokens[rows],
        marked=at,
        title=title,
    )
    with frame.wide("lenswide", LENS_SIDE + LENS_CELL * len(depths)):
        frame.chart(figure, key="lens", alt=_("Likeliest next token of every position after each layer"))
    title = _("Five likeliest tokens after “{token}” (probability)", token=token_label(tokens[position]))
    figure = residual_stream.words(
        named(lens.tokens[:, at]),
        lens.probabilities[:, at],
        theme,
        y="read after",
        rows=depths,
        title=title,
        columns=["1st", "2nd", "3rd", "4th", "5th"][: lens.tokens.shape[2]],
    )
    alt = _("Five likeliest next tokens after each layer at the chosen position")
    frame.chart(figure, key="predicted", alt=alt)


def snippet(data: Data) -> str:
    """Python that makes the step's tensor and draws it."""
    chosen, step = data.chosen, data.step
    if chosen.pair is None:
        return steps.snippet(chosen.model, chosen.text, step)
    return stack_steps.stack_snippet(chosen.model, chosen.text, list(chosen.pair.translation), chosen.which, step)
