"""The words of the view "Training" of the page mHC."""

from __future__ import annotations

NOTICE = (
    "All start as the same network: every matrix hands its streams on as they are, or nearly so. Move the slider to see what "
    "training makes of them.",
    "Lower is better in the first two panels, and HC is ahead: free matrices amplify early what the constraint holds at 1, and "
    "at these depths nothing explodes.",
    "The last panel multiplies the matrices of all sublayers: what a signal can gain on its way forward (solid), a gradient on "
    "its way back (dotted). mHC is bound to 1 in both; HC is free.",
)
NOTICE_MATHS = (
    "mHC keeps 1 up to what Sinkhorn's iterations leave (rows within 0.001 a sublayer). The card of stories-deep-mhc tells what "
    "was tried.",
    "The gradient norm is taken before clipping: its largest value of the steps since the last mark (dotted) shows single "
    "spikes that a mean (solid) hides.",
)
EQUATION = (
    r"\min_\theta\; -\tfrac{1}{T} \sum_t \log p_\theta(x_{t+1} \mid x_{\le t}) \qquad "
    r"H^{res} \in \{ M \ge 0,\; M\mathbf{1} = \mathbf{1},\; \mathbf{1}^\top M = \mathbf{1}^\top \} \text{ in mHC}",
    "Transformer with PyTorch, section 5.2. The models of a family had the same data, schedule and seed. "
    "Gains and matrices were measured on the same held-out text at every moment, averaged over its tokens. "
    "Your own text does not enter this view.",
)
TRAINING_STEP_TITLE = "Training, step by step"
SRCURVES_ALT = "Loss, held-out bits per byte, gradient norm and gains over steps, and H_res at a moment"


def snippet(model: str) -> str:
    """Python that prints the final numbers of a model's family."""
    return f"""\
from tlmviz.analysis.streams import depth as stream_depth, training as stream_training

for connection, name in stream_depth.relatives({model!r}).items():
    curves = stream_training.curves(name)
    print(connection, name, curves["valid_bpb"].dropna().iloc[-1], curves["grad_norm_max"].max())
    if connection != "residual":
        moments = stream_training.moments(name)
        print(moments.steps, moments.res.shape)  # [moments, sublayers, streams, streams]
"""
