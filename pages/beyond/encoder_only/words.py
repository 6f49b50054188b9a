"""The words of the page "Encoder-only"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tlmviz.figures import number, readable
from tlmviz.ui import inputs

if TYPE_CHECKING:
    from .compute import Answers, Hidden
    from .controls import Choice

CLAIM = "It reads a text from both sides: good at filling gaps, no use for writing."
TEXT = "The little girl was sad because she lost her doll."
FIRST = "Once upon a time there was a little girl named Lily. Lily had a red ball."
SECOND = "Lily lost her ball in the park. She looked and looked for the ball."
SECONDS = {
    "Its own": SECOND,
    "Another story": "Tom and his dog went to the lake. The dog saw a big fish and Tom laughed.",
    "Another story's beginning": "Once upon a time there was a big dog. The dog liked to run in the park.",
}
SENTENCE = "The little girl lost her dog."
RIGHT = 99.3, 65.9  # % of held-out pairs, from the card: in order, of one story
FAILED = 50.9  # and of one story as [CLS] was trained to say it
NOTICE = {
    "Hidden words": (
        "Press a word: it is read as [MASK], and the bars say what may stand there. The darker a word, the surer it is guessed "
        "when it alone is hidden.",
        "An encoder is bidirectional. The orange bars are the same model with a causal mask put on, so that it reads the left "
        "alone, as a decoder does. In “The little girl”, with “little” hidden, it then expects a boy, a dog, a bird; only “girl” "
        "tells that the gap needs an adjective.",
        "Write [MASK] into the text to hide several words at once.",
    ),
    "What [CLS] reads": (
        "[CLS] stands before every text and has no meaning of its own. What it gathers from all other tokens serves to judge the "
        "whole: here, which of two pieces comes first. It leans on words that begin stories, “Once upon a time” and its like: "
        "swap in the first text, which turns the two round.",
        "Each box is a head: blue is the weight on the first text, orange on the second; what is left empty lies on [CLS] and "
        "[SEP]. Point at a box to see which words it reads.",
        "Training asked [CLS] another question, whether both texts are of one story, and that failed: it was right on "
        f"{number(FAILED, '.1f')} % of held-out pairs, a coin on 50 %. What stands here was fitted afterwards, to finished "
        "vectors: the order from [CLS] alone, and “of one story” from the mean vectors of both texts. The second is wrong on "
        "every third pair, the two that this page opens on among them.",
    ),
    "With a causal mask": (
        "Both maps have the same weights. The crossed cells are forbidden: what lay there is spread over what is left.",
        "The bars say what each hidden token costs, in bits. A word whose reason stands at its right costs more with it.",
        "The model was never trained with the mask: part of what it loses is surprise. A decoder trained so does better.",
    ),
    "Three kinds of models": (
        "**Encoder-only**: no cell is forbidden. **Decoder-only**: nothing right of the diagonal, so that it can write on "
        "word by word. **Both**: the encoder's map is full, the decoder's is not, and a third map leads from one to the other.",
        "The first two have the same size, the same layers and the same tokens: they differ in the mask and in what they were "
        "asked in training.",
    ),
}
NOTICE_MATHS = (
    "15 % of the tokens are chosen in training; 80 % of them are read as [MASK], 10 % as any token, 10 % as themselves, so that "
    "a token that is not hidden must be represented too (Devlin et al. 2018).",
    "[CLS] is place 0: with a causal mask its row is (1, 0, …, 0), and its verdict is the same for every text.",
    "Of one story: σ(w · [u v, |u − v|] + c) with u, v the mean vectors of both texts (as in Sentence-BERT, Reimers and Gurevych "
    "2019). Right on held-out pairs: 99.3 % in order, 65.9 % of one story. Both read-outs are logistic regressions; the network "
    "was not trained on for them.",
)
EQUATIONS = (
    (
        r"p(x_i = w \mid x_{\setminus i}) = \mathrm{softmax}(E\,h_i)_w,\qquad "
        r"p(\text{in order}) = \sigma\left(\mathbf{w}^\top h_{\mathrm{[CLS]}} + c\right)",
        "LLM notes, section 7.1 and footnote 7; Devlin, Chang, Lee and Toutanova 2018. h: the last layer's vectors, E: the "
        "embedding.",
    ),
)
ENC_LOSSES_ALT = "Bits that each hidden token costs, from both sides and from the left"
CAUSAL_MASK_TITLE = "Causal mask put on (probability)"
TRAINED_BOTH_TITLE = "As trained: both sides (probability)"


def on_average(found: Hidden) -> str:
    """What the tokens of a text cost when hidden, with and without the mask."""
    asked = found.asked
    both, causal = (
        float(-np.log2(np.maximum(found.of_truth(rows)[asked], 1e-12)).mean())
        for rows in (found.both, found.causal)
    )
    right, left = (
        int((rows[asked].argmax(1) == np.array(found.ids)[asked]).sum())
        for rows in (found.both, found.causal)
    )
    return (
        f"Each of the {len(asked)} tokens hidden alone: {number(both, '.2f')} bits on average, {right} guessed right. With a "
        f"causal mask on: {number(causal, '.2f')} bits, {left} right."
    )


def verdicts(judged: tuple[float, float]) -> list[tuple[str, float]]:
    """The two questions with their answers."""
    asked = ("In this order, says [CLS]", "Of one story, by comparing means")
    return [
        (f"{question} (right on {number(right, '.0f')} % of pairs)", p)
        for question, right, p in zip(asked, RIGHT, judged)
    ]


def blind(judged: tuple[float, float]) -> str:
    """What [CLS] says with a causal mask."""
    return (
        f"With a causal mask on, [CLS], the first token, reads nothing but itself: of any two texts it then says "
        f"{100 * judged[0]:.1f} %. That is why decoders judge by their last token."
    )


def table(found: Answers) -> str:
    """Table 3 of the notes, with what each model makes of this sentence."""
    return f"""\
