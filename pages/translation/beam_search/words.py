"""The words of the page Beam search: claim, what to notice, equations, sentences with numbers, snippets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tlmviz.checks.translation_search import log_probability_is_of_one_pass
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.exact import Exact
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.records import Candidate, Search
from tlmviz.figures.written import number
from tlmviz.ui import inputs

if TYPE_CHECKING:  # these import the words themselves
    from .controls import Choice

SAME = log_probability_is_of_one_pass.tolerance  # nats
CLAIM = "Keep the W best beginnings, drop the rest."
EQUATION = (
    r"\begin{aligned} s(Y, X) &= \frac{\log P(Y|X)}{\mathrm{lp}(Y)} + \beta \sum_{j} \log \min\Big(\max\big("
    r"\textstyle\sum_i a_{ij}, \text{floor}\big), 1\Big) + \gamma \frac{|Y|}{|X|} \\"
    r"\mathrm{lp}(Y) &= \Big(\frac{5 + |Y|}{6}\Big)^{\alpha}\ \text{or}\ |Y|^{\alpha},\qquad "
    r"\Big(\prod_{t=1}^{T} p_t\Big)^{1/T} = \exp \frac{1}{T} \sum_t \log p_t \end{aligned}",
    "Mathematics in Modern NLP, Eq. 32-37, 41 and 33 (α = 1 with |Y|^α: the log of the geometric mean probability per token).",
    "The notes say that lp keeps outputs short, but log P is negative, so a larger lp raises the score and "
    "α > 0 favours longer outputs; and Eq. 37 has no floor, so one source token without attention would cost infinitely much.",
)
TREE_NOTICE = (
    "Branches are as thick as their token is probable; the orange line is the winner, the dotted one greedy. White circles "
    "were kept for a step, but no finished text grew from them; grey dots were dropped at once (point at them, or at their "
    "parent).",
    "**Why greedy loses**: with a width of 1 every choice is final. Raise it, and see where the winner was not yet first.",
    "**Why short outputs win**: every token multiplies by a probability below 1. Set α to 0, then raise it: "
    "longer texts climb (▲). Below the ranking, where two lines cross at the top another text begins to win.",
    "Penalties rank finished texts only: unfinished beams have one length, and log P alone decides among them.",
)
EXACT_NOTICE = (
    "**Search error**: the beam misses a text that the model itself prefers. **Model error**: the preferred text is worse, "
    "often too short. A wider beam removes the first and uncovers the second.",
    "The exact search need not visit all texts: log P only falls, so a beginning below the best complete text is cut.",
    "Length penalties mend the model's choice, not the search: the exact text has the highest log P, seldom the best score.",
)
EXACT_EQUATION = (
    r"\hat{Y} = \arg\max_{y_1 \dots y_T} \prod_{t=1}^{T} \Pr(y_t | y_1 \dots y_{t-1}, X):\quad N^T \text{ paths for all},\quad "
    r"W \cdot N \cdot T \text{ candidates for a beam } (1 < W < N),\quad N \cdot T \text{ for greedy}",
    "Mathematics in Modern NLP, Eq. 27-30 and section 6.1. N: tokens of the vocabulary, T: length, W: width. "
    "Search errors and model errors: Stahlberg and Byrne 2019.",
)
STORY_NOTICE = (
    "**The most probable story is dull**: beams of a language model agree on safe words, and repeat.",
    "Sampled texts leave the beam within a few tokens (diamonds): their log P is far lower, and they read better.",
    "Without a source there is no coverage and no end term; α alone decides between short and long.",
)
STORY_NOTICE_MATHS = ("Dull beams: Holtzman et al. 2020, The Curious Case of Neural Text Degeneration.",)


HINT = "Click a node to force another token there. Drag sideways to pan; point at the tree for zoom buttons at its upper right."
EXACT_COLUMNS = [
    "search",
    "highest log P",
    "search error",
    "tokens",
    "candidates",
    "most probable text",
    "winner by score",
]
LOG_P_PER = "log P per token"
AS_TABLE = "Show them as a table"
CROSSINGS_ALT = "The score of each text against alpha"
LENGTHPENALTIES_ALT = "Two length penalties against the length, with the texts found on them"
COUNTS_ALT = "Candidates of exhaustive search, of a beam and of branch and bound against T"
HORIZON = "Horizon T of the short search (tokens)"
EXACT_CAPTION = "Forced, banned and other rules are left out here: every way searches the same texts."
NO_COMPLETE_TEXT = "No complete text was found in the time given; shorten the sentence."
WIDTHS_ALT = "Highest log P and best score that beams of several widths find"
NATS_BELOW_HELP = "Nats below the exact text"
SEARCH_ON = "Search on from here"
TREE_ALT = "The tree of the search, step by step; click a node to force another token there"


def title(choice: Choice, search: Search) -> str:
    """The heading of the tree."""
    steps = f"{search.steps} steps, " if choice.has_source else ""
    stopped = search.stopped
    if stopped.startswith("enough"):
        what = "translation" if choice.has_source else "text"
        count = len(search.leaves)
        stopped = f"stopped: {count} complete {what}{'s' * (count > 1)} found"
    return f"{choice.model}, beam of {choice.rules.width}: {steps}{stopped}"


def greedy(best: Candidate, other: Candidate, rank: int, depth: int, width: int) -> str:
    """Greedy's text (`other`, under the same rules) beside the winner, and the step at which the winner's rank was worst."""
    gap, lead = best.parts.logp - other.parts.logp, best.score - other.score
    scores = f"{best.score:.3f} against {other.score:.3f}".replace("-", "−")
    if best.tokens == other.tokens:
        result = "Greedy finds the winner here"
    elif best.finished and not other.finished:
        result = f"Greedy reaches no end here: its text is cut after {len(other.tokens)} tokens"
    elif lead < 0:
        result = f"Greedy beats the beam here: its text, which the beam dropped, scores {-lead:.2f} nats above the winner"
    elif gap > 0:
        result = f"Greedy loses here: its text is {gap:.2f} nats less probable than the winner"
    else:
        result = f"Greedy's text is {-gap:.2f} nats more probable than the winner here, and loses by its score only ({scores})"
    if rank == 1 or width == 1:
        return f"{result}; the winner's beginnings were the best of their step all along."
    return f"{result}; at step {depth} the winner was only number {rank} of {width}: a narrower beam may lose it there."


def geometric_means(texts: list[str], counts: np.ndarray, logps: np.ndarray) -> str:
    """The highest geometric mean probability per token, and the winner's, which is the first."""
    means = np.exp(logps / counts)
    best = int(means.argmax())
    return (
        f"α = 1 with |Y|^α ranks by the geometric mean probability per token: {means[best]:.4f}, the highest, is that "
        f"of “{inputs.plain(texts[best])}”; the winner's is {means[0]:.4f} = exp(−{-logps[0]:.3f} / {counts[0]:.0f})."
    )


