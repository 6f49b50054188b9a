"""The words of the view "With and without coverage"."""

from __future__ import annotations

from collections.abc import Sequence

from .controls import Choice

GRAM = 3  # tokens in a row that count as repeated
NOTICE = (
    "eng-fra-coverage began as eng-fra-additive. It was then trained to see how much attention each source word has got already, "
    "and to pay for looking there again.",
    "On all 1,169 held-out sentences eng-fra-additive repeats 176 sequences of 3 tokens and eng-fra-coverage 81; its "
    "translations score a little lower (BLEU 52.0 and 50.2). The sentences of the table above were chosen because they invite "
    "repetition.",
    "Look for a line that stays near 1 while words repeat: these steps look only where the text has been before.",
)
NOTICE_MATHS = (
    "After as many further steps without coverage eng-fra-additive repeats 159 sequences, at a BLEU of 52.1 (one seed each; the "
    "card of eng-fra-coverage has the table).",
    "Decoded greedily, without penalties: a wide beam and its penalties hide what a model would repeat.",
)
EQUATIONS = (
    (
        r"\text{score}_{ij} = \mathbf{v} \cdot \tanh(\mathbf{W}_1 \mathbf{h}_i + \mathbf{W}_2 \mathbf{z}_j + \mathbf{w}\, c_j^i),"
        r"\qquad \text{loss} = -\log P + \lambda \sum_t \mathrm{covloss}_t",
        "Mathematics in Modern NLP, section 7.1, Eq. 47–49; See et al. 2017: the score depends on how much attention a token "
        "has got already, and training charges for looking there again.",
    ),
)
OVERLAPLINES_ALT = "covloss of both models at every step"
TRANSLATING = "Both models translate sentences that invite repetition …"


def missing(lacking: str) -> str:
    """What there is to do when the installation lacks the models "with" or "without" coverage."""
    lack = "the one with" if lacking == "with" else "them"
    return (
        "This needs two recurrent models, one with a coverage vector and one without, and this installation lacks "
        f"{lack}. `python -m tlmviz.training eng-fra-coverage --data DIR` trains one."
    )


def repeats(count: int) -> str:
    """How often a text repeats itself."""
    return f"{count} repeated trigram{'s' * (count > 1)}" if count else "repeats nothing"


def maps_alt(name: str) -> str:
    """What the picture shows, for screen readers."""
    return f"Attention of {name}, with its coverage"


def repeated(choice: Choice, sentences: int, trigrams: Sequence[int], losses: Sequence[float]) -> str:
    """How often the two models repeat themselves: the model without coverage, then that with it."""
    return (
        f"{sentences} sentences: {choice.without} writes {trigrams[0]} repeated trigrams, {choice.with_coverage} {trigrams[1]}; "
        f"mean covloss {losses[0]:.3f} and {losses[1]:.3f}."
    )


def snippet(choice: Choice) -> str:
    """Two models on one sentence, without penalties."""
    return f"""\
from math import log

import tlmviz
from tlmviz.analysis.translation.coverage import repeats
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, coverage_loss, token_coverage
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import alignment

best = {{}}
for name in {choice.models!r}:
    mt = tlmviz.load(name)
    options = BeamOptions(width={choice.width}, penalties=Penalties(alpha=0, beta=0))
    best[name] = mt.search({choice.text!r}, options).hypotheses()[0]
    print(name, mt.text(best[name].tokens), repeats(best[name].tokens, {GRAM}))
    print(coverage_loss(best[name].map(mt.align)))
    token_names = [[mt.tokenizer.name(i) for i in ids] for ids in (mt.encode({choice.text!r}), best[name].tokens)]
    costs = Penalties().beta * token_coverage(best[name].map(mt.align).sum(0), Penalties().floor)
    least = Penalties().beta * log(Penalties().floor)
    alignment.coverage_map(best[name].map(mt.align), *token_names, costs, least, LIGHT, title=name).show()
"""
