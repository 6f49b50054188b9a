"""What the page Latents claims, held against the models' own answers, pixels compared plainly, and scores that are counted."""

from math import sqrt

import numpy as np

import tlmviz
from pages.beyond.latents.cost import claims as cost_claims
from pages.beyond.latents.cost import data as cost_data
from pages.beyond.latents.cost.data import AMONG, INPUTS, LATENTS
from pages.beyond.latents.cost.state import Cost
from pages.beyond.latents.reading import claims, data
from pages.beyond.latents.reading.state import NAMES, Reading
from pages.beyond.latents.two_mlas import claims as both_claims
from pages.beyond.latents.two_mlas import data as both_data
from tests.pages.helpers import open_page
from tests.pages.states import above_the_picture, each_speaks_and_is_silent, facts, hold
from tlmviz import digits
from tlmviz.errors import Error

START = {name: control.default for name, control in Reading.controls.items()}
SEVEN = "0033330003gggg2000227g200003g7000007g200003g7000003g2000003g2000"  # a plain 7, drawn on the pad
ONE = "00022000" * 8
COUNT = 382


class Plain:
    """A picture read again, with each latent muted in turn."""

    def __init__(self, state: Reading):
        self.state, self.lm = state, tlmviz.load(NAMES[state.latents])
        self.drawn = bool(state.pixels)
        held = digits.held_out()
        drawn = digits.normalised(digits.read(state.pixels)) if self.drawn else None
        self.image = held.images[state.digit] if drawn is None else drawn
        self.truth = None if self.drawn else int(held.labels[state.digit])
        self.heard = [latent for latent in range(state.latents) if latent not in state.muted]
        try:
            self.p = self.lm.classify(self.image, mute=state.muted).probabilities
        except Error:
            self.p = None
        self.digit = None if self.p is None else int(np.argmax(self.p))
        self.share = "" if self.p is None else f"{100 * self.p[self.digit]:.1f}%"
        several = self.p is not None and len(self.heard) > 1
        self.without = {
            latent: self.lm.classify(self.image, mute=(*state.muted, latent)).probabilities
            for latent in (self.heard if several else ())
        }

    def flips(self) -> dict[int, np.ndarray]:
        return {latent: p for latent, p in self.without.items() if np.argmax(p) != self.digit}

    def nearest(self) -> list[int]:
        known = digits.training()
        apart = [float(((image - self.image) ** 2).sum()) for image in known.images]
        return [int(known.labels[k]) for k in np.argsort(apart, kind="stable")[:3]]

    def drawing(self, like: bool):
        if self.p is None or not self.drawn or (self.digit in self.nearest()) != like:
            return None
        return f"{len(digits.training()):,}", *self.nearest()


def _decides(t: Plain):
    flips = t.flips()
    if not flips:
        return None
    latent = min(flips, key=lambda each: flips[each][t.digit])
    return len(t.heard), t.digit, t.share, latent, int(np.argmax(flips[latent]))


def right() -> dict[int, int]:
    held = digits.held_out()
    return {
        m: int((tlmviz.load(name).predict(held.images).argmax(1) == held.labels).sum())
        for m, name in NAMES.items()
    }


def _missed(t: Plain):
    held = digits.held_out()
    shares = [
        f"{100 * (t.lm.predict(held.images, mute=[latent]).argmax(1) == held.labels).mean():.1f}"
        for latent in range(t.state.latents)
    ]
    least = min(range(len(shares)), key=lambda latent: float(shares[latent]))
    return (least, f"{shares[least]}%") if shares.count(shares[least]) == 1 else None


PLAIN = {
    "one_decides": _decides,
    "none_decides": lambda t: (len(t.heard), t.digit, t.share) if t.without and not t.flips() else None,
    "one_reads": lambda t: (t.heard[0], t.digit, t.share) if t.p is not None and not t.without else None,
    "wrong": lambda t: (t.truth,) if t.p is not None and t.truth not in (None, t.digit) else None,
    "like_those_it_knows": lambda t: t.drawing(True),
    "unlike_those_it_knows": lambda t: t.drawing(False),
    "most_missed": _missed,
}
COUNTED = ("as_good", "better")  # the same in every state


def plainly(claim):
    """The claim without commas between its words, which would count as parts of numbers."""

    def said(shown):
        return (claim(shown) or "").replace(", ", " ") or None

    said.__name__ = claim.__name__
    return said


def test_every_claim_on_a_digit_is_what_the_models_say():
    wrong = data.held_out("digits-perceiver").wrong
    several = [
        {}, {"digit": wrong[0]}, {"latents": 4}, {"latents": 16, "digit": 40}, {"pixels": SEVEN}, {"pixels": ONE},
        {"pixels": SEVEN, "latents": 16}, {"muted": tuple(range(1, 8))}, {"muted": tuple(range(8))}, {"muted": (0, 3, 5)},
        {"pixels": "0" * 64}, {"latents": 4, "digit": wrong[1], "muted": (2,)},
    ]  # fmt: skip
    found = []
    said = [plainly(claim) for claim in claims.CLAIMS if claim.__name__ not in COUNTED]
    for values in several:
        state = Reading(**START | values)
        found.append(hold(said, PLAIN, data.compute(state), Plain(state)))
    each_speaks_and_is_silent([{k: v for k, v in each.items() if k != "most_missed"} for each in found])
    assert any(each["most_missed"] for each in found)


def test_the_numbers_of_latents_are_said_to_differ_only_where_chance_does_not_explain_it(monkeypatch):
    shown, counts = data.compute(Reading(**START)), right()
    assert shown.right == counts
    least, most = min(counts.values()), max(counts.values())
    chance = most - least <= 2 * sqrt(least * (COUNT - least) / COUNT)
    assert (bool(claims.as_good(shown)), bool(claims.better(shown))) == (chance, not chance)
    said = claims.as_good(shown) or claims.better(shown)
    assert all(f"M = {m}: {count}" in said for m, count in counts.items())
    monkeypatch.setattr(data.Data, "right", {4: 200, 8: 370})
    assert not claims.as_good(shown) and "M = 4: 200" in claims.better(shown)


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
            "more": [f"{m:,}", f"{by:,}", f"{n:,}", f"{among:,}"] if ratio <= 1 else None,
            "mixing": [f"{m * m:,}", f"{by:,}"] if m > n else None,
            "doubled": [f"{twice:.1f}"] if f"{twice:.1f}" != "4.0" else None,
        }  # fmt: skip
        for name, expected in plain.items():
            assert (said[name] is None) == (expected is None), (name, n, m)
            assert (
                expected is None
                or facts(said[name].replace(", ", " ").replace(";", "").replace(":", "")) == expected
            )
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
        assert facts(said) == ["64", "8", str(tokens), "72", "256"]


def test_the_first_claim_stands_above_each_picture():
    [said] = above_the_picture(open_page("beyond/latents", {"latpix": SEVEN, "latm": "16"}))
    assert "16 learned rows of numbers read this picture" in said
    [said] = above_the_picture(open_page("beyond/latents", {"latpart": "Cost"}))
    assert "15.1 times fewer" in said
