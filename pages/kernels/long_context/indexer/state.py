"""The state of the part Lightning indexer: how many keys, which layer, and how q and k are rotated and rounded."""

from __future__ import annotations

from tlmviz.layers.indexer import ROTATIONS
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

KS = tuple(2**i for i in range(11))  # 1 to 1,024
OUTLIERS = (1, 3, 10, 30, 100)
FORMATS = {"fp8_e4m3": "FP8 E4M3", "int8": "INT8", "int4": "INT4"}


class Indexing(state.State):
    """k keys per query, 32 of which are enough for one layer to cover nine tenths of its mass; the layer, while None
    the best."""

    k = state.menu(
        N_("k, keys per query"),
        KS,
        key="ik",
        default=32,
        widget="select_slider",
        help=N_(
            "Every query of every layer attends to the k keys with the highest index scores, all heads to the same "
            "ones."
        ),
    )
    layer = state.menu(N_("Layer"), key="ilayer", parse=link.whole(0, 999), segments=True)
    rotation = state.menu(N_("Rotation U"), tuple(ROTATIONS), key="iu", default="hadamard", segments=True)
    format = state.menu(
        N_("Stored as"),
        FORMATS,
        key="ifmt",
        segments=True,
        spelled=FORMATS,
        help=N_("One scale per vector of q and k, from its largest number."),
    )
    outlier = state.menu(
        N_("Outlier (simulated)"),
        OUTLIERS,
        key="iout",
        widget="select_slider",
        show="× {}".format,
        spelled={factor: f"× {factor}" for factor in OUTLIERS},
        help=N_(
            "One dimension of k multiplied and of q divided by this: no score changes, but peaks appear as in large "
            "models."
        ),
    )
