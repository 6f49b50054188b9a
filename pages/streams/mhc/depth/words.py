"""The words of the view "Depth" of the page mHC."""

from __future__ import annotations

from .compute import RUNS
from .controls import MAX, MEAN, ONE_TOKEN, Choice, Simulation

NOTICE = (
    "A gain of 1 has the colour of the page: nothing is amplified or lost. Plain residuals have it everywhere, and mHC keeps it "
    "at any depth; nothing keeps that of free hyper-connections (HC).",
    "In mHC what all streams have in common, their mean, is carried on whole. The differences between streams fade from layer "
    "to layer.",
    "Where mHC's solid lines meet, at 1/N (dotted), every stream has become the mean of all. What differs from there on was "
    "written by sublayers on the way.",
)
NOTICE_MATHS = (
    "Products of doubly stochastic matrices are doubly stochastic. Their largest singular value is 1, that of the mean; the "
    "others shrink from product to product.",
)
EQUATION = (
    r"X_L = \Big(\prod_{i=1}^{L-l} H^{res}_{L-i}\Big) X_l + \dots \qquad "
    r"\text{forward gain} = \max_a \sum_b \Big|\prod H^{res}\Big|_{ab} \qquad "
    r"\text{backward gain} = \max_b \sum_a \Big|\prod H^{res}\Big|_{ab}",
    "Transformer with PyTorch, section 5, Eq. 99–103; the two gains as in Xie et al. 2025, "
    "Manifold-Constrained Hyper-Connections. Hyper-connections: Zhu et al. 2024. The dots are what sublayers l to L − 1 wrote.",
    "The sum of Eq. 99 is printed from i = 1, and must start at i = l as that of Eq. 98 does.",
)
SIMULATION = (
    f"A simulation, not a trained network: {RUNS} stacks per model, each matrix drawn at random, with replacement, from all "
    "sublayers and tokens of the trained model on your text, and multiplied. Median, and the band between 10 % and 90 %; "
    "the dotted line is where the trained models end."
)
PASSES = (  # field of a Passed, title, unit, description of the lines
    ("signal", "Signal: RMS of the streams", "RMS", "RMS of the residual streams"),
    ("gradient", "Gradient of the loss by the streams: norm", "norm", "Norm of the loss's gradient"),
)
SELECTION = {ONE_TOKEN: "", MEAN: ".mean()", MAX: ".max()"}  # of a Depth, in Python
PASSES_HEADING = "#### Your text, forward and backward"
SIMULATION_HEADING = "#### Simulation: deeper than any of these models"
AT_SLIDER = "the token at the slider"


def direction(gain: str) -> str:
    """The name of a gain's field of a Depth: forward or backward."""
    return gain.split()[0].lower()


def losses(by_name: dict[str, float]) -> str:
    """The caption below the passes, with each model's mean loss."""
    listed = ", ".join(f"{name} {loss:.3f}" for name, loss in by_name.items())
    return (
        f"Mean loss per token (nats): {listed}. One backward pass through the weights as they are. The head reads the mean over "
        "N streams, so behind all sublayers each gets an Nth of one stream's gradient: the norm over all is √N times smaller."
    )


def every_product_title(gain: str, heading: str) -> str:
    """What stands above the picture."""
    return f"{gain} of every product of H_res, {heading}"


def products_alt(gain: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{gain} from every sublayer to every later one, singular values, identity"


def passes_alt(measure: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{measure} at every depth, one line per kind of connection"


def simulation_alt(measure: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{measure} of simulated stacks against depth: median and 80 % band"


def snippet(choice: Choice, simulation: Simulation) -> str:
    """Python that makes every number of the view."""
    frame = choice.token if choice.over == ONE_TOKEN else 0
    return f"""\
import tlmviz
from tlmviz.analysis.streams import depth as stream_depth, mixing as streams

text = {choice.reading.text!r}
for connection, name in stream_depth.relatives({choice.reading.model!r}).items():
    lm = tlmviz.load(name)
    trace = lm.trace(text)
    res = streams.mixing_of(trace).res  # [sublayers, tokens, streams, streams]
    depth = stream_depth.depth(res){SELECTION[choice.over]}
    gain = depth.{direction(choice.gain)}[{frame}]  # from sublayer i (row) to j (column)
    print(connection, gain[0, -1], depth.singular[{frame}, -1], depth.own[{frame}, -1], depth.other[{frame}, -1])
    passed = stream_depth.passed(lm, trace.ids)
    print(passed.loss, passed.signal, passed.gradient)  # nats; RMS and norm at every depth
    forward, backward = stream_depth.simulated(res, sublayers={2 * simulation.layers}, runs={RUNS}, seed={simulation.seed})
    print(forward[:, -1].quantile(0.5), backward[:, -1].quantile(0.5))  # log10
"""
