"""Draws the page "Next tokens": the chains or the passes, and below them accuracy, speed and the twins."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tlmviz.analysis.experts.ahead import Chain
from tlmviz.errors import Error
from tlmviz.figures import readable
from tlmviz.figures.experts.ahead import accuracy_by_depth, speeds
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import ahead_view, payload
from .controls import Choice

OFFERS = 3  # words of a prediction


def show(choice: Choice) -> None:
    """The text, then what to notice and all that is below."""
    try:
        header = _rounds(choice) if choice.writing else _chains(choice)
    except Error as error:
        st.warning(str(error))
        return
    data = payload(
        tokens=_spelled(choice, choice.lm.encode(choice.text)), picture=below.next_picture(), **header
    )
    ahead_view(data, key=controls.KEY, on_change=controls.keep)
    below.when_painted("beneath-ahead", lambda: _beneath(choice))


def _spelled(choice: Choice, ids: list[int]) -> list[str]:
    """Each token as it stands in a text; one that spells nothing by its name."""
    tokenizer = choice.lm.tokenizer
    return [tokenizer.decode([i], continues=True) or readable(tokenizer.name(i)) for i in ids]


def _chains(choice: Choice) -> dict[str, Any]:
    ids, chains = choice.lm.encode(choice.text), compute.chains(choice)
    stages = [
        [_stage(choice, chain, place, depth, ids) for depth in range(len(chain.read))]
        for place, chain in enumerate(chains)
    ]
    right = [next((d for d, stage in enumerate(each) if not stage["right"]), len(each)) for each in stages]
    at = min(choice.place, len(ids)) or len(right) - right[::-1].index(max(right))
    return {"kind": "chains", "chains": stages, "rounds": [], "own": choice.reads == controls.OWN, "at": at}


def _stage(choice: Choice, chain: Chain, place: int, depth: int, ids: list[int]) -> dict[str, Any]:
    p = chain.predicted[depth]
    top = p.topk(OFFERS)
    names = _spelled(choice, [chain.read[depth], *top.indices.tolist()])
    follows = place + depth + 1
    right = bool(top.indices[0] == ids[follows]) if follows < len(ids) else None
    offers = [[name, round(float(value), 4)] for name, value in zip(names[1:], top.values)]
    return {
        "reads": names[0],
        "word": names[1],
        "p": round(float(top.values[0]), 4),
        "right": right,
        "top": offers,
    }


def _rounds(choice: Choice) -> dict[str, Any]:
    said = compute.written(choice)
    left, rounds = len(said.ids), []
    for each in said.rounds:
        kept = _spelled(choice, list(each.written[: min(left, len(each.written))]))
        proposed = [
            [name, round(p, 4)] for name, p in zip(_spelled(choice, list(each.proposed)), each.chances)
        ]
        whole = len(kept) > each.accepted
        rounds.append(
            {
                "proposed": proposed,
                "accepted": min(each.accepted, len(kept)),
                "added": kept[-1] if whole else None,
            }
        )
        left -= len(kept)
    full = next(
        (i for i, each in enumerate(said.rounds) if each.proposed and each.accepted == len(each.proposed)), 0
    )
    at = min(choice.step, len(rounds)) or full + 1
    return {"kind": "rounds", "chains": [], "rounds": rounds, "own": True, "at": at}


def _beneath(choice: Choice) -> None:
    frame.what_to_notice(
        *(words.NOTICE_WRITING if choice.writing else words.NOTICE), maths=words.NOTICE_MATHS
    )
    if choice.writing:
        said = compute.written(choice)
        with st.spinner(words.WRITING_BOTH, show_time=True):
            plain, quick = compute.speeds(choice)
        st.markdown(words.race(choice, said, plain, quick))
        frame.chart(
            speeds(plain, quick, frame.theme()),
            key="aheadspeeds",
            alt=words.AHEADSPEEDS_ALT,
        )
    else:
        held_out = compute.measured().query("model == @compute.NAME")["accuracy"].tolist()
        figure = accuracy_by_depth(compute.accuracy(choice), held_out, frame.theme())
        frame.chart(
            figure,
            key="aheadaccuracy",
            alt=words.AHEADACCURACY_ALT,
        )
        st.markdown(words.twins())
    frame.badges(compute.checks(choice))
    for equation in words.EQUATIONS[choice.writing]:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(choice))
