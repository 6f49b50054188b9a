"""The state of the part Masks: which methods are compared, of which sizes, whose pattern is drawn, and the needle
test."""

from __future__ import annotations

from typing import Any

from tlmviz.analysis.kernels.long_context import LONGEST
from tlmviz.layers import linear, sparse
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

FULL = "Full"
METHODS = {
    "Sliding window": lambda s: sparse.Window(s.window),
    "Block-local": lambda s: sparse.Blocks(s.block),
    "Longformer": lambda s: sparse.Longformer(s.window, s.tokens),
    "BigBird": lambda s: sparse.BigBird(s.window, s.tokens, s.keys, s.seed),
    "Strided": lambda s: sparse.Strided(s.stride),
    "Dilated window": lambda s: sparse.Dilated(s.window, s.gap),
    "LSH buckets": lambda s: sparse.Hashed(s.buckets, s.rounds, s.seed),
    "Linear (elu + 1)": lambda s: linear.Elu(),
    "Performer": lambda s: linear.Performer(s.features, s.seed),
}
COMPARED = ("Sliding window", "Block-local", "Longformer", "LSH buckets", "Performer")
SIZES = ("window", "block", "tokens", "keys", "stride", "gap", "buckets", "rounds", "features", "seed")


def _size(label: str, default: int, key: str, help: str) -> Any:
    return state.number(label, 0, LONGEST, default, key=key, help=help)


class Sparse(state.State):
    """The methods, SIZES, whose pattern is drawn (None: of the first that is compared), and whether names are looked
    for."""

    methods = state.several(
        N_("Compare"), tuple(METHODS), key="masks", default=COMPARED, label_visibility="collapsed", wrap=True
    )
    window = _size(N_("Window"), 256, "lwin", N_("Sliding window, Longformer, BigBird, dilated window"))
    block = _size(N_("Block"), 256, "lblk", N_("Block-local"))
    tokens = _size(N_("Global tokens"), 4, "lglob", N_("Longformer and BigBird: the text's first tokens"))
    keys = _size(N_("Random keys"), 16, "lrand", N_("BigBird, drawn per query"))
    stride = _size(N_("Stride"), 64, "lstr", N_("Strided"))
    gap = _size(N_("Gap"), 4, "lgap", N_("Dilated window"))
    buckets = _size(N_("Buckets"), 16, "lbkt", N_("LSH"))
    rounds = _size(N_("Hash rounds"), 2, "lrnd", N_("LSH"))
    features = _size(N_("Features"), 128, "lfeat", N_("Performer"))
    seed = _size(N_("Seed"), 0, "lseed", N_("BigBird, LSH and Performer draw at random"))
    pattern = state.menu(N_("Pattern of"), key="pat", parse=link.up_to(40), label_visibility="collapsed")
    needle = state.toggle(N_("Needle test: which of them still find a name?"), key="lneedle")
