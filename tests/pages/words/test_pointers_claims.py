"""What the page Pointers claims, held against SciPy, the networks and words that are counted plainly."""

import re
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, QhullError

import tlmviz
from pages.words.pointers import claims
from pages.words.pointers.data import Data
from pages.words.pointers.sentinel import claims as sentinel_claims
from pages.words.pointers.sentinel.data import Data as Copies
from pages.words.pointers.state import HULL, MOST, SENTINEL, Choice
from tests.pages.states import agree, each_speaks_and_is_silent, states

CARD = Path(__file__).resolve().parents[3] / "models" / "stories-sentinel" / "card.md"
SETS = (
    ((500, 500),),
    ((500, 500), (500, 500), (500, 500)),
    ((0, 0), (1000, 1000), (500, 500)),
    ((100, 100), (900, 100), (900, 900), (100, 900), (500, 500)),
    tuple((100 * (i % 10), 100 * (i // 10)) for i in range(60)),
)
TEXTS = (
    Choice.controls["text"].default,
    "Tom saw Zorbo.",
    "Once upon a time there was a little girl named Lily. Lily had a red ball.",
    "Zorbo ran.",
    "Éloïse dort 😀. Éloïse mange une pomme, Zoé rit.",
    "The wizard Brumblo met Kixi. Kixi gave Brumblo a hat. Brumblo said to Kixi",
    ("The cat sat on the mat. " * 40)[:3000].strip()[:800],
)


def _comma(n: int) -> str:
    return f"{n:,}"


class Line:
    """The network's line, by SciPy and cross products."""

    def __init__(self, state: Choice):
        self.points, self.step = np.array(state.shown, float) / 1000, state.step
        drawing = tlmviz.load("pointer-hull").draw(self.points)
        self.order, self.rows = drawing.order.tolist(), drawing.attention.astype(float)
        self.count, self.places = len(self.points), len({tuple(point) for point in state.shown})
        unique = sorted({tuple(point): i for i, point in reversed(list(enumerate(state.shown)))}.values())
        try:
            hull = ConvexHull(self.points[unique])
            self.exact, self.area = [unique[i] for i in hull.vertices], hull.volume
        except (QhullError, ValueError):
            ends = sorted(unique, key=lambda i: state.shown[i])
            self.exact, self.area = list(dict.fromkeys([ends[0], ends[-1]])), 0.0

    @property
    def is_exact(self) -> bool:
        turns = [self.exact[i:] + self.exact[:i] for i in range(len(self.exact))]
        return self.order in turns

    def _crosses(self) -> bool:
        def side(a, b, c):
            (ux, uy), (wx, wy) = b - a, c - a
            return np.sign(round(ux * wy - uy * wx, 12))

        corners = [self.points[i] for i in self.order]
        edges = list(zip(corners, corners[1:] + corners[:1]))
        for i, (a, b) in enumerate(edges):
            for j, (c, d) in enumerate(edges[i + 2 :], i + 2):
                if (i, j) != (0, len(edges) - 1) and side(a, b, c) * side(a, b, d) < 0 > side(c, d, a) * side(c, d, b):
                    return True
        return False

    @property
    def coverage(self) -> float | None:
        """None for no polygon."""
        x, y = self.points[self.order].T
        own = abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2) if len(self.order) > 2 else 0.0
        return None if own < 1e-12 or self._crosses() or not self.area else own / self.area


def _nearly(t: Line):
    if t.is_exact or t.coverage is None:
        return None
    missed, extra = (len(set(a) - set(b)) for a, b in ((t.exact, t.order), (t.order, t.exact)))
    return len(t.order), _comma(t.count), f"{t.coverage:.2%}", *[n for n in (missed, extra) if n]


def _two_best(t: Line, here: bool):
    entropy = [-sum(p * np.log(p) for p in row if p > 1e-30) for row in t.rows]
    step = int(np.argmax(entropy))
    best = sorted(range(t.count + 1), key=lambda i: -t.rows[step][i])[:2]
    drawn = step if t.step == 0 else min(t.step, len(t.rows)) - 1
    if f"{t.rows[step][best[1]]:.3f}" == "0.000" or (drawn == step) != here:
        return None
    visits = (t.count, len(t.order), _comma(t.count)) if here else ()
    return (*visits, step + 1, *[part for i in best for part in ([i] * (i < t.count) + [f"{t.rows[step][i]:.3f}"])])


LINES = {
    "exactly": lambda t: (len(t.order), _comma(t.count)) if t.is_exact and len(t.exact) > 2 else None,
    "no_area": lambda t: (
        None if len(t.exact) > 2 else (len(t.order), _comma(t.count)) if len(t.exact) == 2 else (t.count, 1)
    ),
    "nearly": _nearly,
    "no_polygon": lambda t: (
        None if t.is_exact or t.coverage is not None or not t.area else (len(t.order), _comma(t.count))
    ),
    "unlike_training": lambda t: None if 5 <= t.count <= 50 else (t.count, _comma(t.count), 5, 50),
    "hesitates": lambda t: _two_best(t, here=True),
    "unsure": lambda t: _two_best(t, here=False),
    "on_one_another": lambda t: None if t.places == t.count else (t.places, _comma(t.count)),
}


def test_every_claim_on_a_hull_is_what_scipy_says():
    found = []
    start = {name: control.default for name, control in Choice.controls.items()}
    given = {"part": HULL, "points": (), "text": start["text"], "shift": 0.0, "word": 0, "step": 0}
    several = [state for state in states(Choice, given) if state.part == HULL and state.number < MOST]
    several += [Choice(**start | {"points": points}) for points in SETS]
    several += [Choice(**start | {"step": step}) for step in (1, 3, MOST + 1)]
    several += [
        Choice(**start | {"kind": kind, "number": n}) for kind in ("Line", "Ring", "Grid") for n in (3, 24, 200)
    ]
    several += [Choice(**start | {"kind": "Ring", "number": 200, "seed": 0})]  # its line crosses itself
    for state in several:
        found.append(agree(claims.CLAIMS, LINES, Data(state), Line(state)))
    each_speaks_and_is_silent(found)


class Text:
    """Both models on a text, word by word."""

    def __init__(self, state: Choice):
        self.shift = state.shift
        self.mix = tlmviz.load("stories-sentinel").mixture(state.text, state.shift)
        self.still = tlmviz.load("stories-sentinel").mixture(state.text)
        self.twin = tlmviz.load("stories-sentinel-plain").mixture(state.text)
        self.words = self.mix.tokens
        known = set(self.mix.words[: self.mix.size])
        self.unknown = list(dict.fromkeys(word for word in self.words if word not in known))
        self.again = [
            t for t in range(1, len(self.words)) if self.words[t] in self.unknown and self.words[t] in self.words[:t]
        ]

    def hits(self) -> dict[str, tuple[int, int]]:
        found = {}
        for name in self.unknown:
            places = [t for t in self.again if self.words[t] == name]
            if places:
                best = [self.mix.words[self.mix.mixed[t - 1].argmax()] for t in places]
                found[name] = best.count(name), len(places)
        return found

    def best(self):
        return max(self.hits().items(), key=lambda item: item[1][0], default=("", (0, 0)))

    def loss(self, mix, places=None, own=False) -> str:
        """Nats, all unknown words as one, or (`own`) each as itself."""
        every = []
        for t in places if places is not None else range(1, len(self.words)):
            row, name = mix.mixed[t - 1], self.words[t]
            p = row[mix.words.index(name)]
            if name in self.unknown:
                p = p if own else row[1] + row[mix.size :].sum()
            every.append(-np.log(max(float(p), 1e-20)))
        return f"{np.mean(every):.2f}"

    def copied(self, mix) -> str:
        return f"{1 - float(mix.gate.mean()):.1%}"


def _copied_again(t: Text):
    name, (best, places) = t.best()
    return (places, name, best) if best else None


def _not_copied(t: Text):
    name, (best, places) = t.best()
    return (name, places) if places and not best else None


def _both(t: Text, helps: bool):
    one, two = t.loss(t.mix), t.loss(t.twin)
    return (one, two) if (float(one) < float(two)) == helps else None


SAYS = {
    "copied_again": _copied_again,
    "not_copied": _not_copied,
    "nothing_again": lambda t: (", ".join(t.unknown),) if t.unknown and not t.hits() else None,
    "all_known": lambda t: None if t.unknown else (t.copied(t.mix),),
    "helped": lambda t: _both(t, True),
    "hindered": lambda t: _both(t, False),
    "where_it_comes_again": lambda t: (
        (len(t.again), t.loss(t.mix, t.again), t.loss(t.twin, t.again), t.loss(t.mix, t.again, own=True))
        if t.again
        else None
    ),
    "moved": lambda t: (f"{t.shift:+.1f}".replace("-", "−"), t.copied(t.mix), t.copied(t.still)) if t.shift else None,
}


def test_every_claim_on_a_text_is_what_the_models_say():
    start = {name: control.default for name, control in Choice.controls.items()} | {"part": SENTINEL}
    several = [Choice(**start | {"text": text, "shift": shift}) for text in TEXTS for shift in (0.0, -10.0, 4.5, 10.0)]
    found = []
    for state in several:
        found.append(agree(sentinel_claims.CLAIMS, SAYS, Copies(state), Text(state)))
    each_speaks_and_is_silent(found)


def test_what_is_said_of_held_out_stories_is_on_the_model_card():
    row = re.search(
        r"never-seen names copied, where they come again \((\d+) places\) \| \*\*([\d.]+) %", CARD.read_text("utf-8")
    )
    assert row and f"{row[2]}% of the {row[1]} places" in sentinel_claims.NOTICE[-1]
