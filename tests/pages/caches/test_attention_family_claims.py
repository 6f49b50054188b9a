"""What the parts of the page Attention family claim, held against plain counts and passes of the models."""

import numpy as np
import torch

import tlmviz
from pages.caches.attention_family.calculator import claims as deployed
from pages.caches.attention_family.calculator.data import compute
from pages.caches.attention_family.calculator.state import Deployment
from pages.caches.attention_family.data import Reading
from pages.caches.attention_family.latent import claims as latent_claims
from pages.caches.attention_family.latent.data import Data as Latent
from pages.caches.attention_family.maps import claims as map_claims
from pages.caches.attention_family.maps.data import Data as Maps
from pages.caches.attention_family.maps.data import family
from pages.caches.attention_family.morph import claims as morph_claims
from pages.caches.attention_family.morph.data import Data as Sized
from pages.caches.attention_family.morph.state import FREE, PUBLISHED, Morph
from pages.caches.attention_family.redundancy import claims as redundancy_claims
from pages.caches.attention_family.redundancy.data import Data as Redundancy
from pages.caches.attention_family.redundancy.state import Ablation
from tests.pages.states import each_speaks_and_is_silent, facts, plain
from tlmviz.analysis.attention import interventions as edits
from tlmviz.analysis.caches import cost, shapes
from tlmviz.analysis.caches.family import size_text

ENGLISH, FRENCH, WORD, LONG = "Lily had a red ball.", "Le chat 😀 voit le chien.", "a", "The cat sat. " * 230


def said_of(claims, shown) -> dict:
    return {claim.__name__: claim(shown) for claim in claims}


def fitted(model: str, text: str) -> Reading:
    return Reading(model, tlmviz.load(model).fit(text)[0])


def morphs() -> list[Sized]:
    start = {name: control.default for name, control in Morph.controls.items()}
    cases = (
        {},
        {"source": PUBLISHED},
        {"source": PUBLISHED, "length": 131_072},
        {"source": FREE},
        {"source": FREE, "heads": 1, "latent": 512},
        {"source": FREE, "heads": 1, "head_dim": 1, "latent": 1, "rotary": 0, "d_model": 1},
        {"source": FREE, "latent": 8192},
        {"source": FREE, "head_dim": 1024, "latent": 1, "rotary": 0},
        {"length": 64},
    )
    return [Sized(Morph(**start | case), Reading("zoo-rope", ENGLISH)) for case in cases]


def test_the_morph_counts_what_is_kept_and_computed():
    found = []
    for shown in morphs():
        said, sizes = said_of(morph_claims.CLAIMS, shown), shown.sizes
        many, few = 2 * sizes.heads * sizes.head_dim, sizes.latent + sizes.rope_dim
        mha, mla = (variant.flops(shown.chosen.length) for variant in (shown.variants[0], shown.variants[-1]))
        first = [said[name] for name in ("keeps_less_for_more", "keeps_less", "keeps_more")]
        less = few < many
        assert [bool(each) for each in first] == [less and mla > mha, less and mla <= mha, not less]
        kept = [fact.rstrip(",") for fact in facts(next(filter(None, first)))[:2]]
        assert kept == [f"{few:,}", f"{many:,}"]
        if first[0]:
            paid = f"{size_text(mla)}FLOP for token {shown.chosen.length:,} in place of {size_text(mha)}FLOP"
            assert paid in first[0]
        assert (bool(said["pays_with_operations"]), bool(said["costs_less"])) == (mla > mha, mla <= mha)
        assert not said["pays_with_operations"] or f"{mla / mha:.3g} times as many" in said["pays_with_operations"]
        assert bool(said["like_grouped"]) == (sizes.heads > 1)
        assert (
            not said["like_grouped"] or f"have {few / (2 * sizes.head_dim):.3g} key/value heads" in said["like_grouped"]
        )
        assert bool(said["no_queries"]) == (shown.chosen.source == PUBLISHED)
        found.append({name: text is not None for name, text in said.items()})
    each_speaks_and_is_silent(found)


