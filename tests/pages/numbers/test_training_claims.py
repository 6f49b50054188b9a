"""What the parts of the page Training claim, held against gradients, logs and additions that are counted plainly."""

import functools
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import tlmviz
from pages.numbers.training.dropout import claims as dropout_claims
from pages.numbers.training.dropout import data as dropout_data
from pages.numbers.training.dropout.state import Dropout
from pages.numbers.training.dynamic import claims as dynamic_claims
from pages.numbers.training.dynamic import data as dynamic_data
from pages.numbers.training.dynamic.state import SCALED, Dynamic
from pages.numbers.training.gradients import claims, data
from pages.numbers.training.gradients.state import Gradients
from pages.numbers.training.master import claims as master_claims
from pages.numbers.training.master import data as master_data
from pages.numbers.training.master.state import Master
from pages.numbers.training.warmup import claims as warmup_claims
from pages.numbers.training.warmup import data as warmup_data
from pages.numbers.training.warmup.state import MOMENTS, RATES, Warmup
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz.analysis.numbers import dropout, formats, half_runs, loss_scaling, warmup
from tlmviz.figures.numbers.loss_scaling import power_of_two
from tlmviz.ui import markdown
from tlmviz.ui.inputs import DEFAULT_TEXT

MODEL = "zoo-mqa"
TEXTS = (DEFAULT_TEXT, "Où est passé le chat 🐈 ? <b>Zoé</b> ne sait pas.", "Lily ran")
FORMATS = {each.key: each.name for each in loss_scaling.FORMATS}


# --- gradients --------------------------------------------------------------------------------------


class Rounded:
    """Every gradient times S, rounded by itself."""

    def __init__(self, state: Gradients):
        lm = tlmviz.load(state.model)
        self.state, self.format = state, formats.find(state.format)
        found = loss_scaling.gradients(lm, loss_scaling.batch(lm, state.text), state.kind)
        self.parts = {name: each.detach().double().flatten().numpy() for name, each in found.items()}
        chosen = self.parts.get(state.part)
        self.x = np.concatenate(list(self.parts.values())) if chosen is None else chosen
        self.x = self.x[self.x != 0]

    def shares(self, x: np.ndarray, k: int) -> tuple[float, float, float]:
        """Lost, subnormal and too large."""
        x = x[x != 0]
        kept = formats.rounded(x * 2.0**k, self.format)
        large = ~np.isfinite(kept)
        small = np.abs(kept) < self.format.smallest_normal
        return tuple(float(each.mean()) for each in (kept == 0, small & (kept != 0), large))

    @functools.cached_property
    def safe(self) -> list[int]:
        good = []
        for k in loss_scaling.SCALES:
            lost, _small, large = self.shares(self.x, k)
            if not large and lost <= 0.001:
                good.append(k)
        return good

    @property
    def now(self) -> tuple[float, float, float]:
        return self.shares(self.x, self.state.k)

    @property
    def scale(self) -> str:
        return power_of_two(self.state.k)


def share(part: float) -> str:
    if part in (0, 1):
        return f"{part:.0%}"
    if part < 1e-5:
        return "under 0.001%"
    if part > 1 - 1e-5:
        return "over 99.999%"
    return f"{float(f'{100 * part:.3g}'):.15g}%" if float(f"{100 * part:.3g}") < 100 else f"{100 * part:.3f}%"


def _worst(t: Rounded):
    lost = {name: t.shares(x, t.state.k)[0] if (x != 0).any() else 0.0 for name, x in t.parts.items()}
    worst = max(lost, key=lost.get)
    return None if share(lost[worst]) == share(min(lost.values())) else (markdown.plain(worst), share(lost[worst]))


def _many(t: Rounded):
    lost, small, large = t.now
    if large or lost <= 0.001:
        return None
    return t.scale, share(lost), t.format.name, share(small)


def _safe(t: Rounded):
    good = t.safe
    if not good:
        return None
    if len(good) == 1:
        return power_of_two(good[0]), "0.1%"
    return "0.1%", power_of_two(good[0]), power_of_two(good[-1])


def _none_safe(t: Rounded):
    if t.safe:
        return None
    powers = np.floor(np.log2(np.abs(t.x)))
    return int(powers.max() - powers.min() + 1), t.format.name


