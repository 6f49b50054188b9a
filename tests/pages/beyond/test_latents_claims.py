"""What the page Latents claims, held against the models' own answers, pixels compared plainly, and scores that are
counted."""

import re

import numpy as np
import pytest

import tlmviz
from pages.beyond.latents.cost import claims as cost_claims
from pages.beyond.latents.cost import data as cost_data
from pages.beyond.latents.cost.data import AMONG, INPUTS, LATENTS
from pages.beyond.latents.cost.state import Cost
from pages.beyond.latents.reading import claims, data
from pages.beyond.latents.reading.state import NAMES, Reading
from pages.beyond.latents.two_mlas import claims as both_claims
from pages.beyond.latents.two_mlas import data as both_data
from tests.javascript.node import evaluate
from tests.pages.helpers import open_page
from tests.pages.states import above_the_picture, each_speaks_and_is_silent, facts, hold, told
from tlmviz import digits
from tlmviz.errors import Error
from tlmviz.facades.scenes.language import PLACES

START = {name: control.default for name, control in Reading.controls.items()}
SEVEN = "0033330003gggg2000227g200003g7000007g200003g7000003g2000003g2000"  # a plain 7, drawn on the pad
ONE = "00022000" * 8
EMPTY = "0" * 64


def drawn(cells: dict[int, str]) -> tuple[str, ...]:
    return tuple(cells.get(cell, "") for cell in range(9))


class Plain:
    """A picture read again, with each latent muted in turn."""

    def __init__(self, state: Reading):
        self.state, self.lm = state, tlmviz.load(NAMES[state.latents])
        held, self.images, self.truth = digits.held_out(), [], []
        for i, letters in enumerate(state.drawn):
            image, label = held.images[(state.picture + i) % 382], int(held.labels[(state.picture + i) % 382])
            self.images.append(digits.normalised(digits.read(letters)) if letters else image)
            self.truth.append(label if not letters else None)
        self.heard = [latent for latent in range(state.latents) if latent not in state.muted]
        self.cell = state.cell
        try:
            self.found = self.read(state.muted)
        except Error:
            self.found = None
        self.digits = None if self.found is None else self.found.probabilities.argmax(1).tolist()
        several = self.found is not None and len(self.heard) > 1
        self.without = {
            latent: self.read((*state.muted, latent)).probabilities[self.cell]
            for latent in (self.heard if several else ())
        }
        self.known = [i for i, label in enumerate(self.truth) if label is not None]

    def read(self, muted):
        images = [image if image.any() else None for image in self.images]
        return self.lm.classify([images[:3], images[3:6], images[6:]], mute=muted)

    @property
    def right(self):
        return sum(self.digits[i] == self.truth[i] for i in self.known)

    @property
    def is_drawn(self):
        return self.found is not None and self.state.drawn[self.cell] not in ("", EMPTY)

    @property
    def plain(self):
        """Whether it is read as it is: no latent muted, nothing drawn where one looks, and digits in it."""
        return self.found is not None and self.known and not self.state.muted and not self.is_drawn

    def flips(self) -> dict[int, np.ndarray]:
        return {k: p for k, p in self.without.items() if np.argmax(p) != self.digits[self.cell]}

    def nearest(self) -> list[int]:
        known = digits.training()
        apart = [float(((image - self.images[self.cell]) ** 2).sum()) for image in known.images]
        return [int(known.labels[k]) for k in np.argsort(apart, kind="stable")[:3]]

    def drawing(self, like: bool):
        if self.found is None or self.state.drawn[self.cell] in ("", EMPTY):
            return None
        if (self.digits[self.cell] in self.nearest()) != like:
            return None
        return f"{len(digits.training()):,}", *self.nearest()

    def answered(self, mostly: bool):
        """The latent that the answer takes most from, and how much of its reading is on the cell, pixel by pixel."""
        if self.found is None:
            return None
        asked = self.found.answering[:, self.cell].sum(0) / self.lm.config.n_heads
        latent = int(asked.argmax())
        row, column = divmod(self.cell, 3)
        inside = [24 * (8 * row + y) + 8 * column + x for y in range(8) for x in range(8)]
        there = [float(layer[latent, inside].sum()) for layer in self.found.maps]
        if (max(there) >= 0.5) != mostly:
            return None
        share = f"{100 * asked[latent]:.0f}%"
        layer = (int(np.argmax(there)),) if mostly else ()
        return latent, share, *layer, f"{100 * max(there):.0f}%"


