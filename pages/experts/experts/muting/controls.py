"""The controls of the view "Mute & force": experts by menu or by a click in the picture, and what becomes of the bias."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.experts.experts.compute import BIAS, Change, Experts
from pages.experts.experts.controls import Reading
from tlmviz.ui import link

KEY = "xmuting"
MOST_PASSES = 6_000  # tokens of all passes behind the map, up to which it is measured without being asked for


def _experts(text: str) -> Experts:
    """Experts of a link; raises ValueError."""
    return tuple(sorted(set(link.pairs(text)))[:256])


MUTED: link.Field[Experts] = link.Field("xmute", (), _experts, link.write_pairs)
FORCED: link.Field[Experts] = link.Field("xforce", (), _experts, link.write_pairs)


@dataclass(frozen=True)
class Choice:
    """A text and what is changed in the routing of its pass."""

    reading: Reading
    change: Change


def choose(reading: Reading) -> Choice:
    """Draw the controls and return what they say."""
    left, middle, right = st.columns([0.34, 0.34, 0.32], vertical_alignment="center")
    muted = _menu(left, reading, "Muted experts", MUTED, "Mute: layer · expert")
    forced = _menu(middle, reading, "Forced experts", FORCED, "Force: layer · expert")
    bias = right.segmented_control(
        "Bias of the routers",
        BIAS,
        label_visibility="collapsed",
        default=BIAS[0],
        key="xbias",
        bind="query-params",
        required=True,
        disabled=not reading.experts.bias,
    )
    return Choice(reading, Change(muted, forced, bias if reading.experts.bias else BIAS[0]))


def _menu(place, reading: Reading, label: str, field: link.Field[Experts], hint: str) -> Experts:
    """A menu of experts; those of a link that the model does not have are left out."""
    options = [(layer, expert) for layer in reading.layers for expert in range(reading.experts.count)]
    name, verb = f"_{field.key}", hint.partition(":")[0].lower()
    st.session_state[name] = [each for each in field.get() if each in options]
    place.multiselect(
        label,
        options,
        key=name,
        format_func=lambda each: f"{verb} {each[0]} · {each[1]}",
        on_change=lambda: field.keep(tuple(sorted(st.session_state[name]))),
        placeholder=hint,
        label_visibility="collapsed",
    )
    field.share()
    return tuple(sorted(st.session_state[name]))


def toggle(reading: Reading) -> None:
    """Callback of the picture: an expert was clicked, which mutes it, or lets it speak again."""
    message = (st.session_state.get(KEY) or {}).get("expert")
    if not message:
        return
    place, expert = message
    each = reading.layers[int(place)], int(expert)
    muted = set(MUTED.get())
    MUTED.keep(tuple(sorted(muted ^ {each})))
    FORCED.keep(tuple(other for other in FORCED.get() if other != each))


def measure_all(passes: int) -> bool:
    """Whether a map that takes long is measured."""
    return st.toggle(f"Mute every expert alone ({passes} passes)", key="xall", bind="query-params")