PLAIN = {
    "all_zero": lambda t: None,
    "one_too_large": lambda t: (t.scale, share(t.now[2]), t.format.name) if t.now[2] else None,
    "many_vanish": _many,
    "nearly_all_kept": lambda t: (
        (t.scale, t.format.name, share(1 - t.now[0]), share(t.now[0])) if not t.now[2] and t.now[0] <= 0.001 else None
    ),
    "safe_scales": _safe,
    "no_safe_scale": _none_safe,
    "hardest_hit": _worst,
}


def gradient_states():
    start = Gradients(model=MODEL, text=TEXTS[2])
    for text, kind, format, k, part in (
        (0, "activations", "fp16", 0, ""),
        (0, "activations", "fp16", 16, "blocks.0.attn.q"),
        (1, "activations", "e4m3", 10, ""),
        (1, "activations", "e5m2", 40, ""),
        (2, "activations", "bf16", 0, "xyz"),
        (2, "weights", "fp16", -16, "blocks.0.attn.qkv.weight"),
        (2, "activations", "e4m3", 48, "logits"),
        (2, "activations", "bf16", 48, ""),
    ):
        yield replace(start, text=TEXTS[text], kind=kind, format=format, k=k, part=part)


def test_what_is_said_of_gradients_is_what_rounding_each_says():
    found = [agree(claims.CLAIMS, PLAIN, data.Data(state), Rounded(state)) for state in gradient_states()]
    nothing = data.Data(Gradients(model=MODEL, text=TEXTS[2]))
    empty = loss_scaling.count(torch.zeros(5))
    nothing.__dict__.update(sizes=empty, safe=None)
    found.append(
        {claim.__name__: claim(nothing) is not None for claim in claims.CLAIMS[:4]}
        | {name: found[0][name] for name in ("safe_scales", "no_safe_scale", "hardest_hit")}
    )
    assert found[-1]["all_zero"] and not found[-1]["nearly_all_kept"]
    each_speaks_and_is_silent(found)


@pytest.mark.parametrize("format", FORMATS)
def test_ends_of_the_slider_are_no_limits_of_the_format(format):
    shown = data.Data(Gradients(model=MODEL, text=TEXTS[2], format=format))
    ends = [shown.safe[0] == -16, shown.safe[1] == 48] if shown.safe else [False, False]
    said = claims.safe_scales(shown) or ""
    assert ["slider begins" in said, "where it ends" in said] == ends and (format != "bf16" or all(ends))


def test_what_is_said_of_the_passes_that_are_really_run():
    shown = data.Data(Gradients(model=MODEL, text=TEXTS[2]))
    ran = [(each.k, each.error) for each in shown.passes if math.isfinite(each.error)]
    best = min(ran, key=lambda pair: pair[1])
    values = claims.least_error(shown).values
    assert values == (power_of_two(best[0]), f"{best[1]:.2%}", power_of_two(ran[-1][0]))
    assert claims.every_overflows(shown) is None


# --- logged runs ------------------------------------------------------------------------------------


class Run:
    def __init__(self, state: Dynamic):
        log = half_runs.read()
        self.key, self.spec = state.run, half_runs.RUNS[state.run]
        self.mine = log[log["run"] == state.run]
        self.end = f"{self.mine['loss'].to_numpy()[-10:].mean():.3f}"
        self.exact = f"{log[log['run'] == 'fp32']['loss'].to_numpy()[-10:].mean():.3f}"
        self.skipped = int((self.mine["kept"].to_numpy() == 1).sum())
        self.zero = f"{self.mine['lost'].to_numpy()[-50:].mean():.1%}"
        self.ruined = float(self.end) - float(self.exact) > 1


def _climbs(t: Run):
    scale = t.mine["scale"].to_numpy()
    ends = [power_of_two(each) for each in (scale[0], scale.max(), scale[-1])]
    if t.spec.interval is None or len(set(ends)) == 1:
        return None
    return t.spec.interval, *ends


PLAIN_RUNS = {
    "ruined": lambda t: (t.spec.name, t.end, t.exact, t.zero, t.skipped, 200) if t.ruined else None,
    "learns": lambda t: None if t.ruined or t.key == "fp32" else (t.skipped, t.spec.name, t.end, t.exact, 200),
    "no_bits_lost": lambda t: (200, t.end) if t.key == "fp32" else None,
    "climbs": _climbs,
}


def test_what_is_said_of_logged_runs_is_what_the_log_says():
    found = []
    for run in SCALED:
        state = Dynamic(run=run)
        found.append(agree(dynamic_claims.CLAIMS, PLAIN_RUNS, dynamic_data.Data(state), Run(state)))
        assert sum(found[-1][name] for name in ("ruined", "learns", "no_bits_lost")) == 1
    each_speaks_and_is_silent(found)


