"""The words of the page "Text and image"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.scenes import language

if TYPE_CHECKING:
    from .compute import Looked
    from .controls import Choice

CLAIM = "A question about a picture: words look at patches of it, or patches at words."
NOTICE = (
    "Left, you lay out a picture of real handwritten digits that training never saw, or draw one. The model sees 36 patches of "
    "4 × 4 pixels, four to a cell, and not which digits they are.",
    "In the middle words look at patches. Choose a word: the orange says where each head looked when the model read it, or was "
    "about to say it. Choose a patch instead: the fuller a word's orange, the more it looked there.",
    "On the right a second model does it the other way round: each patch looks at the words, and says whether it is part of what "
    "the answer speaks of (blue outline). Choose a patch to see which word it looked at.",
    "Both models can be wrong. What is true follows from the labels of the digits, so a wrong answer is shown as one; of a digit "
    "that you drew nobody knows the label, and the answer is left open where it matters.",
    "The second model is the weaker one. It marks 48 % of the questions about a neighbour (left of, right of, above, below) "
    "rightly, where the first answers 97 %; below is how both do at every kind of question.",
    "Models that read photographs can be watched too: `docs/watch.md` says how a ViT's or CLIP's maps are laid over a picture of "
    "yours, in a notebook and on the page Attention explorer.",
)
NOTICE_MATHS = (
    "A word's row sums to 1 over the 36 patches, a patch's row to 1 over the words. The row shown for a word of the answer is "
    "that of the word before it, whose output chose it.",
    "Note 000 says that K and V must be the same thing in cross-attention: they are made from the same source, by two different "
    "matrices.",
)
EQUATIONS = (
    (
        r"\mathbf{Q} = \mathbf{X}_{\text{text}} \mathbf{W}_Q, \quad \mathbf{K} = \mathbf{X}_{\text{image}} \mathbf{W}_K, \quad"
        r" \mathbf{V} = \mathbf{X}_{\text{image}} \mathbf{W}_V, \qquad \mathrm{softmax}\left(\frac{\mathbf{Q}\mathbf{K}^\top}"
        r"{\sqrt{d}}\right) \in \mathbb{R}^{\text{words} \times 36}",
        "Attention: the mathematics, section 2.2, Eq. 33 (image-to-text cross-attention): the text asks the image.",
        "",
    ),
    (
        r"\mathbf{Q} = \mathbf{X}_{\text{image}} \mathbf{W}_Q, \quad \mathbf{K} = \mathbf{X}_{\text{text}} \mathbf{W}_K, \quad"
        r" \mathbf{V} = \mathbf{X}_{\text{text}} \mathbf{W}_V, \qquad \mathrm{softmax}\left(\frac{\mathbf{Q}\mathbf{K}^\top}"
        r"{\sqrt{d}}\right) \in \mathbb{R}^{36 \times \text{words}}",
        "The same section, Eq. 32 (text-to-image cross-attention): the image asks the text.",
        "",
    ),
)
ASKING = "Asking about fresh pictures …"
SCENESRIGHT_ALT = "Shares of questions answered and marked right, by kind"


def picks(choice: Choice) -> list[str]:
    """A few questions about a picture, one of each kind."""
    known = [label for label in choice.labels if label is not None]
    single = [label for label in known if known.count(label) == 1] or known or [7]
    first, last = single[0], single[-1]
    return [
        f"what is right of the {first}",
        f"what is above the {last}",
        f"where is the {single[len(single) // 2]}",
        "what is at the middle",
        f"is there {language.a((first + 1) % 10)}",
        "how many digits are there",
        "describe the picture",
    ]


def verdict(found: Looked) -> str:
    """What the model says, and what is true."""
    said = f"It says “{found.answer.text}”" if found.answer.text else "It says nothing"
    if found.truth is None:
        return f"{said}. What is true depends on what you drew."
    return (
        f"{said}, which is right."
        if found.answer.text == found.truth
        else f"{said}: wrong, it is “{found.truth}”."
    )


def marking(found: Looked) -> str:
    """What the turned model marks, and what it should."""
    marked = _named(found.marking.marked)
    if not found.marking.marked and found.marking.patches.max() > 0.5:
        marked = "no whole cell"
    if found.true_cells is None:
        return f"It marks {marked}. What is true depends on what you drew."
    if found.marking.marked == found.true_cells:
        return f"It marks {marked}, which is right."
    return f"It marks {marked}: wrong, it is {_named(found.true_cells)}."


def _named(cells: list[int]) -> str:
    names = [language.PLACES[cell] for cell in cells]
    if not names:
        return "nothing"
    if len(names) > 3:
        return f"{len(names)} cells"
    return " and ".join(f"the {name}" for name in names)


def fresh_pictures_title(scenes: int) -> str:
    """What stands above the picture."""
    return f"{scenes} fresh pictures of held-out digits per kind of question (share right)"


def snippet(choice: Choice) -> str:
    """Answer and marks with the public API."""
    cells = [_spelled(cell) for cell in choice.cells]
    rows = "".join(f"    [{', '.join(cells[row : row + 3])}],\n" for row in (0, 3, 6))
    return f"""\
import tlmviz
from tlmviz import digits

images = digits.held_out().images  # [382, 8, 8] in 0-16; training never saw them
grid = [
{rows}]
answer = tlmviz.load("digits-scenes").answer(grid, {choice.question!r})
print(answer.text, answer.maps.shape)  # [words, layers, heads, patches]
marking = tlmviz.load("digits-scenes-turned").mark(grid, {choice.question!r})
print(marking.cells.round(2), marking.maps.shape)  # [patches, layers, heads, words]
"""


def _spelled(cell: str) -> str:
    if not cell:
        return "None"
    return f"images[{cell[1:]}]" if cell[0] == "h" else f'digits.read("{cell}")'
