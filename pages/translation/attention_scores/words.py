"""The words of the page "Attention scores": claim, what to notice, equation, captions, table headings, snippet."""

from __future__ import annotations

import numpy as np

from tlmviz.config import TranslatorConfig
from tlmviz.ui import reading
from tlmviz.ui.translation import SentencePair

from .controls import Choice

CLAIM = "Three ways to compare what is written with what was read."
NOTICE = (
    "**Dot** compares the two vectors as they are, **general** puts a matrix between them, **additive** puts both through a "
    "small "
    "network. Only the scores differ: softmax and mixture are the same in all.",
    "**The context** is a mixture of what was read. Where one weight is near 1 it is that word's state; where the entropy is "
    "high, it is an average of many.",
    "**Time:** dot and general are one product per step. Additive runs its small network for every pair of a written and a read "
    "token: one reason why Transformers use the dot product.",
)
EQUATION = (
    r"a_{ij}=\frac{\exp e_{ij}}{\sum_{j'}\exp e_{ij'}},\quad e_{ij}\in\left\{h_i^\top z_j,\;h_i^\top W z_j,\;"
    r"v^\top\tanh(W_1h_i+W_2z_j)\right\},\qquad c_i=\sum_j a_{ij}z_j,\qquad \tilde h_i=\tanh(W_c[c_i;h_i])",
    "Mathematics in Modern NLP, section 7, Eq. 42–47; Transformer with PyTorch, section 1.3, Eq. 5–6.",
    "Eq. 47 writes a vector vᵢ for each step: it is one v, learned once. Eq. 45 stops at [c; h]; the models go on to one "
    "layer of it "
    "(Luong et al. 2015).",
)
NO_MODELS = (
    "There is no recurrent translation model here yet, and this page compares their scores. "
    "`python -m tlmviz.training eng-fra-general --data DIR` trains one."
)
NO_PRODUCT = (
    "An additive score is no product of h with a key: SDPA cannot compute it. Take a dot or general model."
)
DESCRIBED = {
    "dot": "multiplies the two vectors as they are",
    "general": "a learned matrix between the two vectors",
    "additive": "a small network reads both vectors",
}
COVERED = "a small network reads both vectors, and how much was looked at before"
FORMULAS = {"dot": "h·z", "general": "h W z", "additive": "v·tanh(W₁h + W₂z)"}
IN_TURN = (
    "The fastest and the slowest of 31; the models took turns, when this was first shown. Other work on the server shows in "
    "the slowest."
)
# Of the table: format and explanation.
COLUMNS = {
    "Loss (nats)": ("%.3f", "Per token of the translation above."),
    "Entropy (bits)": ("%.3f", "Of the weights, mean over the steps."),
    "Alignment error": ("%.3f", "On sentences aligned by hand; lower is better."),
    "Parameters": ("localized", "Of the score alone."),
}

TIMES = {  # of the table, as text: explanation
    "Score (ms)": f"One step's scores and softmax. {IN_TURN}",
    "Keys (ms)": f"Once per source, W z or W₂ z. {IN_TURN}",
}
SPECIAL_CASE_HEADING = "#### The same by scaled dot-product attention"
ASBITS_ALT = "Entropy of the weights at every step"
ASBARS_ALT = "Scores before the softmax, and weights"
ASMIX_ALT = "The context vector as a mixture of source states"
ASTWICE_ALT = "The context vector by the model and by attention"
ASSCALE_ALT = "Mean entropy of the weights against the scale of the scores"


def time_range(milliseconds: np.ndarray) -> str:
    """The fastest and the slowest of several times."""
    return f"{milliseconds.min():.3f} – {milliseconds.max():.3f}"


def formula(config: TranslatorConfig) -> str:
    """A model's score as a short formula."""
    return "v·tanh(W₁h + W₂z + w c)" if config.score.coverage else FORMULAS[config.score.kind]


def described(config: TranslatorConfig) -> str:
    """A model's score in a few words."""
    return COVERED if config.score.coverage else DESCRIBED[config.score.kind]


def under_map(config: TranslatorConfig, text: str, loss: float) -> str:
    """A model's score, the text that it wrote if it wrote one of its own, and its loss in nats per token."""
    score = formula(config) if reading.maths() else described(config).capitalize()
    return " · ".join(part for part in (score, text, f"loss {loss:.3f} nats per token") if part)


