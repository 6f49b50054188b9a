"""Draws the page Head atlas: all heads over two statistics with their table, or one head with its passages."""

from __future__ import annotations

from urllib.parse import urlencode

import numpy as np
import streamlit as st

from tlmviz.analysis.workbench.survey import STATISTICS
from tlmviz.analysis.workbench.survey.finding import COLUMNS
from tlmviz.errors import BadQuery
from tlmviz.figures import readable
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import atlas_payload, atlas_view, head_payload, head_view
from .controls import Choice

SNIPPET = 60  # characters of a passage in the list


def everybody(choice: Choice) -> None:
    """All heads, those that the query names lit."""
    heads = choice.found.heads
    try:
        lit = compute.matching(choice)
    except BadQuery as error:
        st.error(str(error))
        lit = np.ones(len(heads), bool)
    data = atlas_payload(
        heads[list(COLUMNS)].to_numpy(np.float32).T,
        lit,
        columns=list(COLUMNS),
        names=words.NAMES,
        brief=words.SHORT,
        helps=words.HELPS,
        x=choice.x,
        y=choice.y,
        layers=choice.found.settings["layers"],
        sort=controls.SORT.get(),
        found=choice.query.strip() != "",
        file=f"tlmviz-heads-{choice.found.settings['model']}",
        picture=below.next_picture(),
    )
    atlas_view(data, key=controls.KEYS[choice.view], on_change=lambda: controls.keep(choice))
    frame.caption(words.summary(choice, int(lit.sum())))


def one(choice: Choice) -> None:
    """One head: where it stands, how far it looks, its tokens, and its strongest passages."""
    found, (layer, head) = choice.found, choice.head
    index = layer * found.settings["heads"] + head
    heads = found.heads[list(STATISTICS)].to_numpy(np.float32).T
    deciles = _of(found.deciles, choice).pivot(index="statistic", columns="decile", values="value")
    shares = found.distances.share.to_numpy(np.float32).reshape(len(found.heads), -1)
    passage, passages = compute.read(choice), compute.tops(choice)
    data = head_payload(
        heads,
        deciles.loc[list(STATISTICS)].to_numpy(np.float32),
        np.stack([shares[index], shares.mean(0)]),
        None if passage is None else passage.weights,
        statistics=list(STATISTICS),
        names=words.BESIDE,
        by=choice.by,
        index=index,
        heads=found.settings["heads"],
        bins=found.distances.bin.iloc[: shares.shape[1]].tolist(),
        tokens={role: _tokens(choice, role) for role in ("query", "key")},
        tops=[[words.value_of(choice.by, each.value), readable(each.text[:SNIPPET])] for each in passages],
        top=min(choice.top, max(0, len(passages) - 1)),
        passage=_passage(choice, passage),
        title=words.title(choice, float(heads[STATISTICS.index(choice.by), index])),
        picture=below.next_picture(),
    )
    head_view(data, key=controls.KEYS[choice.view], on_change=lambda: controls.keep(choice))


def _of(table, choice: Choice):
    return table[(table.layer == choice.head[0]) & (table["head"] == choice.head[1])]


def _tokens(choice: Choice, role: str) -> list[list]:
    rows = _of(choice.found.tokens, choice)
    rows = rows[(rows.role == role) & (rows.share > 0)].sort_values("rank")
    return [[token, float(share)] for token, share in zip(rows.token, rows.share)]


def _passage(choice: Choice, passage: compute.Passage | None) -> dict | None:
    """What the view knows of a passage; `link` opens it in the explorer, without the pin."""
    if passage is None:
        return None
    where = passage.source if passage.start == 0 else f"{passage.source}, from token {passage.start} on"
    if passage.trace is None:
        return {"tokens": [passage.text], "pin": 0, "link": "", "where": where}
    tokens = passage.trace.tokens
    pin = controls.PIN.get()
    layer, head = choice.head
    asked = {"model": choice.found.settings["model"], "text": passage.text, "head": f"{layer}.{head}"}
    return {
        "tokens": tokens,
        "pin": passage.row if pin is None else min(pin, len(tokens) - 1),
        "link": "./?" + urlencode(asked),
        "where": where,
    }


DRAW = {controls.ALL: everybody, controls.ONE: one}