# --- master weights ---------------------------------------------------------------------------------


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


written = master_claims.written


def _logged(t) -> tuple[str, ...]:
    log = half_runs.read()
    runs = [log[log["run"] == f"weights-{key}"] for key in ("bf16", "fp32", "stochastic", "fp16")]
    ends = [f"{run['loss'].to_numpy()[-10:].mean():.2f}" for run in runs[:3]]
    return (*ends, *(f"{runs[at]['kept'].mean():.0%}" for at in (0, 3)))


def _still(t):
    *some, last = t.still or [""]
    names = filter(None, (", ".join(some), last))
    return (*t.moves, *names, t.exact) if t.still and t.update else None


PLAIN_MASTER = {
    "stands_still": _still,
    "all_move": lambda t: (*t.moves, t.exact, *t.worst) if t.update and not t.still else None,
    "no_update": lambda t: None if t.update else (),
    "die_comes_near": lambda t: (written(t.die),) if t.off[0] < t.off[1] else None,
    "bf16_hardly_learns": _logged,
}


def test_what_is_said_of_additions_is_what_adding_says():
    found = []
    for weight, update in (
        ("0.1", "1e-4"),
        ("0.1", "0.01"),
        ("1", "0"),
        ("0", "1e-9"),
        ("-3", "1e-4"),
        ("nan", "1e-4"),
        ("1", "1e-9"),
    ):
        shown = master_data.Data(Master(model=MODEL, text=None, weight=weight, update=update))
        w, u = number(weight), number(update)
        w = 0.1 if w != w else w
        kept = {}
        for name, dtype in (("FP32", torch.float32), ("BF16", torch.bfloat16), ("FP16", torch.float16)):
            value = torch.tensor(w).to(dtype)
            path = [float(value)]
            for _ in range(200):
                value = (value.float() + torch.tensor(u)).to(dtype)
                path.append(float(value))
            kept[name] = path
        still = [name for name in shown.paths if name in kept and len(set(kept[name])) == 1]
        exact, names = w + 200 * u, [name for name in shown.paths if name not in ("exact", master_claims.BY_DIE)]
        worst = max(names, key=lambda name: abs(shown.paths[name][-1] - exact))
        truth = SimpleNamespace(
            moves=(200, written(u, 2), written(w)),
            update=u,
            still=still,
            exact=written(exact),
            worst=(worst, written(shown.paths[worst][-1])),
            die=shown.paths[master_claims.BY_DIE][-1],
            off=[abs(shown.paths[name][-1] - exact) for name in (master_claims.BY_DIE, "BF16")],
        )
        found.append(agree(master_claims.CLAIMS, PLAIN_MASTER, shown, truth))
    assert all(made.pop("bf16_hardly_learns") for made in found)  # it is of the logged runs
    each_speaks_and_is_silent(found)
    quiet = replace(shown)
    quiet.__dict__["learned"] = {key: np.ones(200) for key in shown.learned}
    assert master_claims.bf16_hardly_learns(quiet) is None


def test_what_is_said_of_a_real_step():
    shown = master_data.Data(Master(model=MODEL, text=TEXTS[2]))
    found = shown.updates
    said = []
    for dtype in (torch.bfloat16, torch.float16):
        w = found.weights.to(dtype)
        moved = (w.float() + 3e-5 * found.directions).to(dtype) if hasattr(found, "directions") else None
        if moved is not None:
            said.append(f"{float((moved == w).float().mean()):.0%}")
    bf16, model, fp16 = master_claims.real_step(shown).values
    assert model == MODEL and [bf16, fp16] == said


# --- warm-up ----------------------------------------------------------------------------------------


class First:
    def __init__(self, state: Warmup):
        self.state = state
        runs = [run for run in warmup.read() if abs(run.peak - float(state.rate)) < 1e-12]
        self.runs = {(run.placement, bool(run.warmup)): run for run in runs}
        self.end = {key: float(np.mean(run.loss[-10:])) for key, run in self.runs.items()}
        self.best = min(self.end["pre", True], self.end["pre", False])
        self.after = [self.end["post", True], self.end["post", False]]

    def two(self, *values) -> tuple[str, ...]:
        return tuple(f"{value:.2f}" for value in values)


def _destroyed(t: First):
    run = t.runs["post", False]
    gradient = (run.weights if t.state.of == "weights" else run.stream)[MOMENTS.index(t.state.moment)]
    ratio = gradient[-1] / gradient[0]
    if ratio < 10:
        return None
    return t.state.moment, f"{ratio:.2g}" if ratio < 100 else f"{float(f'{ratio:.2g}'):,.0f}"


