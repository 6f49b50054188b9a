"""What the page Beam search says about its tree and its ranking, each where it is true."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _, ngettext

from .data import Data
from .state import STORY, TREE

UNSURE = 0.3  # mean probability per token below which a translation is guesswork


def greedy_cut(data: Data) -> str | None:
    """Greedy reaches no end."""
    if not _differ(data) or not data.best.finished or data.greedy.finished:
        return None
    count = len(data.greedy.tokens)
    return ngettext(
        "Greedy reaches no end here: its text is cut after {n} token. A beam of {width} finds {best}.",
        "Greedy reaches no end here: its text is cut after {n} tokens. A beam of {width} finds {best}.",
        count,
        width=data.chosen.width,
        best=quoted(data, data.best),
    )


def greedy_beats(data: Data) -> str | None:
    """Greedy's text, which the beam dropped, scores above the winner."""
    if not _differ(data) or greedy_cut(data) or data.greedy.score <= data.best.score:
        return None
    return _(
        "Greedy beats the beam here: its {greedy}, which the beam dropped, scores {gap} nats above the winner {best}.",
        greedy=quoted(data, data.greedy),
        gap=f"{data.greedy.score - data.best.score:.2f}",
        best=quoted(data, data.best),
    )


def greedy_loses(data: Data) -> str | None:
    """The winner is more probable than greedy's text."""
    gap = data.best.parts.logp - data.greedy.parts.logp if _differ(data) else 0
    if gap <= 0 or greedy_cut(data) or greedy_beats(data):
        return None
    return _(
        "Greedy writes {greedy}, {gap} nats less probable than what a beam of {width} finds: {best}.",
        greedy=quoted(data, data.greedy),
        width=data.chosen.width,
        best=quoted(data, data.best),
        gap=f"{gap:.2f}",
    )


def greedy_loses_by_score(data: Data) -> str | None:
    """Greedy's text is as probable or more, and loses by its score."""
    if not _differ(data) or greedy_cut(data) or greedy_beats(data) or greedy_loses(data):
        return None
    return _(
        "Greedy's {greedy} is {gap} nats more probable than the winner {best}, and loses by its score only: {other} "
        "against {score}.",
        greedy=quoted(data, data.greedy),
        gap=f"{data.greedy.parts.logp - data.best.parts.logp:.2f}",
        best=quoted(data, data.best),
        score=number(data.best.score, ".3f"),
        other=number(data.greedy.score, ".3f"),
    )


def greedy_finds(data: Data) -> str | None:
    """Greedy finds the same."""
    if data.chosen.width == 1 or _differ(data):
        return None
    return _(
        "Greedy finds the winner here too: a beam of {width} changes nothing, {best} stays.",
        width=data.chosen.width,
        best=quoted(data, data.best),
    )


def one_beam(data: Data) -> str | None:
    """A width of 1."""
    if data.chosen.width > 1:
        return None
    return _(
        "With a width of 1 every choice is final: this is greedy search, and it writes {best}.",
        best=quoted(data, data.best),
    )


def dull(data: Data) -> str | None:
    """How much more probable the beam's story is, per token, than the least probable sampled one."""
    if data.chosen.width == 1 or not data.paths:
        return None
    mean = {path.name: path.total / len(path.tokens) for path in data.paths}
    least = min(mean, key=mean.__getitem__)
    own = data.best.parts.logp / len(data.best.tokens)
    shares = [f"{np.exp(value):.2f}" for value in (own, mean[least])]
    if float(shares[0]) <= float(shares[1]):
        return None
    return _(
        "The beam writes {best}, each token with a probability of {own} on (geometric) average; {strategy}, a text by "
        "chance, comes to {other}.",
        best=quoted(data, data.best),
        own=shares[0],
        strategy=least,
        other=shares[1],
    )


def story(data: Data) -> str | None:
    """What the beam writes, where nothing is to be compared."""
    if data.chosen.width == 1 or dull(data):
        return None
    return _(
        "The most probable continuation that a beam of {width} finds is {best}.",
        width=data.chosen.width,
        best=quoted(data, data.best),
    )


def leave_the_beam(data: Data) -> str | None:
    """After how many tokens sampled texts part from the winner."""
    partings = {path.name: _parting(path.tokens, data.best.tokens) for path in data.paths}
    parted = {name: at for name, at in partings.items() if at is not None}
    if not parted:
        return None
    first = min(parted, key=parted.__getitem__)
    return ngettext(
        "{name} leaves the winner's way first, at token {at}; in all {n} text leaves it.",
        "{name} leaves the winner's way first, at token {at}; in all {n} texts leave it.",
        len(parted),
        name=first,
        at=parted[first] + 1,
    )


