"""The controls of the page Pipeline: schedule, stages, micro-batches and durations, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.analysis.cost.pipeline import (
    MOST_CHUNKS,
    MOST_LAYERS,
    MOST_MICRO,
    MOST_STAGES,
    ONE,
    SCHEDULES,
    Setting,
)
from tlmviz.ui import frame, link

KEY = "pipelineview"
AT = link.Field("plat", None, link.real(0, 1e6))  # the time under the cursor; None: the end
_SEQUENCE = "_pl_sequence"  # session: number of the picture's last message


@dataclass(frozen=True)
class Choice:
    """A schedule and the pipeline that it runs on."""

    schedule: str
    setting: Setting


def choose() -> Choice:
    """Draw the controls and return what they say. Raises BadSchedule for stages without a layer."""
    schedule = st.segmented_control(
        "Schedule",
        tuple(SCHEDULES),
        default=ONE,
        key="plview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    with frame.after_picture(name="sizes"):
        stages, micro, chunks, layers = _sizes(st.columns(4))
    with frame.after_picture(name="times"):
        columns = st.columns([0.19, 0.19, 0.19, 0.19, 0.24], vertical_alignment="center")
        forward, backward, weights, hop = _times(columns)
        overlapped = columns[4].toggle(
            "Messages overlapped",
            True,
            key="plover",
            bind="query-params",
            help="On: a device goes on working while what it made is on its way. Off: it waits until it has been sent.",
        )
        recompute = columns[4].toggle(
            "Recompute",
            key="plre",
            bind="query-params",
            help="Each layer keeps its input alone, and runs forward a second time before its backward.",
        )
    setting = Setting(stages, micro, chunks, layers, forward, backward, weights, hop, overlapped, recompute)
    return Choice(schedule, setting)


def _sizes(columns) -> tuple[int, int, int, int]:
    """p, m, v and the layers."""
    start = Setting()
    return (
        columns[0].slider("Stages p (devices)", 1, MOST_STAGES, start.stages, key="plp", bind="query-params"),
        columns[1].slider("Micro-batches m", 1, MOST_MICRO, start.micro, key="plm", bind="query-params"),
        columns[2].slider(
            "Chunks v a device",
            1,
            MOST_CHUNKS,
            start.chunks,
            key="plv",
            bind="query-params",
            help="Into how many parts each device's layers fall. Interleaved 1F1B alone uses it.",
        ),
        columns[3].slider(
            "Layers of the model", 1, MOST_LAYERS, start.layers, key="pll", bind="query-params"
        ),
    )


def _times(columns) -> tuple[float, float, float, float]:
    """Durations of forward, of both gradients, and of a message."""
    return tuple(
        column.slider(label, least, most, start, 0.1, key=key, bind="query-params", help=text)
        for column, (label, least, most, start, key, text) in zip(
            columns,
            (
                ("Forward F", 0.1, 3.0, 1.0, "plf", "Time of one micro-batch on one device, in any unit."),
                (
                    "Inputs' gradient B",
                    0.1,
                    3.0,
                    1.0,
                    "plb",
                    "The gradient by a stage's inputs: the stage before waits for it.",
                ),
                (
                    "Weights' gradient W",
                    0.1,
                    3.0,
                    1.0,
                    "plw",
                    "The gradient by a stage's weights: no other stage waits for it.",
                ),
                ("Message per hop", 0.0, 2.0, 0.0, "plc", "What a message from one device to another takes."),
            ),
        )
    )


def state() -> dict:
    """The time that the picture shows, with the number of its own last message."""
    return {"at": AT.get(), "seq": st.session_state.get(_SEQUENCE, 0)}


def keep_time() -> None:
    """Callback of the picture: the user left it at a time."""
    message = (st.session_state.get(KEY) or {}).get("place")
    if message:
        st.session_state[_SEQUENCE] = int(message["seq"])
        AT.set(None if message["at"] is None else round(float(message["at"]), 2))