def test_trained_models_have_the_losses_of_their_passes():
    found, names = [], family("zoo-rope")
    cases = (
        (names, ENGLISH),
        (names, WORD),
        (["zoo-rope", "zoo-window"], FRENCH),
        (["zoo-mqa"], FRENCH),
        (names[:2], LONG),
    )
    for models, text in cases:
        shown = Maps(tuple(fitted(name, text) for name in models), (1, 2))
        said, losses = said_of(map_claims.CLAIMS, shown), {}
        for name in models:
            lm = tlmviz.load(name)
            ids = torch.tensor([lm.encode(lm.fit(text)[0])])
            with torch.inference_mode():
                logits = lm(ids)[0, :-1].float()
            losses[name] = float(torch.nn.functional.cross_entropy(logits, ids[0, 1:])) if ids.shape[1] > 1 else np.nan
        written = {name: f"{loss:.3f}" for name, loss in losses.items() if loss == loss}
        kept = {name: cost.Shape.of(tlmviz.load(name).config).numbers_per_token_per_layer for name in models}
        differ = max(kept.values()) != min(kept.values()) and bool(written)
        assert bool(said["same_loss_smaller_cache"]) == differ
        if differ:
            least, most = min(kept, key=kept.get), max(kept, key=kept.get)
            parts = (
                f"{least} keeps {kept[least]:,} numbers",
                f"{most} keeps {kept[most]:,}",
                f"loss is {written[least]}",
            )
            assert all(part in said["same_loss_smaller_cache"] for part in parts)
        assert bool(said["best_here"]) == (len(set(written.values())) > 1)
        if said["best_here"]:
            best, worst = min(losses, key=losses.get), max(losses, key=losses.get)
            assert f"text {best} predicts best, with a loss of {written[best]}, and {worst} worst" in said["best_here"]
        assert bool(said["share_keys"]) == ("zoo-mqa" in models)
        found.append({name: text is not None for name, text in said.items()})
    each_speaks_and_is_silent(found)


def test_latent_scores_are_taken_apart():
    found = []
    for text, head in (
        (ENGLISH, (3, 1)),
        (ENGLISH, (0, 0)),
        (FRENCH, (1, 5)),
        (WORD, (2, 2)),
        (LONG, (1, 0)),
        (ENGLISH, (2, 7)),
    ):
        shown = Latent(fitted("zoo-mla", text), head)
        said = said_of(latent_claims.CLAIMS, shown)
        content, rotary, _weights = shown.parts
        share = float(shown.shares[head])
        known = share == share and f"{share:.0%}" != "50%"
        assert (bool(said["where_or_what"]), bool(said["both_alike"])) == (known, not known)
        if known:
            assert f"{max(share, 1 - share):.0%} of" in said["where_or_what"]
            assert ("where tokens stand" in said["where_or_what"]) == (share > 0.5)
            assert len(content) == len(rotary) <= 160
        few, many = shown.flops
        assert (bool(said["absorbed"]), bool(said["not_worth_it"])) == (few < many, few >= many)
        assert f"layer {head[0]}'s output on this text moves by {shown.error:.1e}" in plain(said["the_same_output"])
        assert shown.error < 1e-4, "the sentence calls it rounding"
        found.append({name: text is not None for name, text in said.items() if name != "the_same_output"})
    odd = Latent(fitted("zoo-mla", ENGLISH), (0, 0))
    for share, said in ((np.nan, "do not vary"), (0.5, "evenly")):
        odd.__dict__["shares"] = np.full((4, 8), share)
        assert said in latent_claims.both_alike(odd) and latent_claims.where_or_what(odd) is None
    made_up = dict.fromkeys(found[0], False) | {"not_worth_it": True, "both_alike": True}
    each_speaks_and_is_silent([*found, made_up])


