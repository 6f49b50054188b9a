"""The state of the page mHC: which view is open, the token and the sublayer looked at, and what each view draws."""

from __future__ import annotations

from tlmviz.config import CONNECTIONS
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

FLOW, MATRICES, DIAL, DEPTH, STREAMS, TRAINING = "flow", "matrices", "dial", "depth", "streams", "training"
ALL = "all"  # in place of one kind of connection: every model of the family, side by side
# Of Flow: what is left of the embedding, or each matrix by itself.
WIDTHS = CARRIED, STEP = ("carried", "step")
COLORS = ("value", "change")  # of Matrices: H_res itself, or what differs from the identity
DISTANCES = NOTHING, EVERYTHING, MEAN = ("nothing", "everything", "mean")  # what H_res is compared with
MODEL, OWN = "model", "own"  # whose matrix the dial shows
LOGITS, ENTRIES = "logits", "entries"  # what the numbers of a typed one are
MIXED = "4 1 2\n1 3 1\n5 1 1"
ITERATIONS = 40  # of the dial
COLDEST, HOTTEST = 0.05, 20.0
ONE, AVERAGE, LARGEST = "one", "average", "largest"  # tokens that Depth's products are of
FORWARD, BACKWARD = "forward", "backward"
THROUGH, SUM, MUTE = "through", "sum", "mute"  # parts of Streams
HEAD = "the mean that the head reads"
EMBEDDING = "from embedding on"
_NAME = 60  # characters of a name that depends on the model


def _entry(text: str) -> tuple[int, int]:
    row, _, column = text.partition(".")
    return link.whole(0, 99)(row), link.whole(0, 99)(column)


def _temperature(text: str) -> float:
    return float(f"{link.real(COLDEST, HOTTEST)(text):.4g}")


class Streams(state.State):
    """A model and a text, where in it one looks, and what the views show of it."""

    model: str
    text: str
    view = state.parts(
        N_("View"),
        {
            FLOW: N_("Flow"),
            MATRICES: N_("Matrices"),
            DIAL: N_("Sinkhorn dial"),
            DEPTH: N_("Depth"),
            STREAMS: N_("Streams"),
            TRAINING: N_("Training"),
        },
        key="sview",
        spelled={
            FLOW: "Flow",
            MATRICES: "Matrices",
            DIAL: "Sinkhorn dial",
            DEPTH: "Depth",
            STREAMS: "Streams",
            TRAINING: "Training",
        },
    )
    token = state.live("stok", None, link.whole(0, 99_999), ends=(0, 3, 99_999))  # None: the last one
    sublayer = state.live("ssub", 0, link.whole(0, 99_999), ends=(1, 99_999))
    # Flow
    shown = state.live("sfshow", ALL, link.choice((ALL, *CONNECTIONS)), ends=CONNECTIONS)
    widths = state.live("sfwidth", WIDTHS[0], link.choice(WIDTHS), ends=WIDTHS)
    iterations = state.slider(  # None: as many as the model was trained with
        N_("Sinkhorn iterations that the model makes"), 0, 20, None, key="sfit", ends=(0, 1, 20)
    )
    # Matrices; no entry: the largest one beside the diagonal, where streams mix the most
    entry = state.live("smij", None, _entry, lambda entry: link.write_pairs([entry]), ends=((1, 0), (99, 99)))
    colors = state.live("smcol", COLORS[0], link.choice(COLORS), ends=COLORS)
    distance = state.menu(
        N_("How far the mixing is"),
        {NOTHING: N_("from no mixing"), EVERYTHING: N_("from full mixing"), MEAN: N_("from its mean over tokens")},
        key="smdist",
        segments=True,
        spelled={NOTHING: "from I", EVERYTHING: "from 1/N", MEAN: "from its mean over tokens"},
    )
    # Sinkhorn dial; at first one iteration, two half steps: it does nearly all
    step = state.live("sdi", 2, link.whole(0, 2 * ITERATIONS), ends=(0, 7, 2 * ITERATIONS))
    temperature = state.live("sdt", 1.0, _temperature, "{:.4g}".format, ends=(COLDEST, HOTTEST))
    source = state.menu(
        N_("Matrix"),
        {MODEL: N_("Model’s logits"), OWN: N_("Own matrix")},
        key="sds",
        segments=True,
        spelled={MODEL: "Model’s logits", OWN: "Own matrix"},
        label_visibility="collapsed",
    )
    kind = state.menu(
        N_("Numbers are"),
        {LOGITS: N_("Logits"), ENTRIES: N_("Entries ≥ 0")},
        key="sdk",
        default=ENTRIES,
        segments=True,
        spelled={LOGITS: "Logits", ENTRIES: "Entries ≥ 0"},
        label_visibility="collapsed",
        help=N_(
            "Logits: the matrix is exp(number / T). Entries: the numbers are the matrix, to the power 1/T; none is "
            "negative."
        ),
    )
    matrix = state.text(
        N_("Matrix: numbers with spaces, a line for each row"),
        MIXED,
        key="sdm",
        height=220,
        longest=8000,
        help=N_("Commas, semicolons and brackets are read too: paste Python lists or spreadsheet cells."),
        ends=("1 2 3\n0 4 0\n0 5 0", "1 1\n0 1", "7", "nonsense"),
    )
    # Depth
    over = state.menu(
        N_("Of"),
        {ONE: N_("One token"), AVERAGE: N_("Mean over tokens"), LARGEST: N_("Largest over tokens")},
        key="spof",
        spelled={ONE: "One token", AVERAGE: "Mean over tokens", LARGEST: "Largest over tokens"},
        segments=True,
        label_visibility="collapsed",
    )
    gain = state.menu(
        N_("Gain"),
        {FORWARD: N_("Forward gain"), BACKWARD: N_("Backward gain")},
        key="spway",
        segments=True,
        spelled={FORWARD: "Forward gain", BACKWARD: "Backward gain"},
        label_visibility="collapsed",
    )
    layers = state.slider(N_("Layers, simulated"), 64, 256, 128, key="spdeep", step=16)
    seed = state.number(N_("Seed"), 0, 9999, 0, key="spseed")
    # Streams
    part = state.menu(
        N_("Part"),
        {THROUGH: N_("Through depth"), SUM: N_("Unrolled sum"), MUTE: N_("Mute")},
        key="sxpart",
        segments=True,
        spelled={THROUGH: "Through depth", SUM: "Unrolled sum", MUTE: "Mute"},
        label_visibility="collapsed",
    )
    reader = state.menu(N_("Reader"), key="sxto", default=HEAD, parse=link.up_to(_NAME), label_visibility="collapsed")
    muted = state.menu(  # None: the one that costs the most
        N_("Muted stream"), key="sxmute", parse=link.up_to(_NAME), label_visibility="collapsed"
    )
    start = state.menu(
        N_("Muted"), key="sxfrom", default=EMBEDDING, parse=link.up_to(_NAME), label_visibility="collapsed"
    )
    everywhere = state.toggle(N_("Measure every stream from every place"), key="sxall")
