"""The examples of the page Matrices and indices: formulas that are the model, mistakes, and matrices taken apart."""

from __future__ import annotations

from tlmviz.analysis.notation.model_products import MIXED
from tlmviz.analysis.notation.rank_one import SINGULAR
from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .formulas.state import Formula
from .rank.state import Rank
from .state import RANK, Part

LONG = "L_{ts}^{(h)} = 1/sqrt(dk) Htilde_t^f WQ_{hf}^d WK_{hcd} Htilde_s^c"
_RANK = Part.link(part=RANK)
CARDS = (
    Card(
        "A formula that is the model",
        "Queries times keys, k summed: run as it is written, it is the model's own tensor, but for rounding.",
        {},
        "Two equal square maps of scores beside each other, and a third without a colour",
    ),
    Card(
        "A head index lost",
        "Without h on the left einsum adds the scores of all heads up, raises no error, and makes a map of none of "
        "them.",
        Formula.link(formula="L_{ts} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}"),
        "A formula with the index h in colour, and a map below",
    ),
    Card(
        "The mask turned round",
        "Two signs exchanged, and every token sees the future alone: the shares still add up to 1.",
        Formula.link(line="Weights", formula="A_{ts}^{(h)} = softmax_{s>=t}(L_{ts}^{(h)})"),
        "One map filled above its diagonal beside one that is filled below",
    ),
    Card(
        "Four factors in the right order",
        "From the stream to the scores in one formula: pair by pair it takes 5,000 times fewer operations than one "
        "loop over all indices.",
        Formula.link(formula=LONG),
        "A map of scores without positions beside the model's",
    ),
    Card(
        "A cross is two terms",
        "25 numbers, two outer products: the first is the whole cross, blurred; the second puts it right.",
        _RANK | Rank.link(way=SINGULAR, count=1),
        "A cross of five by five and its first term",
    ),
    Card(
        "Four tokens make most of it",
        "Of 28 terms, one for each token, the four largest leave 13% of what this head hands on.",
        _RANK | Rank.link(source=MIXED),
        "A matrix, a sum that nearly equals it, one term, and the little that is left",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)
