"""The small language of the scenes: what can be asked of a 3 x 3 grid of digits, and what is true.

A grid is nine labels row by row, None where a cell is empty. A question is about one digit, one place or all; every
question has one true answer, also where the digit it names is not there or is there more than once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from ...errors import BadText

SIDE = 3
PLACES = ("top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right")
SIDES = {"left of": (0, -1), "right of": (0, 1), "above": (-1, 0), "below": (1, 0)}
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
KINDS = ("side", "where", "place", "there", "count", "describe")
FORMS = (
    "what is left of the 7",
    "what is above the 5",
    "where is the 3",
    "what is at the top left",
    "is there a 4",
    "how many digits are there",
    "describe the picture",
)
MOST_WORDS = 60  # of a question with its answer: nine digits described

MOST_UNKNOWN = 3  # cells whose digit nobody knows: all thousand pictures they could be are asked

Labels = Sequence[int | None]
Found = TypeVar("Found")


@dataclass(frozen=True)
class Question:
    """A question of the language: its kind (one of KINDS), the digit it names, the side of it or the place it asks
    for."""

    kind: str
    digit: int | None = None
    side: str = ""
    place: str = ""

    @property
    def text(self) -> str:
        """How it is spelled."""
        match self.kind:
            case "side":
                return f"what is {self.side} the {self.digit}"
            case "where":
                return f"where is the {self.digit}"
            case "place":
                return f"what is at the {self.place}"
            case "there":
                return f"is there {a(self.digit)}"
            case "count":
                return "how many digits are there"
        return "describe the picture"


def every_question() -> list[Question]:
    """All questions of the language, kind by kind."""
    digits = range(10)
    return [
        *(Question("side", digit, side) for side in SIDES for digit in digits),
        *(Question("where", digit) for digit in digits),
        *(Question("place", place=place) for place in PLACES),
        *(Question("there", digit) for digit in digits),
        Question("count"),
        Question("describe"),
    ]


def a(digit: int | None) -> str:
    """ "a 7", "an 8"."""
    return f"an {digit}" if digit == 8 else f"a {digit}"


def answer(labels: Labels, question: Question) -> str:
    """The true answer."""
    found = [cell for cell, label in enumerate(labels) if label is not None and label == question.digit]
    match question.kind:
        case "side":
            if len(found) != 1:
                return "there are several" if found else f"there is no {question.digit}"
            cell = beside(found[0], question.side)
            return _content(labels, cell)
        case "where":
            return " and ".join(f"at the {PLACES[cell]}" for cell in found) or "nowhere"
        case "place":
            return _content(labels, PLACES.index(question.place))
        case "there":
            return "yes" if found else "no"
        case "count":
            return NUMBERS[sum(label is not None for label in labels)]
    return description(labels)


def cells(labels: Labels, question: Question) -> list[int]:
    """The cells of the digits that the true answer speaks of, in reading order; none where it speaks of none."""
    found = [cell for cell, label in enumerate(labels) if label is not None and label == question.digit]
    match question.kind:
        case "side":
            if len(found) != 1:
                return found
            beside_it = beside(found[0], question.side)
            return [] if beside_it is None or labels[beside_it] is None else [beside_it]
        case "where" | "there":
            return found
        case "place":
            cell = PLACES.index(question.place)
            return [] if labels[cell] is None else [cell]
    return [cell for cell, label in enumerate(labels) if label is not None]


def beside(cell: int, side: str) -> int | None:
    """The cell next to one; None outside of the grid."""
    row, column = cell // SIDE + SIDES[side][0], cell % SIDE + SIDES[side][1]
    return row * SIDE + column if 0 <= row < SIDE and 0 <= column < SIDE else None


def description(labels: Labels) -> str:
    """The digits in reading order, each with how it lies to the next: "a 3 above a 5 left of a 2"."""
    filled = [cell for cell, label in enumerate(labels) if label is not None]
    words = []
    for cell, following in zip(filled, [*filled[1:], None]):
        words.append(a(labels[cell]))
        if following is not None:
            words.append(_relation(cell, following))
    return " ".join(words)


def settled(labels: Labels, unknown: Sequence[int], of: Callable[[Labels], Found]) -> Found | None:
    """`of` the labels where it is the same whatever digits are in the `unknown` cells; None where it is not."""
    if len(unknown) > MOST_UNKNOWN:
        return None
    found: list[Found] = []
    for guess in product(range(10), repeat=len(unknown)):
        filled = list(labels)
        for cell, digit in zip(unknown, guess):
            filled[cell] = digit
        each = of(filled)
        if found and each != found[0]:
            return None
        found = [each]
    return found[0]


def parse(text: str) -> Question:
    """The question that a text asks; case and marks do not matter. Raises BadText outside of the language."""
    if not isinstance(text, str) or not text.strip():
        raise BadText("There is no question; ask one like {forms}.", forms=_quoted(FORMS))
    words = re.findall(r"[^\W_]+", text.lower())
    words = [str(NUMBERS.index(word)) if word in NUMBERS else word for word in words]
    asked = " ".join(words)
    for question in _ALL:
        if asked in (question.text, question.text.replace("an 8", "a 8")):
            return question
    strange = [word for word in dict.fromkeys(words) if word not in QUESTION_WORDS]
    if strange:
        one = "{names} is no word of this small language; ask one of {forms}."
        many = "{names} are no words of this small language; ask one of {forms}."
        names = ", ".join(repr(word[:20]) for word in strange[:5])
        raise BadText(one if len(strange) == 1 else many, names=names, forms=_quoted(FORMS))
    raise BadText(
        "{text} is no question of this small language; ask one of {forms}.",
        text=repr(text.strip()[:60]),
        forms=_quoted(FORMS),
    )


def read_scene(text: str) -> tuple[list[int | None], str]:
    """Labels and question of a text "3.7.5...1: what is left of the 7": nine cells row by row, a point where one is
    empty.

    Raises BadText.
    """
    cells, _, question = text.partition(":")
    if (labels := _labels(cells)) is None:
        raise BadText(
            f"{text[:60]!r} is no picture and question; write nine cells row by row, a digit or a point each, and a "
            "question: '3.7.5...1: what is left of the 7'."
        )
    parse(question)
    return labels, question.strip()


def read_cells(text: str) -> list[int | None]:
    """Labels of a text "3.7.5...1": nine cells row by row, a point where one is empty. Raises BadText."""
    if (labels := _labels(text)) is None:
        raise BadText(
            f"{text[:60]!r} is no picture; write nine cells row by row, a digit or a point each: '3.7.5...1'."
        )
    return labels


def _labels(text: str) -> list[int | None] | None:
    """The labels that a text of nine cells stands for; None where it is none, or all cells are empty."""
    cells = text.strip()
    if not re.fullmatch(r"[0-9.]{9}", cells) or not cells.strip("."):
        return None
    return [None if cell == "." else int(cell) for cell in cells]


def _content(labels: Labels, cell: int | None) -> str:
    return "nothing" if cell is None or labels[cell] is None else a(labels[cell])


def _relation(cell: int, following: int) -> str:
    down, across = following // SIDE - cell // SIDE, following % SIDE - cell % SIDE
    if not down:
        return "left of"
    return "above" + (" and left of" if across > 0 else " and right of" if across < 0 else "")


def _quoted(forms: Sequence[str]) -> str:
    return ", ".join(f"'{form}'" for form in forms)


_ALL = every_question()
QUESTION_WORDS = frozenset(word for question in _ALL for word in question.text.split()) | {"a", "an"}


def every_word() -> list[str]:
    """Texts that hold every word of questions and answers."""
    return [
        *(question.text for question in _ALL),
        *(a(digit) for digit in range(10)),
        *PLACES,
        *SIDES,
        *NUMBERS,
        "there is no 7",
        "there are several",
        "nowhere",
        "nothing",
        "yes",
        "no",
        "above and left of",
        "at the top",
    ]