def verdict(choice: Choice, exact: Exact, beam: Candidate) -> str:
    """Whether the beam of the chosen width finds the model's own best text."""
    width, gap = choice.rules.width, exact.logp - beam.parts.logp
    how = (
        "proven: no text is more probable"
        if exact.proven
        else f"not proven: none above log P {number(exact.bound, '.2f')} is possible"
    )
    best = choice.mt.text(exact.tokens) or "(the empty text)"
    numbers = f"log P **{exact.logp:.3f}** against **{beam.parts.logp:.3f}**".replace("-", "−")
    if gap > SAME:
        text = (
            f"**Search error of {gap:.3f} nats.** The model's own best is “{best}” ({how}); the beam of {width} stops at "
            f"“{choice.mt.text(beam.tokens)}”: {numbers}. Judge yourself which translates better."
        )
    else:
        text = f"**No search error**: the beam of {width} finds the model's own best, “{best}” ({how}), {numbers}."
    return text.replace("$", "\\$")


def beams_first(exact: Exact, widths: list[int], candidates: int) -> str:
    """What the last line of the table counts: the beams whose best text is the bound, and then the exact search."""
    return (
        f"Exact search starts from the most probable text of the {len(widths)} beams above it (widths "
        f"{', '.join(map(str, widths))}) and cuts what falls below: its line counts their {candidates:,} candidates and "
        f"its own {exact.scored:,}, and the time of both."
    )


def short_search(choice: Choice, exact: Exact, beam: Candidate, horizon: int) -> str:
    """The best beginning of `horizon` tokens, and how many candidates each way looks at."""
    width, text = choice.rules.width, choice.mt.text
    proven = "proven" if exact.proven else "not proven"
    other = "the same"
    if beam.parts.logp < exact.logp - SAME:
        other = f"another, “{text(beam.tokens)}”, log P {beam.parts.logp:.3f}"
    return (
        f"Best beginning of **{horizon}** tokens: “{text(exact.tokens)}”, log P {exact.logp:.3f} ({proven}); the beam of "
        f"{width} finds {other}. "
        f"There are **{float(exact.all_texts):.2e}** texts of that length; the beam looks at **{exact.beam_cost(width):,}** "
        f"candidates at most, and branch and bound looked at **{exact.scored:,}**.".replace(" -", " −")
    )


def no_token(token: int, last: int) -> str:
    """Why a token is not banned."""
    return f"Token {token} is not in the vocabulary; its tokens are 0 to {last}."


def several_tokens(word: str, pieces: str) -> str:
    """Why a word is not banned."""
    return f"“{word}” is several tokens ({pieces}); ban one of them, by its text or its number (#12)."


def write_instead(before: str, depth: int) -> str:
    """The label of the field for another token."""
    return f"After **{before}**, at step {depth}, write"


def step_over(depth: int) -> str:
    """What is said of a step that other texts still took."""
    return f"<b>Step {depth}</b>: the search is over"


def fate(said: str, rank: int | None) -> str:
    """What became of a node, with its rank in the end if it came so far."""
    return said if rank is None else f"{said}, rank {rank} in the end"


def dropped(tokens: Sequence[tuple[str, float]]) -> str:
    """The tokens, each with its probability, that a step left out."""
    return f"dropped at the next step: {', '.join(f'{token} {p:.3f}' for token, p in tokens)}"