def named(read: int):
    return () if read == 10 else (read,)


def _decides(t: Plain):
    if t.found is None or not (flips := t.flips()):
        return None
    latent = min(flips, key=lambda each: flips[each][t.digits[t.cell]])
    return latent, *named(int(np.argmax(flips[latent]))), *named(t.digits[t.cell])


def _fewer(t: Plain):
    muted = t.state.muted
    if not muted or t.found is None or not t.known or t.is_drawn:
        return None
    whole = t.read(()).probabilities.argmax(1)
    said = muted[0] if len(muted) == 1 else len(muted)
    return said, t.right, len(t.known), t.state.latents, sum(int(whole[i]) == t.truth[i] for i in t.known)


def _mistakes(t: Plain):
    wrong = [i for i in t.known if t.found is not None and t.digits[i] != t.truth[i]]
    return [fact for i in wrong[:3] for fact in (t.truth[i], *named(t.digits[i]))] or None


PLAIN = {
    "drawing": lambda t: (
        (*named(t.digits[t.cell]), f"{t.found.probabilities[t.cell].max():.0%}") if t.is_drawn else None
    ),
    "fewer_read": _fewer,
    "reads": lambda t: (len(t.heard), t.right, len(t.known)) if t.plain and len(t.heard) > 1 else None,
    "one_reads": lambda t: (0, t.right, len(t.known)) if t.plain and len(t.heard) == 1 else None,
    "mistakes": _mistakes,
    "answered_by_its_reader": lambda t: t.answered(True),
    "answered_by_another": lambda t: t.answered(False),
    "one_decides": _decides,
    "none_decides": lambda t: named(t.digits[t.cell]) if t.without and not t.flips() else None,
    "like_those_it_knows": lambda t: t.drawing(True),
    "unlike_those_it_knows": lambda t: t.drawing(False),
}


def plainly(claim):
    """The claim without commas between its words, which would count as parts of numbers."""

    def said(shown):
        return (claim(shown) or "").replace(", ", " ") or None

    said.__name__ = claim.__name__
    return said


def test_every_claim_on_a_picture_is_what_the_models_say():
    wrong = data.wrong_first("digits-perceiver")
    every, one = tuple(range(8)), drawn({0: ONE})
    several = [
        {},
        {"picture": wrong[0]},
        {"latents": 4, "cell": 5},
        {"latents": 8, "picture": 40, "cell": 8},
        {"drawn": drawn({0: SEVEN})},
        {"drawn": one},
        {"drawn": drawn({4: SEVEN}), "cell": 4, "latents": 8},
        {"muted": every[1:]},
        {"muted": every},
        {"muted": (0, 3, 5), "cell": 2},
        {"drawn": (EMPTY,) * 9},
        {"latents": 4, "picture": wrong[1], "muted": (2,)},
        {"drawn": (SEVEN,) * 9, "latents": 8},
        {"drawn": drawn({3: EMPTY}), "cell": 3, "latents": 8},
        {"drawn": drawn({0: "0g" * 32}), "latents": 8},
        {"latents": 1},
        *({"latents": 8, "cell": cell} for cell in range(9)),
    ]
    found = []
    said = [plainly(claim) for claim in claims.CLAIMS]
    for values in several:
        state = Reading(**START | values)
        found.append(hold(said, PLAIN, data.compute(state), Plain(state)))
    each_speaks_and_is_silent(found)


def right() -> dict[int, float]:
    pictures, labels = digits.held_out_pictures()
    return {m: float((tlmviz.load(name).predict(pictures).argmax(-1) == labels).mean()) for m, name in NAMES.items()}


def test_few_latents_are_said_to_read_less_only_where_they_clearly_do(monkeypatch):
    shown, shares = data.compute(Reading(**START)), right()
    assert shown.right == pytest.approx(shares)
    said = claims.more_read_more(shown)
    assert said and not claims.more_read_no_more(shown)  # what the three models are for
    assert all(f"M = {m}: {share:.1%}" in said for m, share in shares.items())
    for close in ({4: 0.5, 8: 0.55, 16: 0.59}, {4: 0.2, 8: 0.9, 16: 0.8}):
        monkeypatch.setattr(data.Data, "right", close)
        assert not claims.more_read_more(shown) and "M = 4" in claims.more_read_no_more(shown)


