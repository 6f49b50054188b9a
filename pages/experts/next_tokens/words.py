"""The words of the page "Next tokens"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.figures import number

from . import compute

if TYPE_CHECKING:
    from tlmviz.decoding.speculative import Speculation

    from .controls import Choice

CLAIM = "A model that predicts four tokens at once, and writes several for each time it is asked."
NOTICE = (
    "Point at a token, or choose it: the boxes are what is predicted from there on. The model has read the text up to that token "
    "and predicts the next one; each module reads what the part before it made there, and one more token, and predicts one "
    "token further. In the text, the tokens that follow are underlined where the prediction is right (blue) or wrong (orange).",
    "“What was predicted”: each module reads the token that the part before it named. One wrong token misleads all that "
    "follow. So it is when text is written.",
    "“The text”: each module reads the token that really stands there. So the modules were trained, and so they are right nearly "
    "as often as the model itself: they look further, but they are told what lies between.",
)
NOTICE_WRITING = (
    "Each column is one pass of the model. What proposes is quick and may be wrong; the model reads all proposed tokens in one "
    "pass, keeps those that it would have written itself, and adds one token of its own.",
    "So the text is the one that the model writes alone, token for token; at a temperature above 0 one drawn with the same "
    "probabilities. A wrong proposal costs time, never a wrong word.",
    "Proposing stops where the proposals are too unsure to be worth their time: together less probable than 0.3.",
    "A smaller model that writes ahead is the other way to propose. It must spell texts with the same vocabulary, and it must be "
    "much quicker than the model that it serves.",
)
NOTICE_MATHS = (
    "The modules are DeepSeek-V3's: one after another, each with a block of its own, all with the model's embedding and head. "
    "Their mean loss counts λ = 0.3 in training.",
    "At temperature 0 the accepted part is where both argmaxes agree. Above it a proposed x, drawn from q, stays with "
    "probability min(1, p(x) / q(x)); in place of one that goes a token is drawn from the positive part of p − q.",
)
_MODULES = (
    r"\mathbf{h}'^{\,k}_i = \mathbf{W}_k \left[\mathrm{RMSNorm}(\mathbf{h}^{k-1}_i);\ \mathrm{RMSNorm}(\mathrm{Emb}(w_{i+k}))"
    r"\right], \quad \mathbf{h}^k = \mathrm{Block}_k(\mathbf{h}'^{\,k}), \quad P^k_{i+k+1} = \mathrm{softmax}(\mathrm{Head}("
    r"\mathbf{h}^k_i)), \quad \mathcal{L} = \mathcal{L}_0 + \frac{\lambda}{D} \sum_{k=1}^{D} \mathcal{L}_k",
    "DeepSeek-AI 2024 (DeepSeek-V3), section 2.2, Eq. 21–25; Decoder-Only Transformers in Einstein Notation, section 6.4.",
    "Section 6.4 adds n heads beside one another, all on the same final state and with equal weight (Gloeckle et al. 2024). "
    "DeepSeek-V3 chains modules: each sees the token before the one that it predicts. This model does the latter.",
)
_REJECTION = (
    r"\Pr(x \text{ stays}) = \min\left(1, \frac{p(x)}{q(x)}\right), \qquad \text{else } x \sim \frac{\max(0, p - q)}"
    r"{\sum_y \max(0, p(y) - q(y))} \quad \Rightarrow \quad x \sim p",
    "Leviathan, Kalman and Matias 2023, section 2.3 and appendix A.1.",
)
EQUATIONS = {False: (_MODULES,), True: (_REJECTION, _MODULES)}
WRITING_BOTH = "Writing the same text both ways …"
AHEADSPEEDS_ALT = "Tokens per second, one a pass and with proposals"
AHEADACCURACY_ALT = "Share of right predictions by depth, on this text and on held-out stories"


def twins() -> str:
    """What the modules cost or gave the model itself, in a sentence."""
    found = compute.measured().query("depth == 0").set_index("model")
    own = found.loc[compute.NAME]
    if compute.PLAIN not in found.index:
        return (
            f"On held-out stories the model itself needs {number(own['bits_per_byte'], '.4f')} bits per byte."
        )
    plain = found.loc[compute.PLAIN]
    gain = plain["bits_per_byte"] - own["bits_per_byte"]
    way = "did not help" if gain <= 0 else "helped"
    return (
        f"Does learning to look ahead help the model itself? Its twin, trained without modules on the same stories in the same "
        f"order, needs {number(plain['bits_per_byte'], '.4f')} bits per byte on held-out stories, this one "
        f"{number(own['bits_per_byte'], '.4f')}: at this size it {way}, by {number(abs(gain), '.4f')}. One run of each "
        f"cannot tell a difference below about 0.01 from chance (the zoo's seeds differ by that much)."
    )


def race(choice: Choice, said: Speculation, plain: float, quick: float) -> str:
    """What the proposals gained, in a sentence."""
    ratio, gain = quick / plain, "quicker" if quick >= plain else "slower"
    share = f", of {said.proposed:,} proposed tokens {said.accepted:,} stayed" if said.proposed else ""
    text = (
        f"{len(said.ids):,} tokens in {said.passes:,} passes of {choice.lm.name}{share}: "
        f"{number(len(said.ids) / said.passes, '.2f')} tokens per pass. Measured now: {number(quick, '.0f')} tokens per second, "
        f"{number(plain, '.0f')} one token a pass: {number(ratio, '.2f')} times, that is {gain}."
    )
    if ratio < 1:
        text += " What proposes takes more time here than the saved passes would have."
    return text


def snippet(choice: Choice) -> str:
    """What is shown, with the public API."""
    if not choice.writing:
        return _predictions(choice)
    draft = "None" if choice.draft is None else f"tlmviz.load({choice.draft.name!r})"
    return f"""\
import tlmviz

lm = tlmviz.load({choice.lm.name!r})
draft = {draft}
said = lm.speculate({choice.text!r}, {choice.count}, draft=draft, temperature={choice.temperature})
print(said.text)
print(said.passes, "passes,", said.accepted, "of", said.proposed, "proposed tokens stayed")
for each in said.rounds:
    print([lm.tokenizer.name(i) for i in each.proposed], each.accepted, lm.tokenizer.name(each.written[-1]))
"""


def _predictions(choice: Choice) -> str:
    way = "own_chains" if choice.reads == "what was predicted" else "given_chains"
    return f"""\
import tlmviz
from tlmviz.analysis.experts.ahead import accuracy, {way}

lm = tlmviz.load("stories-mtp")
ids = lm.encode({choice.text!r})
chains = {way}(lm.network, ids)
for token, chain in zip(ids, chains):
    print(lm.tokenizer.name(token), "->", [lm.tokenizer.name(i) for i in chain.first])
print(accuracy(chains, ids))  # of each depth (right, all)
"""
