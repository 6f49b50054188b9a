"""The words, formulas and snippets of the page "Alignment & coverage"."""

from __future__ import annotations

from tlmviz.decoding.penalties import Penalties

VIEWS = ("Translation", "Matrix by hand", "With and without coverage", "Force attention")
TRANSLATION, BY_HAND, MODELS, FORCE = VIEWS

PENALTY = (
    r"\mathrm{cp}(X, Y) = \beta \sum_{j=1}^{|X|} \log \min\Big(\max\Big(\sum_{i=1}^{|Y|} a_{ij},\ "
    r"\text{floor}\Big),\ 1\Big),\qquad \sum_j a_{ij} = 1",
    "Mathematics in Modern NLP, section 6.3.2, Eq. 37–40; Wu et al. 2016. Eq. 37 has no floor: a source word that nobody "
    "looks at would cost log 0, and no finite weight could save the translation. Here, as in practice, it costs β log floor.",
)
OVERLAP = (
    r"\mathbf{c}^t = \sum_{t'=0}^{t-1} \mathbf{a}^{t'} \ \text{(48)}\quad\text{or}\quad "
    r"\mathbf{c}^t = \frac{1}{t}\sum_{t'=0}^{t-1} \mathbf{a}^{t'} \ \text{(50)},\qquad "
    r"\mathrm{covloss}_t = \sum_i \min(a_i^t, c_i^t) \ \text{(49)}",
    "Mathematics in Modern NLP, section 7.1, Eq. 48–50; Tu et al. 2016, See et al. 2017. At the first step c is 0 in both forms.",
)
INSIDE = (
    r"\text{score}_{ij} = \mathbf{v} \cdot \tanh(\mathbf{W}_1 \mathbf{h}_i + \mathbf{W}_2 \mathbf{z}_j + \mathbf{w}\, c_j^i),"
    r"\qquad \text{loss} = -\log P + \lambda \sum_t \mathrm{covloss}_t",
    "Mathematics in Modern NLP, section 7.1, Eq. 47–49; See et al. 2017: the score sees how much a token has got already, and "
    "training charges for looking there again.",
)
PINNED = (
    r"a_{tj} = \begin{cases}1 & j = j^* \\ 0 & \text{otherwise}\end{cases}\quad\Rightarrow\quad "
    r"\mathbf{c}_t = \sum_j a_{tj}\,\mathbf{z}_j = \mathbf{z}_{j^*}",
    "Mathematics in Modern NLP, section 7, Eq. 42–44. At a pinned step every map, in a Transformer those of all layers and "
    "heads, gives its whole weight to one source token; what was written before stays, and the beam decodes on.",
)
EQUATIONS = {
    TRANSLATION: (PENALTY, OVERLAP),
    BY_HAND: (PENALTY, OVERLAP),
    MODELS: (INSIDE,),
    FORCE: (PINNED,),
}
POINTS = {
    TRANSLATION: (
        "A bar that reaches the dotted line costs nothing: cp has its maximum, 0, when each source token got a weight of 1 in "
        "sum. What lies above the cap earns nothing.",
        "An orange bar is a word that the translation may have skipped. Choose a worse hypothesis and see what it left out.",
        "covloss in the sum form soon stays near 1, as c only grows; the average form remains a distribution and "
        "tells steps apart.",
        "Maps of single heads often look elsewhere (full stops, the neighbour): the alignment errors say which to trust.",
    ),
    BY_HAND: (
        "*Least*: every step looks at the first token, two tokens get nothing, and cp is 2 β log floor. Without the "
        "floor it would be −∞.",
        "*Most*: every token is looked at once; cp is 0, and no step looks where another did: covloss is always 0.",
        "*Even* has the same cp as *most*: the penalty sees column sums alone, covloss sees who looked when.",
    ),
    MODELS: (
        "eng-fra-coverage began as eng-fra-additive; in the steps that followed (its card counts them) it saw its coverage "
        "vector and paid for overlap.",
        "Decoded greedily, without penalties: a wide beam and its penalties hide what a model would repeat.",
        "Look for a line that stays near 1 while words repeat: these steps look only where the text has been before.",
    ),
    FORCE: (
        "The pinned step tends to say the pinned word: attention is where the content of a step comes from.",
        "Pin an adjective's place to another adjective, or a skipped word to the step where it belongs. The decoder also knows "
        "what it wrote, and may resist: at a step in the middle of a phrase a pin often changes nothing.",
        "The words before the first pin are kept; those after it may all change, for the pinned word is now part of what was "
        "written.",
    ),
}
START = """\
import tlmviz
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, coverage_loss, token_coverage

mt = tlmviz.load({name!r})
"""


def hypothesis_snippet(
    name: str, text: str, width: int, rules: Penalties, align: int | None, rank: int
) -> str:
    """The chosen hypothesis, its coverage, and covloss in both forms."""
    return (
        START.format(name=name)
        + f"""\
search = mt.search({text!r}, BeamOptions(width={width}))
rules = Penalties(beta={rules.beta!r}, floor={rules.floor!r})
one = search.hypotheses(rules, align={align!r})[{rank - 1}]
a = one.map({align!r})  # [target tokens, source tokens]; None is the mean of all maps
print(mt.text(one.tokens), one.parts)
print(a.sum(0), rules.beta * token_coverage(a.sum(0), rules.floor))
print(coverage_loss(a), coverage_loss(a, average=True))
"""
    )


def matrix_snippet(matrix: list, rules: Penalties) -> str:
    """Penalty and overlap of a matrix by hand."""
    return f"""\
import numpy as np
from tlmviz.decoding.penalties import coverage_loss, coverage_penalty, coverage_vectors

a = np.array({matrix!r})
cp = coverage_penalty(a, beta={rules.beta!r}, floor={rules.floor!r})
print(cp, a.sum(0))
print(coverage_vectors(a))
print(coverage_loss(a), coverage_loss(a, average=True))
"""


def models_snippet(pair: tuple[str, str], text: str, width: int, size: int) -> str:
    """Two models on one sentence, without penalties."""
    return f"""\
import tlmviz
from tlmviz.analysis.translation.coverage import repeats
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, coverage_loss

found = {{}}
for name in {pair!r}:
    mt = tlmviz.load(name)
    options = BeamOptions(width={width}, penalties=Penalties(alpha=0, beta=0))
    found[name] = mt.search({text!r}, options).hypotheses()[0]
    print(name, mt.text(found[name].tokens), repeats(found[name].tokens, {size}))
    print(coverage_loss(found[name].map(mt.align)))
"""


def force_snippet(
    name: str, text: str, width: int, rules: Penalties, align: int | None, rank: int, pins: dict
) -> str:
    """The chosen hypothesis decoded on from its first pin."""
    return (
        START.format(name=name)
        + f"""\
text, pins = {text!r}, {pins!r}  # step: source token, from 0
rules = Penalties(beta={rules.beta!r}, floor={rules.floor!r})
before = mt.search(text, BeamOptions(width={width})).hypotheses(rules, align={align!r})[{rank - 1}]
options = BeamOptions(width={width}, prefix=before.tokens[:min(pins)])
after = mt.search(text, options, pins).hypotheses(rules, align={align!r})[0]
print(mt.text(before.tokens))
print(mt.text(after.tokens))
print(after.map({align!r}).round(3))
"""
    )
