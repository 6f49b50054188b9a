"""What the page Latents claims, held against the models' own answers, pixels compared plainly, and scores that are
counted."""

import re
from functools import cache

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
from pages.beyond.latents.two_mlas.data import Data
from pages.beyond.latents.two_mlas.state import Text
from tests.javascript.node import evaluate
from tests.pages.helpers import open_page
from tests.pages.states import above_the_picture, agree, each_speaks_and_is_silent, told
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
        return PLACES[self.cell], latent, share, *layer, f"{100 * max(there):.0f}%"


def named(read: int):
    return () if read in (8, 10) else (read,)  # "an 8" and "nothing" stand in words


def _fewer(t: Plain):
    muted = t.state.muted
    if not muted or t.found is None or not t.known or t.is_drawn:
        return None
    whole = t.read(()).probabilities.argmax(1)
    whole = sum(int(whole[i]) == t.truth[i] for i in t.known)
    return len(muted), t.right, len(t.known), t.state.latents, whole


def _mistakes(t: Plain):
    wrong = [i for i in t.known if t.found is not None and t.digits[i] != t.truth[i]]
    if not wrong:
        return None
    said = [f"the {t.truth[i]} at the {PLACES[i]} as {words(t.digits[i])}" for i in wrong[:3]]
    last = wrong[len(said) - 1]
    return (*[", ".join(said[:-1])][: len(said) - 1], t.truth[last], PLACES[last], *named(t.digits[last]))


def words(read: int) -> str:
    return {8: "an 8", 10: "nothing"}.get(read, f"a {read}")


def _grown(shares: dict[int, float]) -> bool:
    every = list(shares.values())
    return all(a < b for a, b in zip(every, every[1:])) and every[-1] - every[0] > 0.1


def _counted(t: Plain, grows: bool):
    """How many of the held-out digits each model reads right, and all nine of how many pictures."""
    shares, whole = right()
    if t.found is None or _grown(shares) != grows:
        return None
    said = (", ".join(f"M = {m}: {share:.1%}" for m, share in each.items()) for each in (shares, whole))
    return len(digits.held_out()), *said


@cache
def right() -> tuple[dict[int, float], dict[int, float]]:
    pictures, labels = digits.held_out_pictures()
    found = {m: tlmviz.load(name).predict(pictures).argmax(-1) == labels for m, name in NAMES.items()}
    return {m: float(each.mean()) for m, each in found.items()}, {
        m: float(each.all(1).mean()) for m, each in found.items()
    }


PLAIN = {
    "drawing": lambda t: (
        (PLACES[t.cell], *named(t.digits[t.cell]), f"{t.found.probabilities[t.cell].max():.0%}") if t.is_drawn else None
    ),
    "fewer_read": _fewer,
    "reads": lambda t: (len(t.heard), t.right, len(t.known)) if t.plain and len(t.heard) > 1 else None,
    "one_reads": lambda t: (0, t.right, len(t.known)) if t.plain and len(t.heard) == 1 else None,
    "mistakes": _mistakes,
    "answered_by_its_reader": lambda t: t.answered(True),
    "answered_by_another": lambda t: t.answered(False),
    "more_read_more": lambda t: _counted(t, True),
    "more_read_no_more": lambda t: _counted(t, False),
}


def test_every_claim_on_a_picture_is_what_the_models_say():
    wrong = data.Data.wrong_first("digits-perceiver")
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
    for values in several:
        state = Reading(**START | values)
        shown = data.Data(state)
        found.append(agree(claims.CLAIMS, PLAIN, shown, Plain(state)))
        if said := claims.fewer_read(shown):
            assert len(state.muted) > 1 or f"latent {state.muted[0]} " in said
    each_speaks_and_is_silent([{k: v for k, v in each.items() if k != "more_read_no_more"} for each in found])


def test_few_latents_are_said_to_read_less_only_where_they_clearly_do(monkeypatch):
    shown = data.Data(Reading(**START))
    assert shown.right == pytest.approx(right()[0])
    assert claims.more_read_more(shown)  # what the models are for
    for close in ({4: 0.5, 8: 0.55, 16: 0.59}, {4: 0.2, 8: 0.9, 16: 0.8}):
        monkeypatch.setattr(data.Data, "right", close)
        assert not claims.more_read_more(shown) and "M = 4" in claims.more_read_no_more(shown)


def _counts(n: int, m: int) -> tuple[int, int]:
    return sum(n for _row in range(n)), n * m + m * m


def _fewer_scores(t: dict):
    ratio = t["among"] / t["by"]
    if ratio <= 1:
        return None
    ratio = f"{ratio:.1f}" if ratio < 100 else f"{ratio:,.0f}"
    return t["m"], f"{t['n']:,}", f"{t['among']:,}", f"{t['m']:,}", f"{t['by']:,}", ratio


COSTS = {
    "fewer": _fewer_scores,
    "more": lambda t: [f"{t[each]:,}" for each in ("n", "m", "by", "among")] if t["among"] <= t["by"] else None,
    "mixing": lambda t: [f"{t['m'] ** 2:,}", f"{t['by']:,}"] if t["m"] > t["n"] else None,
    "doubled": lambda t: [f"{t['twice']:.1f}"] if f"{t['twice']:.1f}" != "4.0" else None,
}


def test_every_claim_on_the_cost_is_a_count():
    found = []
    for n, m in ((1024, 64), (1, 1), (65536, 4096), (64, 4096), (65536, 1), (100, 100), (3, 1)):
        shown = cost_data.Data(Cost(inputs=n, latents=m))
        among, by = _counts(n, m)
        truth = {"n": n, "m": m, "among": among, "by": by, "twice": (2 * n * m + m * m) / by}
        found.append(agree(cost_claims.CLAIMS, COSTS, shown, truth))
        assert not re.search(r"\b1 (inputs|latents)", told(cost_claims.CLAIMS, shown)), (n, m)
    each_speaks_and_is_silent([{k: v for k, v in each.items() if k != "doubled"} for each in found])


def test_times_are_compared_only_where_their_rounds_do_not_overlap(monkeypatch):
    last, length, shown = len(INPUTS) - 1, len(INPUTS), cost_data.Data(Cost())
    times = {each: [[1.0, 1.1, 1.2] for _k in range(length)] for each in (AMONG, *LATENTS)}
    monkeypatch.setattr(cost_data.Data, "times", times)
    assert "cannot be told" in cost_claims.measured(shown)
    times[AMONG][last] = [9.0, 9.5, 12.0]
    assert "4,096 inputs read by 8 latents every round was at least 7.5 times" in cost_claims.measured(shown)
    assert shown.apart(8, last) and not shown.apart(8, 0)


def test_both_latents_have_the_shapes_that_are_said():
    for text in ("Lily had a red ball.", "Le chat 😀 voit le chat.", "cat"):
        tokens = len(tlmviz.load("zoo-mla").encode(text))
        assert both_claims.fewer_and_narrower(Data(Text(text=text))).values == (576, 8, tokens, 72, 256)


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
