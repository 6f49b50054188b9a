"""Everything that the parts Norms and Convolution show: a batch, what an action makes of it, and what norms make of
both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlmviz.analysis.numbers import norm_pictures, norms
from tlmviz.analysis.numbers.norms import Batch, Offset
from tlmviz.checks import Check
from tlmviz.checks import numbers_norms as checks
from tlmviz.errors import UnknownName
from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached

from .state import AWAY, NOTHING, OF_MAPS, OF_TOKENS, RMS, RUNNING, Maps, Tokens

FACTOR, SPREADS, GROUPS = 3, 2, 2  # of actions; of GroupNorm
AXES = {"layer": (1, 2), "rms": (1, 2), "batch": (0, 2), "running": (0, 2), "instance": (2,)}


@dataclass(frozen=True)
class Data:
    """A batch x [items, channels, inner]: tokens, or pictures with their pixels; `unit` [items]: of which sentence or
    picture.

    `names` are the items', `means` and `variances` [K, channels] those of other batches.
    """

    chosen: Tokens | Maps
    x: np.ndarray
    unit: np.ndarray
    names: list[str]
    means: np.ndarray
    variances: np.ndarray

    @property
    def reading(self) -> Reading:
        """The norms of the model that made a batch of tokens."""
        return Reading(self.chosen)

    @cached(1)
    def pictures() -> Mapping[str, np.ndarray]:
        """Pictures, labels, what the filters make of them, and the statistics of other batches."""
        images, labels = norm_pictures.shown()
        means, variances = norm_pictures.batch_moments(norm_pictures.other_batches())
        x = norm_pictures.responses(images)
        return {"images": images, "labels": np.array(labels), "x": x, "means": means, "variances": variances}

    @cached(1)
    def checks() -> list[Check]:
        """The identity behind the part Convolution."""
        return shared.run_in_worker(lambda: [checks.running_is_torchs(norm_pictures.other_batches()[:20])])

    @property
    def norms(self) -> tuple[str, ...]:
        """The norms that are compared."""
        return OF_TOKENS if isinstance(self.chosen, Tokens) else OF_MAPS

    @cached_property
    def open_on(self) -> tuple[int, int]:
        """While nobody has chosen: the token that has most of the channel that is furthest from 0 on average; the first
        " "picture."""
        if isinstance(self.chosen, Maps):
            return 0, 0
        sizes = np.abs(self.x[:, :, 0])
        channel = int(sizes.mean(0).argmax())
        return int(sizes[:, channel].argmax()), channel

    @property
    def item(self) -> int:
        """The item that is chosen."""
        return min(self.open_on[0] if self.chosen.item is None else self.chosen.item, len(self.x) - 1)

    @property
    def channel(self) -> int:
        """The channel that is chosen."""
        chosen = self.open_on[1] if self.chosen.channel is None else self.chosen.channel
        return min(chosen, self.x.shape[1] - 1)

    @property
    def plus(self) -> float:
        """What "+" adds, in two digits."""
        every = self.x if isinstance(self.chosen, Tokens) else self.pictures["x"]
        return float(f"{SPREADS * every.std():.1g}") or 1.0

    @property
    def gone(self) -> int | None:
        """The sentence or picture that can be taken away: the last that is not the chosen item's own; None where it is
        alone."""
        others = self.unit[self.unit != self.unit[self.item]]
        return int(others[-1]) if len(others) else None

    def acted(self, action: str) -> tuple[np.ndarray, np.ndarray]:
        """The batch after an action, and which items are still there."""
        x, alive = self.x.copy(), np.ones(len(self.x), bool)
        if action == AWAY:
            alive = self.unit != (-1 if self.gone is None else self.gone)
        elif action != NOTHING:
            at = (self.item,) if action.startswith("item") else (slice(None), self.channel)
            x[at] = FACTOR * x[at] if action.endswith("times") else x[at] + self.plus
        return x, alive

    def out(self, norm: str, x: np.ndarray) -> np.ndarray:
        """What a norm makes of a batch."""
        printed = self.chosen.printed
        if norm == RUNNING:
            mean, variance = norms.running(self.means[: self.chosen.seen], self.variances[: self.chosen.seen])
            return norms.normalised(x, mean[:, None], variance[:, None], printed=printed)
        if norm == "group":
            parts = x.reshape(len(x), GROUPS, -1)
            return norms.normalised(parts, *norms.moments(parts, 2), printed=printed).reshape(x.shape)
        return norms.normalised(x, *norms.moments(x, AXES[norm], centred=norm != RMS), printed=printed)

    def change(self, norm: str) -> float:
        """The largest change of what a norm gives, over what is still there, when the chosen action is done to its
        input."""
        x, alive = self.acted(self.chosen.action)
        return float(np.abs(self.out(norm, x[alive]) - self.out(norm, self.x)[alive]).max(initial=0))

    def spreads(self) -> tuple[np.ndarray, np.ndarray]:
        """σ (of RMSNorm the root mean square) of every group of cells that the chosen norm takes together, before and
        after."""
        norm = self.chosen.norm
        x, alive = self.acted(self.chosen.action)
        found = []
        for each in (x[alive], self.out(norm, x[alive])):
            parts, axes = (each.reshape(len(each), GROUPS, -1), (2,)) if norm == "group" else (each, AXES[norm])
            found.append(np.sqrt(norms.moments(parts, axes, centred=norm != RMS)[1]).ravel())
        return found[0], found[1]


@dataclass(frozen=True)
class Reading:
    """A model's norms on a text."""

    chosen: Tokens

    @property
    def lm(self) -> LanguageModel:
        """The model. Raises UnknownName for a file of one pass, which has no norms to look into."""
        lm = shared.model(self.chosen.model)
        if lm.task != "language":
            raise UnknownName(
                f"{lm.name} holds one pass and no network; choose a model, whose norms can be looked into."
            )
        return lm

    @cached_property
    def places(self) -> dict[str, str]:
        """The norms, by path, and what each is called."""
        return norms.places(self.lm)

    @property
    def place(self) -> str:
        """The path of the one that is chosen, else the last."""
        chosen = self.chosen.place
        return chosen if chosen in self.places else list(self.places)[-1]

    @cached(16)
    def batch(model: str, text: str, place: str) -> Batch:
        """What it is given. Raises BadText."""
        lm = shared.model(model)
        return shared.run_in_worker(lambda: norms.collect(lm, text, place), shared.about(text))

    @cached(512)  # 90 kB each
    def others(model: str, place: str) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances of other batches."""
        lm = shared.model(model)
        return norm_pictures.batch_moments(
            shared.run_in_worker(lambda: norms.other_batches(lm, place), norms.OTHERS * norms.LENGTH)
        )

    @cached(16)
    def offsets(model: str, text: str) -> dict[str, Offset]:
        """The mean that each norm's output keeps, and what the product that reads it makes of that; of norms that one
        reads."""
        lm, found = shared.model(model), {}
        for place, name in norms.places(lm).items():
            try:
                weight, bias = norms.reader(lm, place)
            except UnknownName:
                continue
            y = Reading.batch(model, text, place).out
            found[name] = shared.run_in_worker(lambda y=y, weight=weight, bias=bias: norms.offset(y, weight, bias))
        return found

    @cached(16)
    def losses(model: str, text: str) -> tuple[float, float]:
        """The text's loss as the model is and with the mean taken off before every norm, in nats per token; NaN for one
        token."""
        lm = shared.model(model)
        ids = lm.encode(text)
        if len(ids) < 2:
            return float("nan"), float("nan")
        return shared.run_in_worker(lambda: norms.centred_loss(lm, ids), len(ids))

    @cached(16)
    def checks(model: str, text: str) -> list[Check]:
        """The identities behind this part."""
        lm = shared.model(model)
        return shared.run_in_worker(lambda: [entry(lm, text) for entry in checks.OF_TEXT if entry.applies(lm)])


def of_text(chosen: Tokens) -> Data:
    """The batch of a text's sentences. Raises BadText."""
    reading = Reading(chosen)
    batch, others = reading.batch, reading.others
    return Data(chosen, batch.x[:, :, None], batch.row, batch.tokens, *others)


def of_digits(chosen: Maps) -> Data:
    """The batch of digits that the seed draws, behind four filters."""
    found = Data.pictures()
    drawn = norm_pictures.drawn(len(found["labels"]), chosen.count, chosen.seed)
    x = found["x"][drawn]
    names = [str(found["labels"][at]) for at in drawn]
    return Data(chosen, x.reshape(*x.shape[:2], -1), np.arange(len(x)), names, found["means"], found["variances"])
