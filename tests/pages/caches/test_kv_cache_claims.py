"""What the parts of the page KV cache claim, held against plain counts and real caches of the models."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

import tlmviz
from pages.caches.kv_cache import claims
from pages.caches.kv_cache.cost import claims as cost_claims
from pages.caches.kv_cache.cost.data import Data as Cost
from pages.caches.kv_cache.data import Data
from pages.caches.kv_cache.models import claims as model_claims
from pages.caches.kv_cache.models.data import Data as Models
from pages.caches.kv_cache.models.state import Compared
from pages.caches.kv_cache.state import Cache
from tests.pages.states import agree, each_speaks_and_is_silent
from tlmviz.analysis.caches import cost
from tlmviz.analysis.caches.decode_steps import NAIVE, WITH, WITHOUT, Timing
from tlmviz.figures.written import large

START = {name: control.default for name, control in Cache.controls.items()}
ENGLISH, FRENCH, LONG = ("Zumi met Kavo by the sea.", "Le chat 😀 voit le chien.", "The cat sat on the mat. " * 125)


def data(model: str = "zoo-rope", text: str = ENGLISH, **values) -> Data:
    text = tlmviz.load(model).fit(text)[0]
    return Data(Cache(**START | {"model": model, "text": text, "head": (1, 2), "tokens": 6} | values))


STEPS = (
    data(),
    data("zoo-mla", FRENCH),
    data("zoo-window", "a", tokens=48),
    data("zoo-window", LONG, tokens=4),
    data("zoo-rope", "a", tokens=1),
    data("zoo-rope", LONG, tokens=3),
    data("zoo-gqa", "word", tokens=48, seed=3),
    data("zoo-rope", "The end.", tokens=48, temperature=0.0),
    data("stories-rope", "One day", tokens=48),
    data("zoo-rope", "The " * 60, tokens=48),
)


PLAIN_STEPS = {
    "saves": lambda t: (f"{t.prompt:,}", t.steps, f"{t.each:,.0f}", t.times) if t.times != "1" else None,
    "saves_nothing": lambda t: () if t.times == "1" else None,
    "forgets": lambda t: (f"{t.length:,}", f"{t.window:,}") if t.window and t.length > t.window else None,
    "ended": lambda t: (t.steps, t.asked) if t.ended and t.steps < t.asked else None,
    "beyond": lambda t: (f"{t.context:,}",) if t.length > t.context else None,
}


def check_steps(shown: Data) -> dict[str, bool]:
    """Bytes from a real cache that reads the same ids token by token; operations summed from the steps' counts."""
    done, lm = shown.done, shown.lm
    cache = lm.new_cache()
    lm(torch.tensor([list(done.ids[: done.prompt])]), cache)
    first = cache.nbytes
    for token in done.ids[done.prompt :]:
        lm(torch.tensor([[token]]), cache)
    assert (done.reserved_bytes[0], done.reserved_bytes[-1]) == (first, cache.nbytes)  # drawn
    steps = len(done.ids) - done.prompt
    kept, again = (
        sum(cost.step_flops(lm.config, done.prompt + step, cached).total for step in range(1, steps + 1))
        for cached in (True, False)
    )
    times = again / kept
    truth = SimpleNamespace(
        steps=steps,
        prompt=done.prompt,
        length=len(done.ids),
        each=cost.Shape.of(lm.config).numbers_per_token_per_layer * lm.config.n_layers * 4,
        times=f"{times:,.0f}" if times >= 100 else f"{times:.3g}",
        window=lm.config.attention.window,
        context=lm.config.context,
        ended=done.ids[-1] in lm.tokenizer.ends,
        asked=shown.chosen.tokens,
    )
    said = claims.saves(shown) or ""
    assert "keys and values" not in said  # a latent is neither, and a window keeps none of what it forgot
    return agree(claims.CLAIMS, PLAIN_STEPS, shown, truth)


def test_steps_count_real_caches_and_operations():
    found = [check_steps(shown) for shown in STEPS]
    alike = data()
    alike.__dict__["flops"] = [(1, 1), (5, 5), (7, 7)]
    assert claims.saves(alike) is None and "costs as much" in claims.saves_nothing(alike)
    made_up = dict.fromkeys(found[0], False) | {"saves_nothing": True, "ended": True}
    each_speaks_and_is_silent([*found, made_up])


def timed(kept: list[float], again: list[float], naive: bool = False) -> Cost:
    """A generation with made-up times, a round each."""
    shown = Cost(data("zoo-mla" if naive else "zoo-rope").chosen)
    rows = {way: (np.arange(1), np.array(times)[:, None]) for way, times in ((WITH, kept), (WITHOUT, again))}
    shown.__dict__["timing"] = Timing(rows | ({NAIVE: rows[WITH]} if naive else {}))
    return shown


TIMES = (
    ([1.0, 1.2, 1.1], [3.0, 3.5, 2.8], True),
    ([3.0, 3.1, 3.2], [1.0, 2.0, 1.5], False),
    ([1.0, 4.0, 2.0], [3.0, 3.5, 2.8], False),
    ([1.0], [3.0], False),
)


