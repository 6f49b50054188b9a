"""What the page RoPE planes claims, held against queries and keys that are turned as complex numbers, and whole
passes."""

import numpy as np
import torch

import tlmviz
from pages.positions.rope_planes import claims, data
from pages.positions.rope_planes.state import BOTH, CLOCKS, HALF, HEADS, KEY, LAYOUTS, QUERY, STEPS, Choice
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz import kernels
from tlmviz.analysis.positions.rope_runs import HalfSplit
from tlmviz.figures import turn
from tlmviz.layers.positions import NoPositions, RoPE
from tlmviz.ui.inputs import DEFAULT_TEXT
from tlmviz.ui.markdown import plain, quoted

FRENCH = "Le chat 😀 voit le chat. Le chien voit le"
LONG = "The cat sat on the mat. " * 125
OWN = 10_000.0


class Plain:
    """A state read plainly: vectors as complex numbers, every pass run anew."""

    def __init__(self, state: Choice):
        self.state, self.lm = state, tlmviz.load(state.model)
        self.trace = self.lm.trace(state.text)
        self.length, dim = len(self.trace), self.lm.config.head_dim
        chosen = state.other if state.part == HEADS else state.base
        default = 100_000.0 if state.part == HEADS else OWN
        self.base = chosen if chosen is not None and chosen > 1 else default
        self.speed = self.base ** (-np.arange(0, dim, 2) / dim)
        self.own_speed = OWN ** (-np.arange(0, dim, 2) / dim)
        q, k, _ = self.trace.qk(*state.head)
        back = np.exp(-1j * np.arange(self.length)[:, None] * self.own_speed)
        self.q, self.k = (x.double().numpy()[:, 0::2] + 1j * x.double().numpy()[:, 1::2] for x in (q, k))
        self.model_score = float(q[state.pair[0]].double() @ k[state.pair[1]].double()) * dim**-0.5
        self.q, self.k = self.q * back, self.k * back
        self.scale = dim**-0.5
        self.apart = state.pair[0] - state.pair[1]

    def parts(self, apart: int) -> np.ndarray:
        query, key = self.state.pair
        product = self.q[query] * np.conj(self.k[key])
        return (product * np.exp(1j * self.speed * apart)).real * self.scale

    def walk(self) -> tuple[int, dict[int, str]]:
        """Distance -> score, as far as the slider goes and the key is not later."""
        query, key = self.state.pair
        stride, moved = self.state.stride, key if self.state.moves == KEY else query
        steps = range(-min(32, moved // stride), 33)
        sign = -1 if self.state.moves == KEY else 1
        apart = [query - key + sign * stride * step for step in steps]
        return query - key, {n: f"{self.parts(n).sum():.2f}" for n in apart if n >= 0}

    def pair(self) -> list[str]:
        return [quoted(self.trace.tokens[at], at) for at in self.state.pair]

    def loss(self, how: str) -> float:
        dim = self.lm.config.head_dim
        positions = {"own": None, "half": HalfSplit(dim, OWN), "off": NoPositions(), "base": RoPE(dim, self.base)}[how]
        ids = torch.tensor([self.trace.ids])
        return float(torch.nn.functional.cross_entropy(self.lm(ids, None, positions)[0, :-1], ids[0, 1:]))

    def two(self, how: str) -> str:
        return f"{self.loss(how):.2f}"

    def choices(self) -> int:
        """Positions after which the wrong layout expects another token."""
        ids = torch.tensor([self.trace.ids])
        own, half = (self.lm(ids, None, p)[0].argmax(-1) for p in (None, HalfSplit(self.lm.config.head_dim, OWN)))
        return int((own != half).sum())


def _highest(t: Plain):
    if t.state.moves == BOTH:
        return None
    here, scores = t.walk()
    if any(float(score) >= float(scores[here]) for apart, score in scores.items() if apart != here):
        return None
    far = min(scores, key=lambda n: (float(scores[n]), n))
    return here, *t.pair(), minus(scores[here]), f"{far:,}", minus(scores[far])


def minus(score: str) -> str:
    return score.replace("-", "−")


def _elsewhere(t: Plain):
    if t.state.moves == BOTH:
        return None
    here, scores = t.walk()
    best = max(scores, key=lambda n: (float(scores[n]), -n))
    if float(scores[best]) <= float(scores[here]):
        return None
    return f"{here:,}", *t.pair(), minus(scores[here]), f"{best:,}", minus(scores[best])


def _turns(t: Plain):
    rows = min(t.length, 48)
    return rows, *(
        f"{(rows - 1) * speed / 2 / np.pi:{form}}" for speed, form in ((t.speed[0], ".3g"), (t.speed[-1], ".2g"))
    )


def _strongest(t: Plain):
    parts = t.parts(t.apart)
    size = [f"{abs(part):.2f}" for part in parts]
    best = int(np.argmax([float(each) for each in size]))
    if size.count(size[best]) > 1:
        return None
    return best, minus(f"{parts[best]:+.2f}"), turn(2 * np.pi / t.speed[best])


def _uses(t: Plain):
    if t.length < 3:
        return None
    seen = np.tril(np.ones((t.length, t.length), bool))
    lengths = np.abs(t.q)[:, None] * np.abs(t.k)[None]  # [T, T, P]
    angle = np.exp(1j * t.own_speed * (np.arange(t.length)[:, None] - np.arange(t.length))[..., None])
    added = (t.q[:, None] * np.conj(t.k)[None] * angle).real
    moved = int(lengths[seen].mean(0).argmax())
    apart = int(np.mean([added[row, : row + 1].std(0) for row in range(1, t.length)], 0).argmax())
    layer, head = t.state.head
    slow, fast = (turn(2 * np.pi / t.own_speed[plane]) for plane in (moved, apart))
    return f"L{layer}H{head}", moved, slow, *(() if moved == apart else (apart, fast))


def _prefers(t: Plain):
    if t.length < 3:
        return None
    product = t.q.mean(0) * np.conj(t.k.mean(0))
    scores = [f"{(product * np.exp(1j * t.own_speed * n)).real.sum() * t.scale:.2f}" for n in range(t.length)]
    best = int(np.argmax([float(score) for score in scores]))
    return (best, minus(scores[best])) if scores.count(scores[best]) == 1 else None


def _slow(t: Plain) -> int:
    return int((2 * np.pi / t.speed > t.lm.config.context).sum())


def _costs(t: Plain, more: bool):
    own, half = t.two("own"), t.two("half")
    if more:
        return (own, half) if float(half) > float(own) else None
    return (half, own) if float(half) <= float(own) else None


def _adds_up(t: Plain):
    return (minus(f"{t.model_score:+.4f}"),) * 2 if t.base == OWN else None


def _another_base(t: Plain):
    found, scored = (minus(f"{score:+.4f}") for score in (t.parts(t.apart).sum(), t.model_score))
    return (found, f"{t.base:,.6g}", "10,000", scored) if t.base != OWN else None


def _not_all_rows(t: Plain):
    first = min(max(0, t.state.pair[0] - 24), t.length - 48)
    return (f"{first:,}", f"{first + 47:,}", f"{t.length:,}") if t.length > 48 else None


def _without_rotation(t: Plain):
    return (t.two("own"), t.two("off"), f"{t.base:,.6g}", t.two("base")) if t.length > 1 else None


PLAIN = {
    "stands_still": lambda t: (f"{t.parts(t.apart).sum():.2f}",) if t.state.moves == BOTH else None,
    "highest_here": _highest,
    "higher_elsewhere": _elsewhere,
    "turns": _turns,
    "layout_costs": lambda t: _costs(t, more=True),
    "layout_costs_nothing": lambda t: _costs(t, more=False),
    "without_rotation": _without_rotation,
    "strongest": _strongest,
    "adds_up": _adds_up,
    "another_base": _another_base,
    "unfinished": lambda t: (_slow(t), len(t.speed), "1,024", plain(t.state.model)) if _slow(t) else None,
    "not_its_layout": lambda t: () if t.state.layout == HALF else None,
    "not_all_rows": _not_all_rows,
    "chooses_otherwise": lambda t: (t.choices(), t.length) if t.choices() else None,
    "uses": _uses,
    "prefers": _prefers,
}


def test_every_claim_is_what_turned_vectors_and_whole_passes_say():
    given = {"model": "stories-rope", "text": DEFAULT_TEXT, "head": (4, 2), "pair": (27, 26)}
    several = list(states(Choice, given))
    start = {name: control.default for name, control in Choice.controls.items()} | given
    for part in (CLOCKS, STEPS, LAYOUTS, HEADS):
        for text, pair in ((FRENCH, (9, 5)), ("cat", (1, 1)), (LONG, (500, 20))):
            several.append(Choice(**start | {"part": part, "text": text, "pair": pair, "head": (2, 4)}))
    several.append(Choice(**start | {"part": STEPS, "layout": HALF}))
    for moves, stride, base in ((QUERY, 256, 500.0), (KEY, 16, None), (BOTH, 4, 2.0), (KEY, 1, 1e8)):
        several.append(
            Choice(**start | {"moves": moves, "stride": stride, "base": base, "pair": (20, 4), "head": (3, 1)})
        )
    silent = dict.fromkeys(PLAIN, False)  # what is said of the other parts
    found = [silent | agree(claims.CLAIMS[each.part], PLAIN, data.Data(each), Plain(each)) for each in several]
    each_speaks_and_is_silent(found)


def test_the_planes_that_are_said_to_turn_are_the_kernels():
    """What this file calls a plane is what the kernel turns."""
    x = torch.randn(3, 8)
    turned = kernels.rope(x, torch.arange(3), OWN).numpy()
    plain = (x[:, 0::2].numpy() + 1j * x[:, 1::2].numpy()) * np.exp(
        1j * np.arange(3)[:, None] * OWN ** (-np.arange(0, 8, 2) / 8)
    )
    np.testing.assert_allclose(turned[:, 0::2] + 1j * turned[:, 1::2], plain, atol=1e-5)
