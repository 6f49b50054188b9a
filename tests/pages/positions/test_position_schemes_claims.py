"""What both parts of the page Position schemes claim, held against losses, weights and angles that are counted
plainly."""

import numpy as np
import torch

import tlmviz
from pages.positions.position_schemes.extension import claims as extension_claims
from pages.positions.position_schemes.extension import data as extension_data
from pages.positions.position_schemes.extension.state import PLAIN, Extension
from pages.positions.position_schemes.schemes import claims, data
from pages.positions.position_schemes.schemes.state import (
    ADDED,
    BY_DISTANCE,
    EXTRAPOLATION,
    SIMILARITY,
    TITLES,
    VIEWS,
    Schemes,
)
from pages.positions.position_schemes.state import Reading
from tests.pages.states import agree, each_speaks_and_is_silent
from tlmviz.checks.positions_shift import shift_moves_nothing
from tlmviz.layers.scaling import scaled_rope
from tlmviz.ui import long_text

MODELS = {name: f"zoo-{name}" for name in ("learned", "sinusoidal", "relative", "alibi", "rope", "none")}
TEXTS = (
    "",  # the stories
    "Tom saw a dog.\n\nAnna saw a dog. Tom saw a",
    "Où est passé le chat 🐈 ? <b>Zoé</b> ne sait pas.",
    "cat",
    ("The cat sat on the mat and looked at the big red ball. " * 60)[:3000],
)


def _reading(text: str) -> Reading:
    return Reading(part="schemes", source=long_text.OWN if text else long_text.SAMPLE, own=text)


def _losses(lm, ids, positions=None) -> np.ndarray:
    logits = lm(torch.tensor([ids]), positions=positions)[0, :-1].detach().double()
    return -logits.log_softmax(-1)[torch.arange(len(ids) - 1), ids[1:]].numpy()


class Six:
    """The six models on a text, one forward pass after another."""

    def __init__(self, state: Schemes):
        self.state, self.view = state, state.view
        self.lms = {scheme: tlmviz.load(name) for scheme, name in MODELS.items()}
        tokenizer = self.lms["rope"].tokenizer
        self.ids = [tokenizer.end_of_text, *tokenizer.encode(state.reading.text)][:1024]
        self.inside = self.ids[:256]

    def around(self) -> dict[str, tuple[float, float]]:
        found = {}
        for scheme, lm in self.lms.items():
            if scheme != "learned":
                loss = _losses(lm, self.ids)
                found[scheme] = float(f"{loss[:255].mean():.2f}"), float(f"{loss[255:].mean():.2f}")
        return found

    def means(self) -> dict[str, np.ndarray]:
        """Mean tokens back of every head, [L, H]."""
        found = {}
        for scheme, lm in self.lms.items():
            trace = lm.trace_ids(self.inside)
            back = torch.arange(len(self.inside))[:, None] - torch.arange(len(self.inside))
            maps = [torch.stack([trace.attention(layer, head) for head in range(8)]) for layer in range(4)]
            found[scheme] = torch.stack([(each * back).sum(-1)[:, 1:].mean(-1) for each in maps]).numpy()
        return found


def _climbs(t: Six):
    if t.view != EXTRAPOLATION or len(t.ids) <= 256:
        return None
    found = t.around()
    rise = {scheme: round(after - before, 2) for scheme, (before, after) in found.items()}
    worst, best = max(rise, key=rise.get), min(rise, key=rise.get)
    (a, b), (c, d) = found[worst], found[best]
    return (256, f"{len(t.ids):,}", TITLES[worst], f"{a:.2f}", f"{b:.2f}", TITLES[best], f"{c:.2f}", f"{d:.2f}")


def _alike(t: Six):
    if t.view != SIMILARITY or len(t.inside) < 3:
        return None
    apart = 1 if len(t.inside) <= 128 else 2
    learned = t.lms["learned"].network.positions.embedding.weight.detach()[: len(t.inside) : apart].double()
    places = np.arange(0, len(t.inside), apart)
    angles = places[:, None] * 10_000.0 ** (-np.arange(64) / 64)
    waves = torch.from_numpy(np.concatenate([np.sin(angles), np.cos(angles)], 1))
    near = [torch.cosine_similarity(rows[1:], rows[:-1]).mean() for rows in (waves, learned)]
    return apart, f"{near[0]:.2f}", f"{near[1]:.2f}"


