"""The words of the view "Flow" of the page mHC."""

from __future__ import annotations

from tlmviz.analysis.streams.mixing import carried
from tlmviz.figures.written import number
from tlmviz.ui import inputs, long_text

from .compute import NEW_TOKENS, Member
from .controls import Choice

STREAM = (
    "A **stream** is one of the several vectors that a token carries in place of one: each sublayer reads a mixture of them, "
    "adds its result to each, and what is carried on is mixed too."
)
STREAM_MATHS = "The three sets of weights are H_pre (read), H_post (written) and H_res (carried on)."
HOW_TO_READ = (
    "Bands are the streams on their way from the embedding to the head; A and M are attention and MLP. Lines into a sublayer "
    "are what it reads, lines out of it what it writes, all as wide as their weights; orange ones are negative. "
    "Click a sublayer or use the arrow keys: it is enlarged, with its numbers."
)
EQUATION = (
    r"X_{l+1} = H^{\text{res}}_l X_l + H^{\text{post}}_l F_l(H^{\text{pre}}_l X_l), \qquad "
    r"c_{l+1} = H^{\text{res}}_l c_l, \quad c_0 = 1",
    "Transformer with PyTorch, section 5, Eq. 88–99. c is the coefficient of the embedding in each stream: what is carried "
    "to sublayer l. A plain residual is N = 1 with all three matrices equal to 1.",
)
NEAR = 0.05  # distance from the identity below which a matrix is said to hardly mix
LOSS_TITLE = "Loss by Sinkhorn iterations (nats a token)"
GAIN_TITLE = "Gain of all H_res together (factor)"


def notice(choice: Choice, members: list[Member]) -> list[str]:
    """How to read the picture, and what is measured of each model that has several streams."""
    return [
        HOW_TO_READ,
        *(_carried(member, choice.iterations) for member in members if member.kind != "residual"),
    ]


def _carried(member: Member, iterations: int | None) -> str:
    """How far a model's streams carry the embedding over all tokens of the text, and how much it mixes them."""
    res = member.mixing.res.double()  # [P, T, N, N]
    least, most = carried(res)
    identity = res.new_zeros(res.shape[-1], res.shape[-1]).fill_diagonal_(1.0)
    far = float((res - identity).abs().max())
    mixes = (
        f"It hardly mixes its streams, no weight being further than {far:.2g} from no mixing at all: they differ by what is "
        "written to them."
        if far < NEAR
        else f"A weight of its mixing is up to {far:.2g} away from no mixing at all."
    )
    name = inputs.plain(member.model)
    if member.kind == "manifold":
        name += f" with {iterations} iterations"
    return (
        f"{name}: over all tokens of this text the embedding is carried at × {number(least, '.3g')} to "
        f"× {number(most, '.3g')}. {mixes}"
    )


def window(choice: Choice) -> str:
    """Which tokens the picture was sent, where not all."""
    first, last = choice.window.start, choice.window.stop - 1
    return f"The picture walks along tokens {first} to {last} of {len(choice.reading.tokens)}; choose another token in Matrices."


def changed(
    model: str, iterations: int, trained: int, losses: tuple[float, float], gains: tuple[float, float]
) -> str:
    """What the chosen number of iterations changes; both pairs as trained first, then with the chosen number."""
    name, (before, after), (usual, chosen) = inputs.plain(model), losses, gains
    if iterations == trained:
        return (
            f"{name} makes {trained} iterations, as in training: loss {before:.4f} nats a token, gain of all H_res together "
            f"×\u00a0{usual:.4g}."
        )
    return (
        f"{name} with {iterations} iterations for the {trained} of its training: loss {before:.4f} → **{after:.4f}** nats a "
        f"token, gain of all H_res together ×\u00a0{usual:.4g} → **×\u00a0{chosen:.4g}**."
    )


def same_text(iterations: int) -> str:
    """Said where both runs write the same."""
    return f"With {iterations} iterations it writes the same {NEW_TOKENS} tokens."


def iterations_alt(measure: str, iterations: int) -> str:
    """What the picture shows, for screen readers."""
    return f"{measure}: one real pass for each number, {iterations} marked"


def snippet(choice: Choice, model: str | None) -> str:
    """Python that makes the coefficients of the picture, and the pass with other iterations."""
    reading = choice.reading
    again = (
        ""
        if model is None or choice.iterations is None
        else f"""
from tlmviz.analysis.streams.iterations import rerun, written

lm = tlmviz.load({model!r})
run = rerun(lm, text, iterations={choice.iterations})
print(run.loss, run.forward)  # nats a token; gain of all H_res together
print(written(lm, text, iterations={choice.iterations}, tokens={NEW_TOKENS}))
"""
    )
    return f"""import torch
import tlmviz
from tlmviz.analysis.streams import depth, mixing as streams

{long_text.text_line(reading.text)}
for connection, name in depth.relatives({reading.model!r}).items():
    mixing = streams.mixing_of(tlmviz.load(name).trace(text))  # pre, post [P, T, N] and res [P, T, N, N]
    carried = [torch.ones_like(mixing.pre[0, {choice.token}])]
    for H in mixing.res[:, {choice.token}]:
        carried.append(H @ carried[-1])
    print(connection, torch.stack(carried))  # of the embedding, in each stream behind each sublayer
{again}"""
