"""The controls of the page Head atlas: a survey, two statistics and a query, or one head and a passage of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.analysis.workbench.survey import STATISTICS, Survey
from tlmviz.analysis.workbench.survey.finding import COLUMNS
from tlmviz.checkpoints.folders import SURVEYS, survey_folders
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs, link

from . import compute, words
from .words import ALL, ONE, VIEWS

KEYS = {
    ALL: "atlaspicture",
    ONE: "atlashead",
}  # of the pictures: two views of one key would both stay on the page
MOST = 10_000  # characters of a query that the box takes; the finder says how many it reads
HIDDEN = {"label_visibility": "collapsed"}


def _sorting(text: str) -> str:
    link.choice(COLUMNS)(text.removeprefix("-"))
    return text


SORT = link.Field("atlassort", "", _sorting)  # a column of the table, "-" before it: largest first
TOP = link.Field("atlastop", 0, link.whole(0, 9))  # which of a head's top passages
BY = link.Field("atlasby", "", str)  # the menu's
PIN: link.Field[int | None] = link.Field(
    "atlaspin", None, link.whole(0, 9999), lambda pin: "" if pin is None else str(pin)
)  # the word of the passage whose row is shown
# In a session: survey, head, the statistic it stands out by, and the passages' statistic and place; the view to turn to.
_OF, _SWITCH = (f"{link.SLOT}atlas_{name}" for name in ("of", "view"))


@dataclass(frozen=True)
class Choice:
    """A survey by its name, and what is shown of it: two statistics and a query, or a head and one of its top passages."""

    view: str
    survey: str
    x: str = "previous"
    y: str = "induction"
    query: str = ""
    head: tuple[int, int] = (0, 0)
    by: str = "induction"
    top: int = 0

    @property
    def found(self) -> Survey:
        """The survey, opened."""
        return compute.survey(self.survey)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None, with a sentence, where there is no survey."""
    names = list(survey_folders())
    if not names:
        st.info(words.NO_SURVEY)
        return None
    linked = st.query_params.get("atlas")
    if linked is not None and linked not in names:
        st.warning(words.no_such(linked, names))
    with frame.after_picture(pairs=False, name="what"):
        left, right, rest = st.columns([0.2, 0.22, 0.58], vertical_alignment="center")
        if switch := st.session_state.pop(_SWITCH, None):  # a head was clicked
            st.session_state["atlasview"] = switch
        view = left.segmented_control(
            "View", VIEWS, default=ALL, key="atlasview", bind="query-params", required=True, **HIDDEN
        )
        name = link.menu(
            right, "Survey", names, "atlas", default=_start(names, model), show="Survey: {}".format, **HIDDEN
        )
        survey = compute.survey(name)
        choice = (_all if view == ALL else _one)(name, survey, rest)
    if view == ALL:
        choice = replace(choice, query=_finder())
    if remark := words.remark(survey, compute.reader(name), model):
        st.caption(remark)
    for field in (SORT, TOP, PIN):
        field.share()
    return choice


def _start(names: list[str], model: str) -> str:
    """The survey that the page opens on: one that was named on starting, else the model's own, else the default model's."""
    if os.environ.get(SURVEYS):
        return names[0]
    return next((name for name in (model, shared.DEFAULT_MODEL) if name in names), names[0])


def _all(name: str, survey: Survey, place: DeltaGenerator) -> Choice:
    across, up = place.columns(2)
    x = link.menu(across, "Across", COLUMNS, "atlasx", default="previous", show=words.across, **HIDDEN)
    y = link.menu(up, "Up", COLUMNS, "atlasy", default="induction", show=words.up, **HIDDEN)
    return Choice(ALL, name, x, y)


def _finder() -> str:
    """The query that is typed."""
    typed = st.text_input(
        "Find heads",
        "",
        key="atlasfind",
        live="300ms",
        bind="query-params",
        max_chars=MOST,
        placeholder="Find heads: previous-token > 0.5 and layer < 4",
        **HIDDEN,
    )
    return typed or ""


def _one(name: str, survey: Survey, place: DeltaGenerator) -> Choice:
    *menus, below = place.columns([0.28, 0.28, 0.44])
    layers, heads = survey.settings["layers"], survey.settings["heads"]
    wanted = link.view().head
    if not (0 <= wanted[0] < layers and 0 <= wanted[1] < heads):
        st.warning(words.no_head(wanted, survey))
        link.choose_head(*striking(survey))
    else:
        link.open_on(f"atlas {name}", lambda: striking(survey))
    head = inputs.head_menus(layers, heads, menus)
    start = stands_out(survey, head)
    former = st.session_state.get(_OF)
    if former and former[:2] != (name, head) and BY.get() == former[2]:
        BY.keep(start)  # nobody chose a statistic: each head shows the one that it stands out by
    by = link.menu(below, "Passages by", STATISTICS, BY.key, default=start, show=words.top_by, **HIDDEN)
    if former and former[:2] + former[3:4] != (name, head, by):
        TOP.keep(0)
    if former and former[:2] + former[3:] != (name, head, by, TOP.get()):
        PIN.keep(None)  # what was pinned belongs to another passage
    st.session_state[_OF] = name, head, start, by, TOP.get()
    return Choice(ONE, name, head=head, by=by, top=TOP.get())


def striking(survey: Survey) -> tuple[int, int]:
    """The head with the most induction, else the first."""
    values = survey.heads["induction"].to_numpy()
    best = int(np.nan_to_num(values, nan=-1.0).argmax())
    return divmod(best, survey.settings["heads"])


def stands_out(survey: Survey, head: tuple[int, int]) -> str:
    """The statistic by which a head is farthest above the others, in standard deviations."""
    values = survey.heads[list(STATISTICS)].to_numpy(float)
    own = values[head[0] * survey.settings["heads"] + head[1]]
    with np.errstate(invalid="ignore", divide="ignore"):
        away = (own - np.nanmean(values, 0)) / np.nanstd(values, 0)
    return STATISTICS[int(np.nan_to_num(away, nan=-9.0, posinf=-9.0).argmax())]


def keep(choice: Choice) -> None:
    """Callback of the pictures: a head was opened, the table sorted, a passage chosen or a word pinned."""
    sent: Mapping[str, Any] = (st.session_state.get(KEYS[choice.view]) or {}).get("act") or {}
    with suppress(KeyError, TypeError, ValueError):  # what no picture sends
        ACTS[sent["do"]](choice, sent)


def _open(choice: Choice, sent: Mapping[str, Any]) -> None:
    layer, head = (int(part) for part in sent["head"])
    link.choose_head(layer, head)
    TOP.keep(0)
    st.session_state[_SWITCH] = ONE


def _sort(choice: Choice, sent: Mapping[str, Any]) -> None:
    SORT.keep(_sorting(str(sent["by"])))


def _passage(choice: Choice, sent: Mapping[str, Any]) -> None:
    TOP.keep(max(0, min(int(sent["top"]), 9)))


def _pin(choice: Choice, sent: Mapping[str, Any]) -> None:
    PIN.keep(max(0, int(sent["query"])))


ACTS = {"open": _open, "sort": _sort, "passage": _passage, "pin": _pin}