def in_table(config: TranslatorConfig) -> str:
    """A model's score in the table."""
    return formula(config) if reading.maths() else score_name(config)


def mixture_title() -> str:
    """The title of the context as a mixture."""
    return f"What each word's state brings{', aⱼzⱼ,' if reading.maths() else ''} and their sum c (values)"


def score_name(config: TranslatorConfig) -> str:
    """A model's score in one or two words."""
    return "additive + coverage" if config.score.coverage else config.score.kind


def step(choice: Choice) -> str:
    """The step in numbers."""
    steps, source, t = choice.steps, choice.pair.source, choice.step
    best = int(steps.a[t].argmax())
    return (
        f"“{choice.token}” puts {steps.a[t, best]:.4f} on “{source[best].strip()}”; entropy {steps.entropy[t]:.3f} of at "
        f"most {np.log2(len(source)):.3f} bits."
    )


def step_lengths(choice: Choice) -> str:
    """How long the step's context vector is, beside the states that it mixes."""
    steps = choice.steps
    return (
        f"Length of c {np.linalg.norm(steps.context[choice.step]):.3f}, of the states "
        f"{np.linalg.norm(steps.z, axis=1).mean():.3f} on average."
    )


def special_case(
    choice: Choice, pair: SentencePair, size: int, difference: float, trained: float, scaled: float
) -> str:
    """Scaled dot-product attention beside the model, with the mean entropy at the trained and at its own scale 1/√`size`."""
    text = (
        f"The function that Transformers call gives {pair.model}'s context vector too (largest difference {difference:.1e}). "
        f"Transformers also divide each score by √{size}: here the same scores would then give {scaled:.3f} instead of "
        f"{trained:.3f} bits per step, so the model would have to learn larger ones."
    )
    if pair is not choice.pair:
        text += f" ({choice.pair.model} has an additive score, which is no product of two vectors.)"
    return text


def operands(pair: SentencePair, difference: float) -> str:
    """What scaled dot-product attention is given to compute this model's."""
    key = "z" if pair.mt.config.score.kind == "dot" else "W z"
    return f"{pair.model}: q = h, k = {key}, v = z, no mask, scale 1; largest difference over all steps {difference:.1e}."


def map_alt(model: str) -> str:
    """What the map shows, for screen readers."""
    return f"Attention of {model}: written tokens by source tokens"


def scores_their_title(score: str, token: str) -> str:
    """What stands above the picture."""
    return f"{score}, “{token}”: scores and their softmax (probability)"


def snippet(choice: Choice) -> str:
    """One model's map, the step and the special case with the public API."""
    pair, t = choice.pair, choice.step
    target = "mt.search(text).hypotheses()[0].tokens  # its own"
    if choice.common:
        target = f"[*mt.encode_target({pair.mt.text(pair.translation)!r}), mt.tokenizer.end_of_text]"
    code = f"""\
import tlmviz
from tlmviz.analysis.translation import score_steps
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import score_steps as figures
from tlmviz.figures.translation.token_map import token_map

mt = tlmviz.load({pair.model!r})
text = {pair.text!r}
translation = {target}
steps = score_steps.read(mt, text, list(translation))
print(steps.scores[{t}], steps.a[{t}], steps.entropy[{t}])
shares = steps.shares({t})  # [S, D], they add up to steps.context[{t}]
source = [mt.tokenizer.name(i) for i in mt.encode(text)]
target = [mt.tokenizer.name(i) for i in translation]
token_map(steps.a, target, source, LIGHT, title="Attention (probability)", chosen={t}).show()
figures.scores_and_weights(steps.scores[{t}], steps.a[{t}], source, LIGHT, title="Scores and their softmax").show()
figures.mixture(shares, steps.context[{t}], source, LIGHT, title="Shares of the context vector").show()
"""
    if choice.steps.product:
        code += f"""\
mixture, weights = score_steps.as_attention(steps)  # q = h, k = the keys, v = z, scale 1
print(abs(mixture - steps.context).max())
figures.same_twice(steps.context[{t}], mixture[{t}], LIGHT).show()
"""
    return code
