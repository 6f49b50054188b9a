"""The examples of the page Einstein notation: links to a line of the block, and to mistakes that nothing else would name."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

LONG = "L_{ts}^{(h)} = 1/sqrt(dk) Htilde_t^f WQ_{hf}^d WK_{hcd} Htilde_s^c"

CARDS = (
    Card(
        "A formula that is the model",
        "Queries times keys, k summed: run as it is written, it is the model's own tensor to the last digit.",
        {},
        "Two equal square maps of scores beside each other",
    ),
    Card(
        "A head index lost",
        "Without h on the left einsum adds the scores of all heads up, raises no error, and makes a map of none of them.",
        {"nform": "L_{ts} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}"},
        "A formula with the index h in colour, and a map below",
    ),
    Card(
        "The mask turned round",
        "Two signs exchanged, and every token sees the future alone: the shares still add up to 1.",
        {"nline": "Weights", "nform": "A_{ts}^{(h)} = softmax_{s>=t}(L_{ts}^{(h)})"},
        "One map filled above its diagonal beside one that is filled below",
    ),
    Card(
        "Turned by another's position",
        "R has the letter t where the key stands at s: the index s stays alone with K, and t is nobody's.",
        {"nline": "RoPE on K", "nform": "Khat_{sh}^k = K_{sh}^d R_{td}^k"},
        "A formula with R's index in colour",
    ),
    Card(
        "Four factors in the right order",
        "From the stream to the scores in one formula: pair by pair it takes 5,000 times fewer operations than one loop over "
        "all indices.",
        {"nform": LONG},
        "A map of scores without positions beside the model's",
    ),
    Card(
        "A token that hides itself",
        "With s < t the first token has nothing left to look at, and its row is no number.",
        {"nline": "Weights", "nform": "A_{ts}^{(h)} = softmax_{s<t}(L_{ts}^{(h)})"},
        "A map whose first row is missing",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)