| | good at | not good at | on this sentence, now |
| --- | --- | --- | --- |
| **Encoder-only** (stories-encoder; BERT) | understanding with context from both sides; classifying, retrieving, embedding | \
writing | “{_cell(found.hidden)}” hidden: guesses “{_cell(found.guess)}”, p = {number(found.p, ".2f")} |
| **Decoder-only** (zoo-rope; GPT, LLaMA) | simple; easily trained to write; any text can be its prompt | sees no context \
at the right; weaker at plain understanding unless adapted | goes on with “{_cell(found.following)}”, p = \
{number(found.p_following, ".2f")} |
| **Both** (eng-fra; T5) | one sequence into another: translation, summaries, speech to text | needs pairs to learn from; two \
stacks to compute | “{_cell(found.translated)}” |

Table 3 of the LLM notes, section 7.3; the last column is measured."""


def _cell(text: str) -> str:
    """A text as it stands in a table of Markdown."""
    from tlmviz.ui.inputs import plain

    return plain(text) or "…"


def kinds_alt(title: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{title}: map of one head on this sentence"


def mask_alt(layer: int, head: int, causal: bool) -> str:
    """What the map shows, for screen readers."""
    if causal:
        return f"Map of layer {layer}, head {head} with a causal mask"
    return f"Map of layer {layer}, head {head} without a mask"


def snippet(choice: Choice) -> str:
    """What the open part shows, with the public API."""
    if choice.second:
        return f"""\
import tlmviz

model = tlmviz.load("stories-encoder")
first, second = {choice.text!r}, {choice.second!r}
print("in order:", model.in_order(first, second), "of one story:", model.belong(first, second))
trace = model.trace(first, second)
row = trace.attention({choice.layer}, {choice.head})[0]  # what [CLS] reads
for token, weight in zip(trace.tokens, row):
    print(token, round(float(weight), 4))
"""
    return f"""\
import tlmviz
from tlmviz.analysis.beyond.encoding import each_hidden, nats

model = tlmviz.load("stories-encoder")
for guess in model.predict("Once upon a time there was a little [MASK] named Lily.", top=5):
    print(guess.position, guess.words)
ids = model.encode({choice.text!r})
both, causal = (nats(each_hidden(each, ids), ids) for each in (model, model.causal))  # [T]; each token hidden alone
weights = model.trace({choice.text!r}).attention({choice.layer}, {choice.head})  # [T, T], no mask
for token, one, other in zip(model.names(ids), both, causal):
    print(f"{{token!r}}: {{one:.2f}} nats from both sides, {{other:.2f}} from the left")
"""


def guess(found: Hidden, place: int) -> str:
    """The question before the picture."""
    return (
        f"{_quoted(found.tokens[place])} ({place}) is hidden. Which token does the model put there first if it reads only what "
        "stands before?"
    )


def guessed(left: tuple[str, float], both: tuple[str, float]) -> str:
    """What is put first by who reads the left side, and by who reads both, each with its probability."""
    (first, p), (other, q) = left, both
    start = f"From the left alone it puts **{_quoted(first)}** first, with {number(p, '.0%')}; reading both sides "
    return start + (
        f"too, with {number(q, '.0%')}." if first == other else f"{_quoted(other)}, with {number(q, '.0%')}."
    )


def _quoted(token: str) -> str:
    return f"“{inputs.plain(readable(token))}”"