def _apart(t):
    return t.rounds >= 3 and (t.kept[1] < t.again[0] or t.again[1] < t.kept[0])


def _spans(t) -> tuple[str, ...]:
    return tuple(f"{least:.2f} – {most:.2f}" for least, most in (t.kept, t.again))


PLAIN_COST = {
    "fewer_operations": lambda t: (
        f"{t.length:,}",
        large(t.flops[0]),
        large(t.flops[1]),
        f"{t.flops[1] / t.flops[0]:.1f}",
    ),
    "faster": lambda t: (*_spans(t), t.rounds) if _apart(t) and t.kept[1] < t.again[0] else None,
    "slower": lambda t: _spans(t) if _apart(t) and t.kept[0] > t.again[1] else None,
    "not_told_apart": lambda t: None if _apart(t) else _spans(t) if t.rounds >= 3 else (),
    "naive_costs_more": lambda t: (f"{t.flops[2] / t.flops[0]:.1f}",) if t.naive else None,
}


def test_times_are_said_where_rounds_do_not_overlap():
    found = []
    for kept, again, naive in TIMES:
        shown = timed(kept, again, naive)
        config, length = shown.base.lm.config, len(shown.base.done.ids)
        truth = SimpleNamespace(
            rounds=len(kept),
            kept=(min(kept), max(kept)),
            again=(min(again), max(again)),
            naive=naive,
            length=length,
            flops=[cost.step_flops(config, length, *how).total for how in ((True, True), (False, True), (True, False))],
        )
        found.append(agree(cost_claims.CLAIMS, PLAIN_COST, shown, truth))
        # Where none are shown, nothing is said of them.
        assert ("milliseconds" in cost_claims.measured(shown)) == _apart(truth)
    assert all(made.pop("fewer_operations") for made in found)
    each_speaks_and_is_silent(found)


def test_the_first_claim_is_silent_where_a_step_reads_one_token():
    shown = Cost(data("zoo-rope", "a", tokens=1).chosen)
    shown.__dict__["timing"] = timed([1.0], [1.0]).timing
    type(shown).flops.fget(shown)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cost, "flops", {WITH: 10, WITHOUT: 10})
        assert cost_claims.fewer_operations(shown) is None


MODELS = (
    ("zoo-rope", "zoo-gqa", "zoo-mqa", "zoo-mla", "zoo-window"),
    ("zoo-rope",),
    ("zoo-rope", "zoo-alibi"),
    ("zoo-mqa", "zoo-mla"),
)


def _keeps_less(t):
    most, least = max(t.kept, key=t.kept.get), min(t.kept, key=t.kept.get)
    if t.kept[most] == t.kept[least]:
        return None
    times = f"{t.kept[most] / t.kept[least]:.3g}"
    return f"{t.length:,}", least, t.kind[least], f"{t.kept[least]:,}", most, t.kind[most], f"{t.kept[most]:,}", times


def _windows(t):
    full = [f"{name} from {size} tokens on, at {t.kept[name]:,} bytes" for name, size in t.windows.items()]
    return tuple(filter(None, (", ".join(full[:-1]), full[-1]))) if full else None


PLAIN_MODELS = {
    "keeps_less": _keeps_less,
    "all_keep_alike": lambda t: (
        (f"{t.length:,}", f"{min(t.kept.values()):,}") if len(set(t.kept.values())) == 1 else None
    ),
    "not_as_by_formula": lambda t: None if t.formula == t.kept else (),
    "full_window": _windows,
}


@pytest.mark.parametrize("length", [64, 96])
def test_models_keep_what_their_caches_hold(length):
    found = []
    for names in MODELS:
        shown = Models(Compared(models=names, text=ENGLISH, length=length))
        kept, shapes = {}, {name: cost.Shape.of(tlmviz.load(name).config) for name in names}
        for name in names:
            lm = tlmviz.load(name)
            cache = lm.new_cache()
            lm(torch.tensor([(lm.tokenizer.encode(ENGLISH) * length)[:length]]), cache)
            kept[name] = cache.nbytes
        sizes = {name: tlmviz.load(name).config.attention.window or length for name in names}
        truth = SimpleNamespace(
            length=length,
            kept=kept,
            kind={name: shape.kind for name, shape in shapes.items()},
            formula={name: cost.cache_bytes(shape, length) for name, shape in shapes.items()},
            windows={name: size for name, size in sizes.items() if size < length},
        )
        found.append(agree(model_claims.CLAIMS, PLAIN_MODELS, shown, truth))
        for name, size in truth.windows.items():
            at = shown.curves[1][name]  # what is drawn: growing up to there, level behind it
            assert at[size - 2] < at[size - 1] == at[-1] == kept[name]
    made_up = dict.fromkeys(found[0], False) | {"not_as_by_formula": True, "full_window": True}
    each_speaks_and_is_silent([*found, made_up])
