"""The controls of the page Why it looks there: a text, one weight of one head, and the path of sources followed from it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from tlmviz.analysis.workbench import following
from tlmviz.analysis.workbench.composition import KINDS
from tlmviz.analysis.workbench.following import Step
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, frame, inputs, link

from . import compute as measures
from .words import HEADS, SCORE

VIEWS = SCORE, HEADS
KEY = "whypicture"
LONGEST = 12  # steps of a path
# In a session: the text a weight was suggested for, the weight that the path belongs to, and the view to turn to.
_OPENED, _BEHIND, _SWITCH = (f"{link.SLOT}why_{name}" for name in ("opened", "behind", "view"))


def parse_path(text: str) -> tuple[Step, ...]:
    """Reads steps as layer.head.query.key; raises ValueError for anything else."""
    steps = []
    for part in text.split(",")[:LONGEST]:
        values = [link.whole(0, 99999)(value) for value in part.split(".")]
        if len(values) != 4:
            raise ValueError(text)
        steps.append(Step(*values))
    return tuple(steps)


def write_path(steps: tuple[Step, ...]) -> str:
    """Steps as `parse_path` reads them."""
    return ",".join(f"{step.layer}.{step.head}.{step.query}.{step.key}" for step in steps)


PATH = link.Field("whypath", (), parse_path, write_path)  # what was followed, behind the pinned weight
AT = link.Field("whyat", 0, link.whole(0, LONGEST))  # which step is shown
ALL = link.Field("whyall", False, lambda text: text == "1", lambda value: str(int(value)))
KIND = link.Field("whykind", "k", link.choice(KINDS))


@dataclass(frozen=True)
class Choice:
    """One of VIEWS, a model, the text it reads, and the steps: the pinned weight, then what was followed; `at` is shown."""

    view: str
    model: str
    text: str
    steps: tuple[Step, ...]
    at: int = 0

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self.steps[self.at]

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return compute.model(self.model)

    @property
    def trace(self) -> Trace:
        """Its pass over the text."""
        return compute.trace(self.model, self.text)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None, with a sentence, where there is no text."""
    lm = compute.model(model)
    text = inputs.text_box(lm)
    with frame.after_picture(pairs=False):
        left, *places = st.columns([0.36, 0.12, 0.12, 0.18, 0.22], vertical_alignment="center")
        if switch := st.session_state.pop(_SWITCH, None):  # a pair of heads was clicked
            st.session_state["whyview"] = switch
        view = left.segmented_control(
            "View",
            VIEWS,
            default=SCORE,
            key="whyview",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
        )
        if text is None:
            return None
        trace = compute.trace(model, text)
        _open(model, text)
        if view == SCORE:
            inputs.head_and_token_menus(lm.config, trace.tokens, places=places)
    first = _pinned(trace)
    if st.session_state.setdefault(_BEHIND, (model, text, first)) != (model, text, first):
        forget_path()  # what was followed belongs to another weight
        st.session_state[_BEHIND] = model, text, first
    steps = (first, *fitted(trace, PATH.get()))
    for field in (PATH, AT, ALL, KIND):
        field.share()
    return Choice(str(view), model, text, steps, min(AT.get(), len(steps) - 1))


def _open(model: str, text: str) -> None:
    """While nobody has chosen a head or a pin, show the weight that is most worth explaining."""
    begun = model, text
    if st.session_state.get(_OPENED) == begun:
        return
    if link.head_is_free() and link.pin_is_free():
        step = measures.striking(model, text)
        link.suggest_row(step.layer, step.head, step.query, step.key)
    st.session_state[_OPENED] = begun


def _pinned(trace: Trace) -> Step:
    """The pinned weight; a key that the query does not see gives way to the one that the head reads most."""
    view = link.view().fitted(trace.n_layers, trace.n_heads, len(trace))
    layer, head = view.head
    query = len(trace) - 1 if view.query is None else view.query
    if view.key is None or view.key not in following.visible_keys(trace, layer, head, query):
        return Step(layer, head, query, following.most_read(trace, layer, head, query))
    return Step(layer, head, query, view.key)


def fitted(trace: Trace, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps up to the first that this model and text do not have."""
    for count, step in enumerate(steps):
        exists = step.layer < trace.n_layers and step.head < trace.n_heads and step.query < len(trace)
        if not exists or step.key not in following.visible_keys(trace, step.layer, step.head, step.query):
            return steps[:count]
    return steps


def forget_path() -> None:
    """Take back all that was followed."""
    PATH.keep(())
    AT.keep(0)


def keep(choice: Choice) -> None:
    """Callback of the picture: a cell was pinned, a source followed, a step shown, taken away or put back."""
    sent: Mapping[str, Any] = (st.session_state.get(KEY) or {}).get("act") or {}
    with suppress(KeyError, TypeError, ValueError):  # what no picture sends
        ACTS[sent["do"]](choice, sent)


def _pin(choice: Choice, sent: Mapping[str, Any]) -> None:
    query, key = int(sent["query"]), int(sent["key"])
    if choice.at == 0:
        link.remember(replace(link.view(), head=(choice.step.layer, choice.step.head), query=query, key=key))
        forget_path()
    else:  # a followed head keeps its position: another of its keys is chosen
        PATH.keep((*choice.steps[1 : choice.at], replace(choice.step, key=key)))


def _follow(choice: Choice, sent: Mapping[str, Any]) -> None:
    position = choice.step.key if sent["side"] == "key" else choice.step.query
    step = following.follow(choice.trace, str(sent["source"]), position)
    PATH.keep((*choice.steps[1 : choice.at + 1], step)[-LONGEST:])
    AT.keep(min(choice.at + 1, LONGEST))


def _show(choice: Choice, sent: Mapping[str, Any]) -> None:
    AT.keep(max(0, min(int(sent["at"]), len(choice.steps) - 1)))


def _cut(choice: Choice, sent: Mapping[str, Any]) -> None:
    count = max(1, int(sent["at"]))
    PATH.keep(choice.steps[1:count])
    AT.keep(min(choice.at, count - 1))


def _put(choice: Choice, sent: Mapping[str, Any]) -> None:
    PATH.keep(fitted(choice.trace, parse_path(str(sent["path"]))))
    AT.keep(len(PATH.get()))


def _all(choice: Choice, sent: Mapping[str, Any]) -> None:
    ALL.keep(bool(sent["all"]))


def _kind(choice: Choice, sent: Mapping[str, Any]) -> None:
    KIND.keep(link.choice(KINDS)(str(sent["kind"])))


def _heads(choice: Choice, sent: Mapping[str, Any]) -> None:
    """A pair of heads: the reader's plainest weight, and from there the writer."""
    writer, (layer, head) = str(sent["writer"]), following.head_of(str(sent["reader"])) or (0, 0)
    step = measures.plainest(choice.model, choice.text, layer, head)
    link.remember(replace(link.view(), head=(layer, head), query=step.query, key=step.key))
    where = step.query if KIND.get() == "q" else step.key
    PATH.keep((following.follow(choice.trace, writer, where),))
    AT.keep(0)
    st.session_state[_BEHIND] = choice.model, choice.text, step
    st.session_state[_SWITCH] = SCORE


ACTS = {
    "pin": _pin,
    "follow": _follow,
    "show": _show,
    "cut": _cut,
    "put": _put,
    "all": _all,
    "kind": _kind,
    "heads": _heads,
}
