"""What the parts of the page KV cache claim, held against plain counts and real caches of the models."""

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
from tests.pages.states import each_speaks_and_is_silent, facts
from tlmviz.analysis.caches import cost
from tlmviz.analysis.caches.decode_steps import NAIVE, WITH, WITHOUT, Timing

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


def check_steps(shown: Data) -> dict[str, bool]:
    """Bytes from a real cache that reads the same ids token by token; operations summed from the steps' counts."""
    said, done, lm = {claim.__name__: claim(shown) for claim in claims.CLAIMS}, shown.done, shown.lm
    cache = lm.new_cache()
    lm(torch.tensor([list(done.ids[: done.prompt])]), cache)
    first = cache.nbytes
    for token in done.ids[done.prompt :]:
        lm(torch.tensor([[token]]), cache)
    kept, again = (
        sum(cost.step_flops(lm.config, done.prompt + step, cached).total for step in range(1, done.steps + 1))
        for cached in (True, False)
    )
    times = again / kept
    saves = f"{times:.3g}" != "1"
    assert (bool(said["saves"]), bool(said["saves_nothing"])) == (saves, not saves)
    if saves:
        shape = cost.Shape.of(lm.config)
        each = shape.numbers_per_token_per_layer * lm.config.n_layers * 4
        assert "keys and values" not in said["saves"]  # a latent is neither, and a window keeps none of what it forgot
        written = f"{times:,.0f}" if times >= 100 else f"{times:.3g}"
        assert facts(said["saves"])[-2:] == [f"{each:,.0f}", written], said["saves"]
        assert facts(said["saves"])[:-2] == [f"{done.prompt:,}", str(done.steps)]
    window = lm.config.attention.window
    assert bool(said["forgets"]) == bool(window and len(done.ids) > window)
    assert not said["forgets"] or facts(said["forgets"]) == [f"{len(done.ids):,}", str(window)]
    assert bool(said["doubles"]) == (cache.nbytes > first)
    if said["doubles"]:
        assert facts(said["doubles"])[:2] == [f"{first:,}", f"{cache.nbytes:,}"]
    early = done.ids[-1] in lm.tokenizer.ends and len(done.ids) - done.prompt < shown.chosen.tokens
    assert bool(said["ended"]) == early
    assert bool(said["beyond"]) == (len(done.ids) > lm.config.context)
    return {name: text is not None for name, text in said.items()}


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


def test_times_are_said_where_rounds_do_not_overlap():
    found = []
    for kept, again, naive in TIMES:
        shown = timed(kept, again, naive)
        said = {claim.__name__: claim(shown) for claim in cost_claims.CLAIMS}
        apart = len(kept) >= 3 and (max(kept) < min(again) or max(again) < min(kept))
        spans = [f"{min(times):.2f} – {max(times):.2f}" for times in (kept, again)]
        assert bool(said["faster"]) == (apart and max(kept) < min(again))
        assert bool(said["slower"]) == (apart and min(kept) > max(again))
        assert bool(said["not_told_apart"]) == (not apart)
        assert ("milliseconds" in cost_claims.measured(shown)) == apart  # where none are shown, nothing is said of them
        shows = said["faster"] or said["slower"] or (len(kept) >= 3 and said["not_told_apart"])
        assert not shows or all(f"{span} ms" in shows for span in spans)
        config, length = shown.base.lm.config, len(shown.base.done.ids)
        flops = [cost.step_flops(config, length, *how).total for how in ((True, True), (False, True), (True, False))]
        assert f"{flops[1] / flops[0]:.1f} times as many" in said["fewer_operations"]
        assert bool(said["naive_costs_more"]) == naive
        assert not naive or f"takes {flops[2] / flops[0]:.1f} times" in said["naive_costs_more"]
        found.append({name: text is not None for name, text in said.items()})
    short = timed([1.0], [1.0])
    short.__dict__["timing"] = Timing({WITH: short.timing.ways[WITH], WITHOUT: short.timing.ways[WITH]})
    each_speaks_and_is_silent([*found, dict.fromkeys(found[0], False)])


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


@pytest.mark.parametrize("length", [64, 96])
def test_models_keep_what_their_caches_hold(length):
    found = []
    for names in MODELS:
        shown = Models(Compared(models=names, text=ENGLISH, length=length))
        said = {claim.__name__: claim(shown) for claim in model_claims.CLAIMS}
        kept = {}
        for name in names:
            lm = tlmviz.load(name)
            cache = lm.new_cache()
            lm(torch.tensor([(lm.tokenizer.encode(ENGLISH) * length)[:length]]), cache)
            kept[name] = cache.nbytes
        most, least = max(kept, key=kept.get), min(kept, key=kept.get)
        assert bool(said["keeps_less"]) == (kept[most] != kept[least]) != bool(said["all_keep_alike"])
        if said["keeps_less"]:
            assert (
                f"After {length:,} tokens the cache of {least} (" in said["keeps_less"]
                and f"takes {kept[least]:,} bytes and that of {most}" in said["keeps_less"]
            )
            assert said["keeps_less"].endswith(f"{kept[most]:,}: {kept[most] / kept[least]:.3g} times as many.")
        formula = {name: cost.cache_bytes(cost.Shape.of(tlmviz.load(name).config), length) for name in names}
        assert bool(said["as_by_formula"]) == (formula == kept) != bool(said["not_as_by_formula"])
        windows = [name for name in names if (tlmviz.load(name).config.attention.window or length) < length]
        assert bool(said["full_window"]) == bool(windows)
        for name in windows:
            size = tlmviz.load(name).config.attention.window
            assert f"{name} from {size} tokens on, at {kept[name]:,} bytes" in said["full_window"]
            at = shown.curves[1][name]  # what is drawn: growing up to there, level behind it
            assert at[size - 2] < at[size - 1] == at[-1] == kept[name]
        found.append({name: text is not None for name, text in said.items()})
    made_up = dict.fromkeys(found[0], False) | {"not_as_by_formula": True, "full_window": True}
    each_speaks_and_is_silent([*found, made_up])
