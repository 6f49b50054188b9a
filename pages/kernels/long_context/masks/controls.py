"""The controls of the view Masks: sparse and linear methods with their sizes, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.analysis.kernels.long_context import LONGEST
from tlmviz.analysis.kernels.sparse_methods import Method
from tlmviz.errors import BadShape
from tlmviz.layers import linear, sparse

FULL = "Full"
SETTINGS = {  # key in the session and in the link: label, default, where it is used
    "lwin": ("Window", 256, "Sliding window, Longformer, BigBird, dilated window"),
    "lblk": ("Block", 256, "Block-local"),
    "lglob": ("Global tokens", 4, "Longformer and BigBird: the text's first tokens"),
    "lrand": ("Random keys", 16, "BigBird, drawn per query"),
    "lstr": ("Stride", 64, "Strided"),
    "lgap": ("Gap", 4, "Dilated window"),
    "lbkt": ("Buckets", 16, "LSH"),
    "lrnd": ("Hash rounds", 2, "LSH"),
    "lfeat": ("Features", 128, "Performer"),
    "lseed": ("Seed", 0, "BigBird, LSH and Performer draw at random"),
}
METHODS = {
    "Sliding window": lambda s: sparse.Window(s["lwin"]),
    "Block-local": lambda s: sparse.Blocks(s["lblk"]),
    "Longformer": lambda s: sparse.Longformer(s["lwin"], s["lglob"]),
    "BigBird": lambda s: sparse.BigBird(s["lwin"], s["lglob"], s["lrand"], s["lseed"]),
    "Strided": lambda s: sparse.Strided(s["lstr"]),
    "Dilated window": lambda s: sparse.Dilated(s["lwin"], s["lgap"]),
    "LSH buckets": lambda s: sparse.Hashed(s["lbkt"], s["lrnd"], s["lseed"]),
    "Linear (elu + 1)": lambda s: linear.Elu(),
    "Performer": lambda s: linear.Performer(s["lfeat"], s["lseed"]),
}
COMPARED = ["Sliding window", "Block-local", "Longformer", "LSH buckets", "Performer"]


@dataclass(frozen=True)
class MaskChoice:
    """The methods to compare, by name, full attention the first, and the one whose pattern is drawn."""

    methods: dict[str, Method]
    pattern: str = FULL

    @property
    def method(self) -> Method:
        """The method whose pattern is drawn."""
        return self.methods[self.pattern]

    @property
    def linear(self) -> bool:
        """Whether that is linear attention, which has no mask."""
        return isinstance(self.method, linear.LINEAR)


def choose() -> MaskChoice:
    """The methods with their sizes; one that makes no sense is left out and a sentence says why."""
    left, right = st.columns([0.82, 0.18], vertical_alignment="center")
    names = left.pills(
        "Compare",
        list(METHODS),
        selection_mode="multi",
        default=COMPARED,
        key="masks",
        bind="query-params",
        label_visibility="collapsed",
        wrap=True,
    )
    with right.popover("Sizes and seeds", width="stretch"):
        sizes = {
            key: st.number_input(label, 0, LONGEST, value, key=key, bind="query-params", help=where)
            for key, (label, value, where) in SETTINGS.items()
        }
    methods: dict[str, Method] = {FULL: sparse.SparsePattern()}
    for name in (name for name in METHODS if name in (names or [])):
        try:
            methods[name] = METHODS[name](sizes)
        except BadShape as error:
            st.warning(f"{error} It is left out.")
    return MaskChoice(methods)


def choose_pattern(choice: MaskChoice) -> MaskChoice:
    """A menu of the methods that are compared; the choice with the one that is picked."""
    pattern = st.selectbox(
        "Pattern of",
        list(choice.methods),
        index=min(1, len(choice.methods) - 1),
        key="pat",
        bind="query-params",
        label_visibility="collapsed",
    )
    return replace(choice, pattern=pattern)
