"""What a tour is made of: steps, each a page in a state, two sentences, a place, and perhaps a question that is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode


@dataclass(frozen=True)
class Measured:
    """What a question's measure found: which answer is true, counted from 0, and a sentence with the figures."""

    answer: int
    says: str


@dataclass(frozen=True)
class Question:
    """A question with two to four answers; `measure` computes from the models which of them is true.

    One of a teacher's own has none, and perhaps an answer that the teacher says is `right`, counted from 0.
    """

    asks: str
    answers: tuple[str, ...]
    measure: Callable[[], Measured] | None = None
    right: int | None = None


@dataclass(frozen=True)
class Step:
    """One step: a page by its path, the link that sets its state, what is said of it, and the place that is lit.

    `place` is a CSS selector of a part of the page: mostly the class that Streamlit makes of a key, `.st-key-attention`;
    a teacher's own question has no place, title or words.
    """

    page: str
    title: str
    says: str
    place: str
    link: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    question: Question | None = None


@dataclass(frozen=True)
class Tour:
    """One tour: its name in links, its title, what is learnt on it, and its steps."""

    name: str
    title: str
    says: str
    steps: tuple[Step, ...]

    @property
    def minutes(self) -> int:
        """About how long it takes: a minute for two steps."""
        return round(len(self.steps) / 2 + 1)

    def answered(self, told: Sequence[int | None]) -> dict[int, int]:
        """The answers `told` step by step that their questions have, by the step, counted from 1."""
        return {
            number: answer
            for number, (step, answer) in enumerate(zip(self.steps, told), 1)
            if answer is not None and step.question and 0 <= answer < len(step.question.answers)
        }


def address(path: str, home: str, query: Mapping[str, str | tuple[str, ...]]) -> str:
    """The link of a page by its path, from any page; the `home` page has none."""
    return ("./" if path == home else path) + "?" + urlencode(query, doseq=True)