def test_muted_heads_are_muted_in_passes():
    start, found = {name: control.default for name, control in Ablation.controls.items()}, []
    for text in (ENGLISH, FRENCH, "a b"):
        shown = Redundancy(fitted("zoo-gqa", text), Ablation(**start))
        said, lm = said_of(redundancy_claims.CLAIMS, shown), shown.reading.lm
        plain, heads = lm.trace(shown.reading.text), lm.config.n_heads
        effects = np.array(shown.effects)
        for layer, head in ((0, 0), divmod(int(effects.argmin()), heads), divmod(int(effects.argmax()), heads)):
            muted = lm.trace(shown.reading.text, edit=edits.mute_heads([(layer, head)]))
            change = float(muted.loss_per_token().mean() - plain.loss_per_token().mean())
            assert abs(change - effects[layer, head]) < 1e-4
        better = int((effects < -0.0005).sum())
        assert (bool(said["muted_and_better"]), bool(said["none_better"])) == (better > 0, better == 0)
        assert not better or said["muted_and_better"].startswith(f"Without {better} of {effects.size} heads")
        assert "0.0005 nats a token" in (said["muted_and_better"] or said["none_better"])  # from where it counts
        assert bool(said["most_missed"]) == (round(float(effects.max()), 3) > 0)
        elsewhere = shown.losses.elsewhere
        count = max(step for step, value in enumerate(elsewhere) if value <= elsewhere[0] + 0.1)
        assert (bool(said["afforded"]), bool(said["none_afforded"])) == (count > 0, count == 0)
        assert not count or f"{count} head" in said["afforded"]
        assert bool(said["alike"]) == bool(shown.pairs) != bool(said["too_short"])
        assert bool(said["layer_reused"]) == (lm.config.n_layers > 1) != bool(said["one_layer"])
        found.append({name: text is not None for name, text in said.items()})
    rare = {"none_better", "none_afforded", "too_short", "one_layer"}
    silent = {"most_missed", "alike", "layer_reused", "muted_and_better", "afforded"}
    each_speaks_and_is_silent(
        [*found, {name: name in rare for name in found[0]}, {name: name in silent for name in found[0]}]
    )


def test_deployments_are_what_the_formula_says():
    start, found = {name: control.default for name, control in Deployment.controls.items()}, []
    cases = (
        {},
        {"length": 1_000_000},
        {"batch": 1000},
        {"batch": 10**6},
        {"memory": 0},
        {"memory": 1},
        {"shape": "PaLM 540B", "batch": 16},
        {"shape": "zoo-rope", "memory": 1},
        {"length": 1, "page": 16},
        {"length": 64, "batch": 1},
        *({"shape": shape.name} for shape in shapes.SHAPES[::4]),
    )
    for case in cases:
        shown = compute(Deployment(**start | case))
        said = {claim.__name__: claim(shown) for claim in deployed.CLAIMS}
        chosen, shape = shown.chosen, shown.shape
        whole = cost.cache_bytes(shape, chosen.length, chosen.batch, shown.bits[0], chosen.page or None)
        weights, memory = cost.weight_bytes(shape, shown.bits[1]), chosen.memory * 1e9
        fits = cost.max_batch(shape, chosen.length, memory, *shown.bits, chosen.page or None)
        heavy = weights is not None and weights > memory
        assert bool(said["too_heavy"]) == heavy
        assert bool(said["too_many"]) == (not heavy and fits < chosen.batch)
        assert bool(said["all_fit"]) == (not heavy and fits >= chosen.batch)
        assert not said["too_many"] or f"{chosen.batch:,} at once do not fit: {fits:,} do" in said["too_many"]
        assert not said["all_fit"] or said["all_fit"].startswith(f"{fits:,} request")
        assert said["needs"].startswith(
            f"{shape.name} needs a cache of {deployed.size(whole)} for {chosen.batch:,} request"
        )
        assert said["needs"].endswith(f" {chosen.length:,} token{'s' * (chosen.length > 1)}.")
        more, less = (
            f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
            for ratio in (whole / (weights or 1), (weights or 1) / whole)
        )
        assert bool(said["more_than_weights"]) == (weights is not None and whole > weights and more != "1")
        assert bool(said["less_than_weights"]) == (weights is not None and whole < weights and less != "1")
        assert not said["more_than_weights"] or f"{more} times as much" in said["more_than_weights"]
        assert not said["less_than_weights"] or f"{less} times as much" in said["less_than_weights"]
        assert bool(said["too_long"]) == (chosen.length > shape.context)
        found.append({name: text is not None for name, text in said.items()})
    assert all(shows.pop("needs") for shows in found)  # it holds of every deployment that there is
    each_speaks_and_is_silent(found)
