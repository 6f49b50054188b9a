"""Draws the page Learning: the menus, and the picture whose steps are walked and played in the browser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from tlmviz.checkpoints.folders import AT
from tlmviz.checkpoints.registry import checkpoint_folder
from tlmviz.errors import UnknownName
from tlmviz.monitoring import Event
from tlmviz.ui import compute as computing
from tlmviz.ui import frame, handoff, inputs, live, markdown
from tlmviz.ui.language import N_, _

from . import claims
from .data import Data, Record
from .state import DEFAULT, PREVIOUS, SHARES, STATISTICS, Learning

PICTURE = live.Picture(__file__, "learning", step=Learning.step, head=Learning.head)
EQUATION = (
    r"\text{induction}=\frac1{|A|}\sum_{(t,s)\in A}p_{t,s+1},\qquad A=\{(t,s):\ x_s=x_t,\ s<t\ \text{the last such}\}",
    "Olsson et al. 2022, “In-context Learning and Induction Heads”: heads form in one short window of the training, in "
    "which the loss on what was seen before falls.",
)

OWN = N_(
    'To see a training of your own, put `with tlmviz.monitor(model, out="run")` around it, and start the app with '
    "`tlmviz run "
    "run`."
)


def controls() -> Learning | None:
    """Draw the controls; what they say. None, with a sentence, where there is no training or nothing to read."""
    asked = Data(Learning.of_session(run="", text=""))
    names, wanted = asked.names, asked.chosen.wanted
    if not names:
        st.info(" ".join([*_missing(), _(OWN)]))
        return None
    if wanted is not None and wanted not in names:
        st.warning(
            _(
                "There is no training “{name}” here; another one is shown. There are: {names}.",
                name=markdown.plain(wanted[:60]),
                names=", ".join(names[:8]),
            )
        )
    with frame.after_picture(pairs=False, name="what"):
        left, right = st.columns([0.4, 0.6], vertical_alignment="center")
        run = Learning.wanted.draw(left, names, names[0], format_func=lambda name: _("Training: {name}", name=name))
        asked = Data(replace(asked.chosen, run=run))
        there = [name for name in STATISTICS if name in asked.record.values]
        statistic = Learning.statistic.draw(
            right, there, format_func=lambda name: _("Curves: {what}", what=_(STATISTICS[name]))
        )
    text = ""
    if asked.model:
        typed = inputs.text_box(computing.model(run))
        if typed is None:
            return None
        text = typed
    return Learning.of_session(run=run, text=text, statistic=statistic)


def _missing() -> list[str]:
    """Which wheel the bundled training comes with, where that is not installed."""
    try:
        checkpoint_folder(DEFAULT)
    except UnknownName as error:
        return [frame.worded(error)]
    return []


def picture(data: Data) -> None:
    """Maps and curves; the browser walks over the steps."""
    record, maps = data.record, data.maps
    share = data.chosen.statistic in SHARES
    title = _("{run}: {what}, step by step", run=data.chosen.run, what=_(STATISTICS[data.chosen.statistic]))
    frame.caption(" ".join([f"{title}.", *_shown_of(data)]))
    losses = {name: values for name, values in record.losses.items() if np.isfinite(values).any()}
    header = {
        "title": title,
        "layers": record.layers,
        "heads": record.heads,
        "shown": data.shown if maps else [],
        "tokens": maps.tokens if maps else [],
        "share": share,
        "losses": [claims.loss_name(name) for name in losses],
        "events": [
            {"head": number_of(record, event), "step": event.step, "says": event.sentence} for event in record.events
        ],
        "helper": _helper(data),
        "at": data.step,
        "looked": data.number,
    }
    arrays = {
        "moments": np.array(data.steps, np.float32),
        "steps": record.steps.astype(np.float32),
        "values": data.values.astype(np.float32),
        "helper": record.values[PREVIOUS][:, record.number(data.helper.head)].astype(np.float32)
        if data.helper
        else np.zeros(0, np.float32),
        "lossSteps": record.loss_steps.astype(np.float32),
        "lossValues": np.stack(list(losses.values())).astype(np.float32) if losses else np.zeros((0, 0), np.float32),
        "maps": np.rint(255 * np.sqrt(maps.weights.clip(0, 1))).astype(np.uint8) if maps else np.zeros(0, np.uint8),
    }
    PICTURE.show(header, arrays)


def _helper(data: Data) -> dict[str, object] | None:
    """The head that an induction head needs, whose curve stands in the same plot."""
    if data.helper is None:
        return None
    name = _(STATISTICS[PREVIOUS])
    return {"head": data.record.number(data.helper.head), "name": name, "after": data.helper.after}


def _shown_of(data: Data) -> list[str]:
    """Of what the curves are, and of what the maps, where they are of a text or of its beginning."""
    said = [_("Curves: the texts that were measured while it learned.")]
    maps = data.maps
    if maps is not None and maps.read > len(maps.tokens):
        said.append(
            _(
                "Maps: the first {shown} of {read} tokens of {text}.",
                shown=len(maps.tokens),
                read=f"{maps.read:,}",
                text=_("your text") if data.model else _("the first probe"),
            )
        )
    elif data.model:
        said.append(_("Maps: your text."))
    return said


def number_of(record: Record, event: Event) -> int | None:
    """The number of the head that an event is of; None where it is of the whole model."""
    if event.layer is None or event.head is None:
        return None
    return record.number((event.layer, event.head))


def open_elsewhere(data: Data) -> None:
    """Links to all heads at the step in the Head atlas, and to the head in the explorer, where the training kept
    weights."""
    at = {"atlas": f"{data.chosen.run}{AT}", "atlasstep": str(data.step)}
    atlas = handoff.Onward(
        _("All heads at step {step} in the Head atlas", step=claims.step(data.step)), "head_atlas", at
    )
    if data.there is None:
        handoff.links([atlas])
        return
    query = {"model": data.there, "text": data.chosen.text, "head": f"{data.head[0]}.{data.head[1]}"}
    label = _("{head} at step {step} in the explorer", head=claims.name(data.head), step=claims.step(data.step))
    handoff.links([handoff.Onward(label, handoff.EXPLORER, query), atlas])


def snippet(data: Data) -> str:
    """The same with the public API."""
    head = data.head
    read = f"""\
import tlmviz
from tlmviz.checkpoints.folders import run_folders

run = tlmviz.monitoring.read(run_folders()[{data.chosen.run!r}])
curve = run.heads.query("layer == {head[0]} and head == {head[1]}")[["step", {data.chosen.statistic!r}]]
print(curve.to_string(index=False))
"""
    if data.there is None:
        return read
    return (
        read
        + f"""
trace = tlmviz.load({data.there!r}).trace({data.chosen.text!r})
print(trace.attention({head[0]}, {head[1]}))
"""
    )