def snippet(choice: Choice) -> str:
    """The tree and the ranking with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.translation import beam_tree
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import beam_tree as pictures

mt = tlmviz.load({choice.model!r})
search = {_once("mt.search(" + repr(choice.text) + ", " + options_code(choice.options) + ")", choice)}
ranked = search.hypotheses({penalties_code(choice.penalties)})
for hypothesis in ranked:
    print(f"{{hypothesis.score:8.4f}}  {{mt.text(hypothesis.tokens)}}  {{hypothesis.parts}}")

{_drawing("mt")}"""


def story_snippet(choice: Choice) -> str:
    """The same for a story."""
    return f"""\
import tlmviz
from tlmviz.analysis.translation import beam_tree
from tlmviz.decoding.beam import BeamOptions, beam_search
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.steppers import LanguageStepper
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import beam_tree as pictures

lm = tlmviz.load({choice.model!r})
stepper = LanguageStepper(lm.network, lm.encode({choice.text!r}), lm.tokenizer.end_of_text)
search = {_once("beam_search(stepper, " + options_code(choice.options) + ")", choice)}
ranked = search.hypotheses({penalties_code(choice.penalties)})
for hypothesis in ranked:
    print(f"{{hypothesis.score:8.4f}}  {{lm.tokenizer.decode(hypothesis.tokens)}}")

{_drawing("lm")}"""


def exact_snippet(choice: Choice, widths: list[int]) -> str:
    """The model's own best translation beside those of beams of several widths."""
    return f"""\
import tlmviz
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.exact import ExactOptions, exact_search

mt = tlmviz.load({choice.model!r})
text = {choice.text!r}
beams = {{width: mt.search(text, BeamOptions(width=width, stop={choice.rules.stop!r})) for width in {widths!r}}}
found = [hypothesis for search in beams.values() for hypothesis in search.hypotheses() if hypothesis.finished]
best = max(found, key=lambda hypothesis: hypothesis.parts.logp)  # nothing below it needs a look
options = ExactOptions(
    max_length=mt.longest(text), known=(best.tokens, best.parts.logp), expansions=4000, seconds=60
)
exact = exact_search(mt.stepper(text), options)
for width, search in beams.items():
    beam = max(search.hypotheses(), key=lambda hypothesis: (hypothesis.finished, hypothesis.parts.logp))
    print(f"beam of {{width}}:", beam.parts.logp, mt.text(beam.tokens))
print("exact:", exact.logp, mt.text(exact.tokens), "proven" if exact.proven else "not proven")
print(f"looked at {{exact.scored:,}} candidates after the beams, of {{float(exact.all_texts):.1e}} texts")
"""


def _drawing(model: str) -> str:
    return f"""\
best = ranked[0]
tree = beam_tree.tree(search, {model}.tokenizer.name, (beam_tree.Path("winner", best.tokens, best.logps, best.node),))
figure = pictures.tree(
    tree.nodes, tree.names, tree.fates(), LIGHT, title={model}.name,
    words=[pictures.level_words(level, {model}.tokenizer.vocab_size) for level in tree.levels],
    ranks={{hypothesis.node: f"#{{rank}}" for rank, hypothesis in enumerate(ranked, start=1)}},
    ways=tree.ways, faded=set(),
)
figure.show()
"""


def _once(search: str, choice: Choice) -> str:
    """The code of a search; texts that several groups wrote come once."""
    return f"beam_tree.once({search})" if choice.rules.groups > 1 else search


def options_code(options: BeamOptions) -> str:
    """Only what differs from the defaults."""
    plain = BeamOptions()
    names = (
        "width",
        "max_length",
        "min_length",
        "stop",
        "no_repeat_ngram",
        "prefix",
        "banned",
        "groups",
        "diversity",
        "shown",
    )
    changed = [
        f"{name}={getattr(options, name)!r}"
        for name in names
        if getattr(options, name) != getattr(plain, name)
    ]
    if options.penalties != plain.penalties:  # they matter to the rule that stops when no other can win
        changed.append(f"penalties={penalties_code(options.penalties)}")
    return f"BeamOptions({', '.join(changed)})"


def penalties_code(penalties: Penalties) -> str:
    return f"Penalties({penalties.alpha:g}, {penalties.beta:g}, {penalties.gamma:g}, {penalties.length!r}, {penalties.floor:g})"


def guess(choice: Choice, texts: int) -> str:
    """The question before the tree."""
    return (
        f"A beam of {choice.rules.width} ends with {texts} translations of “{inputs.plain(choice.text)}”. Which one does it "
        "rank first?"
    )


def guessed(choice: Choice, best: Candidate, greedy: Candidate) -> str:
    """The winner with its score, and whether greedy writes the same."""
    text = inputs.plain(choice.mt.text(best.tokens)) or "(nothing)"
    start = f"First is **{text}** with a score of {number(best.score, '.3f')}."
    if best.tokens == greedy.tokens:
        return f"{start} Greedy writes the same."
    other = inputs.plain(choice.mt.text(greedy.tokens)) or "(nothing)"
    return f"{start} Greedy writes “{other}”: {number(greedy.score, '.3f')}."