def _held(t: First):
    pairs = [[f"{t.runs[place, on].held_out:.2f}" for on in (True, False)] for place in ("pre", "post")]
    return None if pairs[0] == pairs[1] else tuple(sum(pairs, []))


PLAIN_FIRST = {
    "saved_by_warmup": lambda t: (t.state.rate, *t.two(*t.after)) if t.after[1] - t.after[0] > 1 else None,
    "both_learn": lambda t: (
        (t.state.rate, *t.two(*t.after)) if abs(t.after[0] - t.after[1]) <= 1 and min(t.after) - t.best <= 1 else None
    ),
    "neither_learns": lambda t: (
        (t.state.rate, t.runs["post", True].warmup, *t.two(*t.after, t.best)) if min(t.after) - t.best > 1 else None
    ),
    "gradient_destroyed": _destroyed,
    "held_out": _held,
}


def test_what_is_said_of_first_steps_is_what_the_log_says():
    found = []
    for rate in RATES:
        for moment in MOMENTS[::3]:
            for of in ("weights", "stream"):
                state = Warmup(rate=rate, moment=moment, of=of)
                found.append(agree(warmup_claims.CLAIMS, PLAIN_FIRST, warmup_data.Data(state), First(state)))
                assert sum(found[-1][name] for name in list(PLAIN_FIRST)[:3]) == 1
    silent = {name for name in found[0] if all(each[name] for each in found)}
    assert silent <= {"held_out"}, "each run ends elsewhere, so this one always speaks"
    for name in found[0].keys() - silent:
        assert {each[name] for each in found} == {True, False}, name
    same = warmup_data.Data(Warmup())
    same.__dict__["runs"] = [replace(run, held_out=1.0) for run in same.runs]
    assert warmup_claims.held_out(same) is None


# --- dropout ----------------------------------------------------------------------------------------


class Masks:
    """The error of means of masks, thrown many times."""

    def __init__(self, state: Dropout):
        self.state, self.p, self.n = state, state.p / 100, state.masks
        q = 1 - self.p
        # One number x = 1: a mean of n masks has k of n kept, with binomial probability.
        k = np.arange(self.n + 1)
        logs = np.array([math.lgamma(self.n + 1) - math.lgamma(i + 1) - math.lgamma(self.n - i + 1) for i in k])
        if 0 < self.p < 1:
            chance = np.exp(logs + k * math.log(q) + (self.n - k) * math.log(self.p))
            self.error = math.sqrt(float((chance * (k / self.n / q - 1) ** 2).sum()))
            self.one = math.sqrt(q * (1 / q - 1) ** 2 + self.p)


def _back(t: Masks):
    if t.state.evaluating or t.state.raw or not t.state.p:
        return None
    return t.n, t.state.p, f"{1 / (1 - t.p):.3g}", f"{t.error:.1%}", f"{t.one:.1%}"


PLAIN_MASKS = {
    "evaluation": lambda t: () if t.state.evaluating or not t.state.p else None,
    "comes_back": _back,
    "does_not_come_back": lambda t: (
        (t.state.p, 100 - t.state.p) if t.state.raw and t.state.p and not t.state.evaluating else None
    ),
}


def test_what_is_said_of_masks_is_what_counting_them_says():
    found = []
    for state in states(Dropout, {"model": MODEL, "text": TEXTS[2]}):
        shown = dropout_data.Data(state)
        found.append(agree(dropout_claims.CLAIMS, PLAIN_MASKS, shown, Masks(state)))
        assert sum(found[-1].values()) == 1
    each_speaks_and_is_silent(found)


@pytest.mark.parametrize(("p", "text", "spoken"), [(10, TEXTS[0], True), (0, TEXTS[2], False)])
def test_what_is_said_of_the_loss_under_masks(p, text, spoken):
    lm = tlmviz.load(MODEL)
    shown = dropout_data.Data(Dropout(model=MODEL, text=text, p=p))
    found = dropout.losses(lm, lm.encode(text), p / 100, 64)
    said = [claim(shown) for claim in dropout_claims.LOSSES]
    assert [each is not None for each in said] == [spoken, spoken]
    if spoken:
        assert said[0].values == (f"{found.masked.mean():.3f}", 64, f"{found.plain:.3f}")
        assert said[1].values == (f"{found.averaged:.3f}", f"{found.masked.mean():.3f}")
