"""Draws the page Position schemes: one view of every scheme, numbers, and how far trained heads look."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.positions.position_schemes import flat_distance
from tlmviz.checks import positions_shift
from tlmviz.figures.positions import context_extension as lines
from tlmviz.figures.positions import position_schemes as figures
from tlmviz.ui import compute as shared
from tlmviz.ui import frame

from . import compute, words
from .controls import ADDED, BY_DISTANCE, EXTRAPOLATION, SIMILARITY, TIMES, Choice
from .words import ALIKE, TITLES, held_out_words, slopes


def picture(choice: Choice) -> None:
    """The chosen view of every scheme."""
    if choice.view == EXTRAPOLATION:
        _extrapolation(choice)
        return
    with frame.wide("schemeswide", 800):
        frame.chart(
            _PANELS[choice.view](choice),
            key="schemes",
            alt=words.views_alt(choice.view),
        )


def _added(choice: Choice):
    panels = {
        TITLES[scheme]: compute.added(name, choice.context, choice.head[0])
        for scheme, name in choice.families.items()
    }
    return figures.added(panels, frame.theme())


def _similarity(choice: Choice):
    panels = {
        TITLES[scheme]: compute.similar(name, choice.inside, *choice.head)
        for scheme, name in choice.families.items()
    }
    measures = {TITLES[scheme]: ALIKE[scheme].format(choice.head[1]) for scheme in choice.families}
    return figures.similar(panels, measures, frame.theme())


def _by_distance(choice: Choice):
    layer, head = choice.head
    panels = {
        TITLES[scheme]: compute.distances(name, choice.inside).weight[layer]
        for scheme, name in choice.families.items()
    }
    return figures.by_distance(panels, head, layer, frame.theme())


_PANELS = {ADDED: _added, SIMILARITY: _similarity, BY_DISTANCE: _by_distance}


def _extrapolation(choice: Choice) -> None:
    families, context = choice.families, choice.context
    with st.spinner(f"{len(families)} models read {len(choice.ids):,} tokens …", show_time=True):
        curves = {TITLES[scheme]: compute.losses(name, choice.ids) for scheme, name in families.items()}
    figure = lines.loss_lines(
        curves,
        context,
        frame.theme(),
        width=max(1, context // 5),
        colors=_colors(),
        title=words.LOSS_ALONG_TITLE,
        end=words.learned_ends(context) if "learned" in families else "",
        height=430,
    )
    frame.chart(
        figure,
        key="schemes",
        alt=words.SCHEMES_ALT,
    )


def _colors() -> dict[str, str]:
    """Each scheme's colour, the same in every chart."""
    return lines.palette(list(TITLES.values()), frame.theme(), TITLES["none"])


def table(choice: Choice) -> None:
    """What each scheme costs and how far it carries, in numbers."""
    rows = [_row(choice, scheme, name) for scheme, name in choice.families.items()]
    by, count = positions_shift.BY, positions_shift.READ
    losses = [name for name in rows[0] if name.startswith("Loss ")]
    helps = dict.fromkeys(losses, words.LOSS_HELP) | {
        "Held out": held_out_words(compute.seed_spread()),
        "Parameters": words.PARAMETERS_HELP,
        f"Moved by {by}": words.moved_help(count, by),
    }
    formats = dict.fromkeys(losses, ".3f") | {"Held out": ".3f", "Parameters": ",", f"Moved by {by}": ".1e"}
    frame.table(rows, formats, helps)


def _row(choice: Choice, scheme: str, name: str) -> dict[str, object]:
    """One scheme's line of the table; NaN where the text or the model has nothing to measure."""
    ids, context, lm = choice.ids, choice.context, shared.model(name)
    row = {
        "Scheme": TITLES[scheme],
        "Model": name,
        "Held out": compute.held_out().get(name),
        "Parameters": sum(p.numel() for p in lm.network.positions.parameters()),
        f"Moved by {positions_shift.BY}": compute.shift(name, ids).error if len(ids) > 1 else float("nan"),
    }
    loss, edges = compute.losses(name, ids), (0, context, 2 * context, TIMES * context)
    for start, stop in zip(edges, edges[1:]):
        part = loss[max(0, start - 1) : stop - 1]
        row[f"Loss {start:,}–{stop:,}"] = float(part.mean()) if len(part) else float("nan")
    return row


def heads(choice: Choice, measure: str) -> None:
    """ALiBi's slopes beside what its heads do, and how far the heads of every scheme look."""
    left, right = st.columns([0.46, 0.54])
    if "alibi" in choice.families and len(choice.inside) > 2:
        with left:
            _slopes(choice)
    with right:
        _ranked(choice, measure)


def _slopes(choice: Choice) -> None:
    name, length = choice.families["alibi"], len(choice.inside)
    given = shared.model(name).on_cpu.network.positions.slopes.numpy()
    figure = figures.slopes(given, compute.distances(name, choice.inside).decay, frame.theme())
    frame.chart(figure, key="slopes", alt=words.SLOPES_ALT)
    st.caption(slopes(list(flat_distance(given, length)), flat_distance([0], length)[0]))


def _ranked(choice: Choice, measure: str) -> None:
    field, title, unit = {
        "Mean distance": ("mean", words.RANKED_TITLE, "tokens back"),
        "Decay": ("decay", "Decay with distance", "nats per token"),
    }[measure]
    values = {
        TITLES[scheme]: getattr(compute.distances(name, choice.inside), field)
        for scheme, name in choice.families.items()
    }
    figure = figures.ranked(values, f"{title} ({unit})", unit, _colors(), frame.theme())
    frame.chart(figure, key="ranked", alt=words.ranked_alt(title))