def _one_before(t: Six):
    if t.view != BY_DISTANCE or len(t.inside) < 2:
        return None
    layer, head = t.state.head
    share = {}
    for scheme, lm in t.lms.items():
        trace = lm.trace_ids(t.inside)
        share[scheme] = round(float(trace.attention(layer, head).diagonal(-1).mean()), 3)
    most, least = max(share, key=share.get), min(share, key=share.get)
    return f"{share[most]:.1%}", f"L{layer}H{head}", TITLES[most], f"{share[least]:.1%}", TITLES[least]


def _furthest(t: Six):
    means = {scheme: np.round(found.astype(float), 1) for scheme, found in t.means().items()}
    near, far = min(means, key=lambda s: means[s].min()), max(means, key=lambda s: means[s].max())
    if means[near].min() == means[far].max():
        return None
    first, last = (divmod(int(index), 8) for index in (means[near].argmin(), means[far].argmax()))
    return (
        TITLES[near],
        f"L{first[0]}H{first[1]}",
        f"{means[near].min():.1f}",
        TITLES[far],
        f"L{last[0]}H{last[1]}",
        f"{means[far].max():.1f}",
    )


def _moved(t: Six):
    if len(t.ids) < 2:
        return None
    error = {scheme: shift_moves_nothing(lm, t.ids[:128]).error for scheme, lm in t.lms.items()}
    first, last = (f"{error[scheme]:.3f}" for scheme in ("learned", "sinusoidal"))
    return 64, "Relative, ALiBi, RoPE", "None", f"Learned ({first} nats)", "Sinusoidal", last


SAYS = {
    "climbs": _climbs,
    "nothing_beyond": lambda t: (len(t.ids), 256) if t.view == EXTRAPOLATION and 1 < len(t.ids) <= 256 else None,
    "falls_off": lambda t: ("0.5000", 0, "0.0039", 7) if t.view == ADDED else None,  # 2^-1 and 2^-8
    "alike": _alike,
    "one_before": _one_before,
    "one_token": lambda t: None,
    "furthest": _furthest,
    "moved": _moved,
}


def test_every_claim_on_the_six_schemes_is_what_the_models_say():
    found = []
    for text in TEXTS:
        for view in VIEWS if text in TEXTS[:2] else (EXTRAPOLATION,):
            state = Schemes(reading=_reading(text), head=(2, 3), view=view, measure="Decay")
            found.append(agree(claims.CLAIMS, SAYS, data.Data(state), Six(state)))
    each_speaks_and_is_silent([{k: v for k, v in each.items() if k not in NOT_BOTH} for each in found])


NOT_BOTH = ("furthest", "moved", "one_token")  # these models' texts have two tokens or more


class Scaled:
    """One model with RoPE on a text, under each scheme."""

    def __init__(self, state: Extension):
        self.state, self.lm = state, tlmviz.load(state.model)
        tokenizer = self.lm.tokenizer
        self.ids = [tokenizer.end_of_text, *tokenizer.encode(state.reading.text)]
        self.read = self.ids[: int(state.times * 256)]
        self.means = {}
        for scheme in (PLAIN, *state.schemes):
            loss = _losses(self.lm, self.read, scaled_rope(self.lm.config, scheme, state.scale))
            self.means[scheme] = loss[:255].mean(), loss[255:].mean() if len(loss) > 255 else np.nan

    def beyond(self):
        """Unscaled within and beyond as written, the best scheme beyond and its loss."""
        rest = {scheme: pair[1] for scheme, pair in self.means.items() if scheme != PLAIN}
        best = min(rest, key=rest.get) if rest else ""
        inside, own = (f"{loss:.2f}" for loss in self.means[PLAIN])
        return inside, own, best, f"{rest[best]:.2f}" if best else "inf"

    def is_held_down(self) -> bool:
        inside, own, _best, least = self.beyond()
        return len(self.read) > 256 and float(inside) < float(own) and float(least) < float(own)

    def slow(self) -> int:
        base, dim = 10_000.0, self.lm.config.rotary_dim
        turns = 256 * base ** (-np.arange(0, dim, 2) / dim) / (2 * np.pi)
        return int((turns < 1).sum())