def unfinished(data: Data) -> str | None:
    """The winner has no end."""
    if data.best.finished:
        return None
    return _(
        "No text came to an end: the search stopped, {why}. What is ranked are beginnings.", why=data.search.stopped
    )


def unsure(data: Data) -> str | None:
    """The model guesses: the sentence may be unlike what it learned from."""
    mean = f"{np.exp(data.best.parts.logp / len(data.best.tokens)):.2f}"
    if float(mean) >= UNSURE:
        return None
    return _(
        "The model guesses: each token of the winner has a probability of {mean} on (geometric) average. The sentence "
        "may be unlike the English that it learned from.",
        mean=mean,
    )


def shorter_without(data: Data) -> str | None:
    """What the length penalty changes."""
    other = data.shortest_way
    if other.tokens == data.best.tokens:
        return None
    return _(
        "Without a length penalty (α = 0) {other} would win: every further token multiplies by a probability below 1. "
        "The winner has {own} tokens, it has {count}.",
        other=quoted(data, other),
        own=len(data.best.tokens),
        count=len(other.tokens),
    )


CLAIMS = {
    TREE: (
        greedy_cut,
        greedy_beats,
        greedy_loses,
        greedy_loses_by_score,
        greedy_finds,
        one_beam,
        unfinished,
        unsure,
        shorter_without,
    ),
    STORY: (one_beam, dull, story, leave_the_beam, shorter_without),
}
HINTS = (Hint(N_("Click a node to force another token there."), within),)


def _differ(data: Data) -> bool:
    """Whether a wider beam ends with another text than greedy."""
    return data.chosen.width > 1 and data.best.tokens != data.greedy.tokens


def _parting(tokens, others) -> int | None:
    """Where a text parts from another; None while one begins as the other."""
    return next((at for at, (one, other) in enumerate(zip(tokens, others)) if one != other), None)


def quoted(data: Data, candidate) -> str:
    """A text as Markdown."""
    text = markdown.plain(data.text(candidate))
    return f"“{text}{'' if candidate.finished else ' …'}”" if text else _("(nothing)")


def title(data: Data) -> str:
    """The heading of the tree."""
    chosen, stopped, count = data.chosen, data.search.stopped, len(data.search.leaves)
    if stopped.startswith("enough"):
        stopped = (
            ngettext("stopped: {n} complete translation found", "stopped: {n} complete translations found", count)
            if chosen.has_source
            else ngettext("stopped: {n} complete text found", "stopped: {n} complete texts found", count)
        )
    if chosen.has_source:
        steps, drawn = data.search.steps, max(node.depth for node in data.tree.nodes)
        stopped = (
            _("{steps} steps, {stopped}", steps=steps, stopped=stopped)
            if drawn <= steps
            else _("{steps} steps, {stopped}; greedy search took {drawn}", steps=steps, drawn=drawn, stopped=stopped)
        )
    return _("{model}, beam of {width}: {stopped}", model=chosen.model, width=chosen.width, stopped=stopped)


def geometric_means(data: Data) -> str:
    """The highest geometric mean probability per token, and the winner's."""
    means = [np.exp(one.parts.logp / len(one.tokens)) for one in data.ranked]
    best = int(np.argmax(means))
    return _(
        "α = 1 with |Y|^α ranks by the geometric mean probability per token: {highest}, the highest, is that of "
        "{text}; the winner's is {own} = exp({logp} / {count}).",
        highest=f"{means[best]:.4f}",
        text=quoted(data, data.ranked[best]),
        own=f"{means[0]:.4f}",
        logp=number(data.best.parts.logp, ".3f"),
        count=len(data.best.tokens),
    )


_DRAWN = N_(
    "Branches are as thick as their token is probable; the orange line is the winner, dotted ones are other texts. "
    "White circles were kept for a step, but no finished text grew from them; grey dots were dropped at once (point at "
    "them, or at their parent)."
)
NOTICE = {
    TREE: (
        _DRAWN,
        N_("Penalties rank finished texts only: unfinished beams have one length, and log P alone decides among them."),
    ),
    STORY: (
        _DRAWN,
        N_("Without a source there is no coverage and no end term; α alone decides between short and long."),
    ),
}
MATHS = {TREE: (), STORY: (N_("On dull beams: Holtzman et al. 2020, The Curious Case of Neural Text Degeneration."),)}
