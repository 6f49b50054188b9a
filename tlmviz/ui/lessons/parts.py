"""What a lesson is made of: scenes, each of one sentence, one picture and one act, with a verdict for every answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..language import _


class Unfit(Exception):
    """What a lesson shows does not hold on a text: a message for the visitor, marked by `N_`, and what stands in its
    holes."""

    def __init__(self, message: str, **values: str) -> None:
        super().__init__(message)
        self.message, self.values = message, values


@dataclass(frozen=True)
class Part:
    """A picture, or one part of it: its kind, what it is drawn from, and its share of the height. `pictures` makes
    them."""

    kind: str
    options: Mapping[str, Any]
    share: float = 1.0


Picture = tuple[Part, ...]  # its parts, one above another


@dataclass(frozen=True)
class Reply:
    """What an answer gets: a verdict in a word or two, and the reason; a wrong one, what would be true if it were
    right, or is.

    It `shows` a picture of its own; where it has none, the scene's. `words` fill what only this reply names. An answer
    to choose has a `label`, and one to tap in another picture than a strip.
    """

    verdict: str
    reason: str
    right: bool = False
    shows: Picture = ()
    words: Mapping[str, str] = field(default_factory=dict)
    label: str = ""


@dataclass(frozen=True)
class Choose:
    """Press one of two to four answers, of which one is right; each reply has the answer as its label."""

    replies: Sequence[Reply]


@dataclass(frozen=True)
class Tap:
    """Tap a token of the strip: token -> reply, for each that can be tapped."""

    replies: Mapping[int, Reply]


@dataclass(frozen=True)
class Press:
    """Press heads or tokens of the picture one at a time until the right one is found: name or token -> reply, one
    right."""

    replies: Mapping[str, Reply] | Mapping[int, Reply]


@dataclass(frozen=True)
class Pick:
    """Choose `count` heads, then press the `button`: their names, sorted and with a space between, -> reply."""

    replies: Mapping[str, Reply]
    button: str
    count: int = 1


@dataclass(frozen=True)
class Drag:
    """Drag the first bar to a guess in per cent, then press the `button`: right if it is `within` so many of `right`.

    Replies: to a good guess, to one that is too low, to one too high. `label` is for who hears the page.
    """

    label: str
    button: str
    right: float
    replies: tuple[Reply, Reply, Reply]
    start: int = 50
    within: float = 10.0


@dataclass(frozen=True)
class DragUntil:
    """Drag an `odds` picture down until it is at `until` of its hundred."""

    label: str
    until: float
    replies: tuple[Reply]
    start: int = 100


@dataclass(frozen=True)
class Again:
    """Press the `button` again and again: a reply for each time, whose picture comes with it; the last ends it."""

    button: str
    replies: Sequence[Reply]


def choose(right: str, *answers: tuple[str, str, str]) -> Choose:
    """Answers, each its label, its verdict and its reason; the one with the label `right` is right."""
    return Choose([Reply(verdict, why, label == right, label=label) for label, verdict, why in answers])


def guessed(why: str, low: str, high: str, good: str = "") -> tuple[Reply, Reply, Reply]:
    """What a drag gets for one reason: verdicts on a guess that is too low, too high, and `good`."""
    return Reply(good or _("Well guessed."), why, True), Reply(low, why), Reply(high, why)


Act = Choose | Tap | Press | Pick | Drag | DragUntil | Again


@dataclass(frozen=True)
class Behind:
    """The page that shows a scene whole: its path, and the link's values that set its state."""

    page: str
    link: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Scene:
    """One scene: at most 25 words that it `says`, the picture `before` an answer and `after` it, and the act.

    **Words** between stars are bold; {names} are filled from the lesson's words and the scene's own. `asks` for the
    visitor's sentence; `home` stays on the lesson's own text, and says so where another one is read.
    """

    says: str
    before: Picture
    act: Act
    after: Picture = ()
    hint: str = ""
    behind: Behind | None = None
    asks: bool = False
    home: bool = False
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class End:
    """One of three sentences that can be explained now, with its picture."""

    says: str
    shows: Picture


@dataclass(frozen=True)
class Lesson:
    """One lesson: its name in links, its title, what is learnt, and its model, which reads `text` or the visitor's own.

    `measure` finds in the model's thread all that is said and drawn, and raises Unfit where that does not hold on a
    text; of a text that is not the lesson's, `plot` and `end` get both measures, of that text and of the lesson's own;
    `words` say what stands for {names} in their sentences. A model that is no language model has its own `load`; how it
    reads a visitor's text, `surprise` says: how many times as much as a text of its own kind that costs it. Where no
    scene asks for one, no text is read. `measured_on` says on what, at the end; `also` names the models that it needs
    beside its own: `measure` gets all of them by their names.
    """

    name: str
    title: str
    says: str
    model: str
    text: str
    measure: Callable[[Any, str], Any]
    words: Callable[[Any, Any], Mapping[str, str]]
    plot: Callable[[Any, Any], Sequence[Scene]]
    end: Callable[[Any, Any], Sequence[End]]
    load: Callable[[str], Any] | None = None
    surprise: Callable[[str, str], float] | None = None
    measured_on: str = ""
    also: Sequence[str] = ()