def test_the_latent_that_is_missed_most(monkeypatch):
    pictures, labels = digits.held_out_pictures()
    shown, lm = data.compute(Reading(**START)), tlmviz.load("digits-perceiver")
    whole = (lm.predict(pictures[::4]).argmax(-1) == labels[::4]).mean(0)
    lost = {
        (latent, cell): whole[cell] - share
        for latent in range(8)
        for cell, share in enumerate((lm.predict(pictures[::4], mute=[latent]).argmax(-1) == labels[::4]).mean(0))
    }
    latent, cell = max(lost, key=lost.get)
    said = claims.needed_there(shown)
    assert f"Latent {latent} is missed most at the {PLACES[cell]}" in said and f"of {whole[cell]:.0%}" in said
    monkeypatch.setattr(data.Data, "muted_one_by_one", np.tile(shown.right_in_cells - 0.05, (8, 1)))
    assert claims.needed_there(shown) is None


def _counts(n: int, m: int) -> tuple[int, int]:
    return sum(n for _row in range(n)), n * m + m * m


def test_every_claim_on_the_cost_is_a_count():
    found = []
    for n, m in ((1024, 64), (1, 1), (65536, 4096), (64, 4096), (65536, 1), (100, 100), (3, 1)):
        shown = cost_data.compute(Cost(inputs=n, latents=m))
        said = {claim.__name__: claim(shown) for claim in cost_claims.CLAIMS}
        among, by = _counts(n, m)
        ratio = among / by
        times = f"{ratio:.1f}" if ratio < 100 else f"{ratio:,.0f}"
        twice = (2 * n * m + m * m) / by
        plain = {
            "fewer": [f"{n:,}", f"{among:,}", f"{m:,}", f"{by:,}", times] if ratio > 1 else None,
            "more": [f"{n:,}", f"{m:,}", f"{by:,}", f"{among:,}"] if ratio <= 1 else None,
            "mixing": [f"{m * m:,}", f"{by:,}"] if m > n else None,
            "doubled": [f"{twice:.1f}"] if f"{twice:.1f}" != "4.0" else None,
        }
        for name, expected in plain.items():
            assert (said[name] is None) == (expected is None), (name, n, m)
            assert (
                expected is None or facts(said[name].replace(", ", " ").replace(";", "").replace(":", "")) == expected
            )
        assert not re.search(r"\b1 (inputs|latents)", told(cost_claims.CLAIMS, shown)), (n, m)
        found.append({name: bool(text) for name, text in said.items()})
    each_speaks_and_is_silent([{k: v for k, v in each.items() if k != "doubled"} for each in found])


def test_times_are_compared_only_where_their_rounds_do_not_overlap():
    last, length = len(INPUTS) - 1, len(INPUTS)
    times = {each: [[1.0, 1.1, 1.2] for _k in range(length)] for each in (AMONG, *LATENTS)}
    assert "cannot be told" in cost_claims.measured(times)
    times[AMONG][last] = [9.0, 9.5, 12.0]
    assert "4,096 inputs read by 8 latents every round was at least 7.5 times" in cost_claims.measured(times)
    assert cost_data.apart(times, 8, last) and not cost_data.apart(times, 8, 0)


def test_both_latents_have_the_shapes_that_are_said():
    for text in ("Lily had a red ball.", "Le chat 😀 voit le chat.", "cat"):
        shown = both_data.compute(text)
        tokens = len(tlmviz.load("zoo-mla").encode(text))
        said = both_claims.fewer_and_narrower(shown).replace(", ", " ")
        assert facts(said) == ["576", "8", str(tokens), "72", "256"]


def test_the_first_claim_stands_above_each_picture():
    [said] = above_the_picture(open_page("beyond/latents", {"latpix": ".".join(drawn({0: SEVEN}))}))
    assert said == "Your drawing at the top left is read as a 7, with 94%."
    [said] = above_the_picture(open_page("beyond/latents"))
    assert "8 learned rows of numbers read" in said and "of the 9 handwritten digits" in said
    [said] = above_the_picture(open_page("beyond/latents", {"latpart": "Cost"}))
    assert "15.1 times fewer" in said
    assert [claims._named(read) for read in (7, 8)] == ["a 7", "an 8"]
    drawing = {"pages/beyond/latents/cost/drawing.js": "costSentence"}
    few, many = evaluate(drawing, "result = [costSentence(65536, 64), costSentence(1, 4096)];", None)
    assert few.endswith(" 1,023 times fewer.") and many.endswith(" 16,781,312 times more.")