def _held_down(t: Scaled):
    inside, own, best, least = t.beyond()
    return (256, t.state.model, inside, own, best, least) if t.is_held_down() else None


def _price(t: Scaled):
    cost = {scheme: round(float(pair[0] - t.means[PLAIN][0]), 3) for scheme, pair in t.means.items() if scheme != PLAIN}
    worst = max(cost, key=cost.get, default=None)
    return (worst, f"{cost[worst]:.3f}") if worst and cost[worst] > 0 else None


EXTENDS = {
    "held_down": _held_down,
    "not_held_down": lambda t: (
        (256, t.state.model, *t.beyond()[: 4 if t.state.schemes else 2])
        if len(t.read) > 256 and not t.is_held_down()
        else None
    ),
    "nothing_beyond": lambda t: (f"{len(t.ids):,}", t.state.model, 256) if len(t.read) <= 256 else None,
    "window": lambda t: (64,) if t.state.model == "zoo-window" else None,
    "price": _price,
    "never_round": lambda t: None if t.state.model == "zoo-window" else (t.slow(), t.lm.config.rotary_dim // 2, "256"),
}


def test_every_claim_on_context_extension_is_what_the_models_say():
    start = {name: control.default for name, control in Extension.controls.items()} | {"times": 1.5}
    every = ("Position interpolation", "NTK-aware", "YaRN", "YaRN (released code)")
    several = [
        ("zoo-rope", "", {}),
        ("zoo-rope", "", {"schemes": every, "scale": 4.0, "times": 4}),
        ("zoo-rope", "", {"schemes": every, "scale": 1.0}),
        ("zoo-rope", "", {"schemes": ()}),
        ("zoo-rope", TEXTS[4], {"schemes": every, "scale": 32.0}),
        ("zoo-window", "", {"schemes": every}),
        *(("zoo-gqa", text, {"schemes": every}) for text in TEXTS[1:]),
    ]
    found = []
    for model, text, given in several:
        state = Extension(**start | given, model=model, reading=_reading(text))
        shown, truth = extension_data.compute(state), Scaled(state)
        found.append(agree(extension_claims.CLAIMS, EXTENDS, shown, truth))
        said = extension_claims.held_down(shown) or ""
        assert ("sharpens the softmax" in said) == bool(said and truth.beyond()[2].startswith("YaRN"))
    each_speaks_and_is_silent(found)


def test_what_is_said_of_the_change_of_scale_is_what_each_kind_of_cache_loses():
    start = {name: control.default for name, control in Extension.controls.items()} | {"times": 1.5}
    for text, early in (("", False), (TEXTS[1], True)):
        shown = extension_data.compute(Extension(**start, model="zoo-rope", reading=_reading(text)))
        said = extension_claims.about_switch(shown, shown.switch)
        assert ("The text ends before that" in said) == early
        at, ids = shown.at, shown.around_switch
        scaled = scaled_rope(shown.lm.config, "NTK-aware", 3.0)
        again = _losses(shown.lm, list(ids), scaled)[at - 1 :].mean()
        cache = shown.lm.new_cache(True)
        before, after = torch.tensor([ids[: at - 1]]), torch.tensor([ids[at - 1 : -1]])
        shown.lm(before, cache)
        logits = shown.lm(after, cache, scaled)[0].detach().double()
        stored = -logits.log_softmax(-1)[torch.arange(len(ids) - at), ids[at:]].mean()
        assert f"kept rotated cost {stored:.3f} nats" in said and said.endswith(f"everything again {again:.3f}.")
