"""What the parts of the page Attention family claim, held against plain counts and passes of the models."""

from types import SimpleNamespace

import numpy as np
import torch

import tlmviz
from pages.caches.attention_family.calculator import claims as deployed
from pages.caches.attention_family.calculator.data import Data as Deployed
from pages.caches.attention_family.calculator.state import Deployment
from pages.caches.attention_family.latent import claims as latent_claims
from pages.caches.attention_family.latent.data import Data as Latent
from pages.caches.attention_family.maps import claims as map_claims
from pages.caches.attention_family.maps.data import Data as Maps
from pages.caches.attention_family.morph import claims as morph_claims
from pages.caches.attention_family.morph.data import Data as Sized
from pages.caches.attention_family.morph.state import FREE, PUBLISHED, Morph
from pages.caches.attention_family.redundancy import claims as redundancy_claims
from pages.caches.attention_family.redundancy.data import Data as Redundancy
from pages.caches.attention_family.redundancy.state import Ablation
from pages.caches.attention_family.state import Heads
from tests.pages.states import agree, each_speaks_and_is_silent
from tlmviz.analysis.attention import interventions as edits
from tlmviz.analysis.caches import cost, shapes
from tlmviz.analysis.caches.family import size_text
from tlmviz.figures import number

ENGLISH, FRENCH, WORD, LONG = "Lily had a red ball.", "Le chat 😀 voit le chien.", "a", "The cat sat. " * 230


def given(model: str, text: str) -> dict[str, str]:
    return {"model": model, "text": tlmviz.load(model).fit(text)[0]}


def defaults(cls) -> dict:
    return {name: control.default for name, control in cls.controls.items()}


def _kept(t, *rest):
    return (f"{t.few:,}", f"{t.many:,}", *rest)


MORPH = {
    "keeps_less_for_more": lambda t: (
        _kept(t, size_text(t.mla), f"{t.at:,}", size_text(t.mha)) if t.few < t.many and t.mla > t.mha else None
    ),
    "keeps_less": lambda t: _kept(t, f"{t.few / t.many:.1%}", t.heads) if t.few < t.many and t.mla <= t.mha else None,
    "keeps_more": lambda t: _kept(t) if t.few >= t.many else None,
    "costs_less": lambda t: (size_text(t.mla), f"{t.at:,}", size_text(t.mha)) if t.mla <= t.mha else None,
    "like_grouped": lambda t: (f"{t.few / (2 * t.size):.3g}",) if t.heads > 1 else None,
    "no_queries": lambda t: () if t.published else None,
}


def test_the_morph_counts_what_is_kept_and_computed():
    found = []
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
    for case in cases:
        shown = Sized(Morph(model="zoo-rope", text=ENGLISH, **defaults(Morph) | case))
        sizes = shown.sizes
        mha, mla = (variant.flops(shown.chosen.length) for variant in (shown.variants[0], shown.variants[-1]))
        truth = SimpleNamespace(
            few=sizes.latent + sizes.rope_dim,
            many=2 * sizes.heads * sizes.head_dim,
            mha=mha,
            mla=mla,
            at=shown.chosen.length,
            heads=sizes.heads,
            size=sizes.head_dim,
            published=shown.chosen.source == PUBLISHED,
        )
        found.append(agree(morph_claims.CLAIMS, MORPH, shown, truth))
    each_speaks_and_is_silent(found)


def _losses(models, text: str) -> dict[str, float]:
    losses = {}
    for name in models:
        lm = tlmviz.load(name)
        ids = torch.tensor([lm.encode(lm.fit(text)[0])])
        with torch.inference_mode():
            logits = lm(ids)[0, :-1].float()
        losses[name] = float(torch.nn.functional.cross_entropy(logits, ids[0, 1:])) if ids.shape[1] > 1 else np.nan
    return losses


def _same_loss(t):
    least, most = min(t.kept, key=t.kept.get), max(t.kept, key=t.kept.get)
    if t.kept[least] == t.kept[most] or not t.written:
        return None
    return least, f"{t.kept[least]:,}", most, f"{t.kept[most]:,}", t.written[least], t.written[most]


def _best_here(t):
    best, worst = min(t.losses, key=t.losses.get), max(t.losses, key=t.losses.get)
    return (best, t.written[best], worst, t.written[worst]) if len(set(t.written.values())) > 1 else None


MAPS = {
    "same_loss_smaller_cache": _same_loss,
    "best_here": _best_here,
    "share_keys": lambda t: ("zoo-mqa",) if "zoo-mqa" in t.losses else None,
}


def test_trained_models_have_the_losses_of_their_passes():
    found = []
    cases = (
        (None, ENGLISH),
        (None, WORD),
        (["zoo-rope", "zoo-window"], FRENCH),
        (["zoo-mqa"], FRENCH),
        (["zoo-rope", "zoo-gqa"], LONG),
    )
    for models, text in cases:
        shown = Maps(Heads(head=(1, 2), **given("zoo-rope", text)))
        if models:
            shown.__dict__["names"] = models
        losses = _losses(shown.names, text)
        truth = SimpleNamespace(
            losses=losses,
            written={name: f"{loss:.3f}" for name, loss in losses.items() if loss == loss},
            kept={name: cost.Shape.of(tlmviz.load(name).config).numbers_per_token_per_layer for name in losses},
        )
        found.append(agree(map_claims.CLAIMS, MAPS, shown, truth))
    each_speaks_and_is_silent(found)


def _known(share: float) -> bool:
    return share == share and f"{share:.0%}" != "50%"


LATENT = {
    "where_or_what": lambda t: (t.head, f"{max(t.share, 1 - t.share):.0%}") if _known(t.share) else None,
    "both_alike": lambda t: None if _known(t.share) else (t.head,) if t.share == t.share else (),
    "absorbed": lambda t: (size_text(t.few), t.length, size_text(t.many)) if t.few < t.many else None,
    "not_worth_it": lambda t: (size_text(t.few), t.length, size_text(t.many)) if t.few >= t.many else None,
    "the_same_output": lambda t: (t.layer, number(t.error, ".1e"), t.products, t.factors),
}


def test_latent_scores_are_taken_apart():
    found, config = [], tlmviz.load("zoo-mla").config
    d, h, c = config.d_model, config.head_dim, config.attention.latent_dim
    heads = ((ENGLISH, (3, 1)), (ENGLISH, (0, 0)), (FRENCH, (1, 5)), (WORD, (2, 2)), (LONG, (1, 0)), (ENGLISH, (2, 7)))
    for text, (layer, head) in heads:
        shown = Latent(Heads(head=(layer, head), **given("zoo-mla", text)))
        content, rotary, _weights = shown.parts
        assert len(content) == len(rotary) <= 160 and shown.error < 1e-4, "the sentence calls it rounding"
        few, many = shown.flops
        truth = SimpleNamespace(
            head=f"L{layer}H{head}",
            layer=layer,
            share=float(shown.shares[layer, head]),
            few=few,
            many=many,
            length=f"{len(shown.reading.trace):,}",
            error=shown.error,
            products=f"{2 * d * c:,}",
            factors=f"{2 * d * h + 2 * c * h:,}",
        )
        said = latent_claims.where_or_what(shown)
        assert not said or ("where tokens stand" in said) == (truth.share > 0.5)
        found.append(agree(latent_claims.CLAIMS, LATENT, shown, truth))
    assert all(shows.pop("the_same_output") for shows in found)
    for share, values, said in ((np.nan, (), "do not vary"), (0.5, ("L0H0",), "evenly")):

        class Odd(Latent):
            shares = np.full((4, 8), share)

        odd = Odd(Heads(head=(0, 0), **given("zoo-mla", ENGLISH)))
        assert latent_claims.both_alike(odd).values == values and said in latent_claims.both_alike(odd)
        assert latent_claims.where_or_what(odd) is None
    made_up = dict.fromkeys(found[0], False) | {"not_worth_it": True, "both_alike": True}
    each_speaks_and_is_silent([*found, made_up])


def _head(t, at: int) -> str:
    return "L{}H{}".format(*divmod(at, t.effects.shape[1]))


def _better(t):
    count = int((t.effects < -0.0005).sum())
    gain = f"{-t.effects.min():.3f}"
    return (count, t.effects.size, 0.0005, _head(t, int(t.effects.argmin())), gain) if count else None


def _afforded(t):
    count = max(step for step, value in enumerate(t.elsewhere) if value <= t.elsewhere[0] + 0.1)
    return (count, t.effects.size, 0.1) if count else None


REDUNDANCY = {
    "muted_and_better": _better,
    "none_better": lambda t: None if _better(t) else (0.0005, _head(t, int(t.effects.argmin()))),
    "afforded": _afforded,
    "none_afforded": lambda t: None if _afforded(t) else (0.1,),
    "too_short": lambda t: None if t.pairs else (),
    "layer_reused": lambda t: (", ".join(f"{i}: {number(x, '+.2f')}" for i, x in enumerate(t.reused, 1)),),
}


def _reused(lm, text: str, plain, layer: int) -> float:
    weights = [plain.attention(layer - 1, head) for head in range(plain.n_heads)]
    rows = (edits.replace_row(layer, head, row, p[row]) for head, p in enumerate(weights) for row in range(len(plain)))
    changed = lm.trace(text, edit=edits.combine(*rows))
    return float(changed.loss_per_token().mean() - plain.loss_per_token().mean())


def test_muted_heads_are_muted_in_passes():
    found = []
    for text in (ENGLISH, FRENCH, "a b"):
        shown = Redundancy(Ablation(**given("zoo-gqa", text), **defaults(Ablation)))
        lm, effects = shown.reading.lm, np.array(shown.effects)
        plain = lm.trace(shown.reading.text)
        for at in (0, int(effects.argmin()), int(effects.argmax())):
            muted = lm.trace(shown.reading.text, edit=edits.mute_heads([divmod(at, effects.shape[1])]))
            change = float(muted.loss_per_token().mean() - plain.loss_per_token().mean())
            assert abs(change - effects.flat[at]) < 1e-4
        truth = SimpleNamespace(
            effects=effects,
            elsewhere=shown.losses.elsewhere,
            pairs=len(plain) > 2,
            reused=[_reused(lm, shown.reading.text, plain, layer) for layer in range(1, lm.config.n_layers)],
        )
        found.append(agree(redundancy_claims.CLAIMS, REDUNDANCY, shown, truth))
    rare = {"none_better", "none_afforded", "too_short"}
    each_speaks_and_is_silent(
        [*found, {name: name in rare for name in found[0]}, {name: name not in rare for name in found[0]}]
    )


def _ratio(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def _times(t, more: float, less: float):
    return None if t.weights is None or more <= less or _ratio(more / less) == "1" else _ratio(more / less)


DEPLOYED = {
    "too_heavy": lambda t: (deployed.size(t.weights), f"{t.memory:,}") if t.heavy else None,
    "needs": lambda t: (*(t.batch, t.shape.name, deployed.size(t.whole), f"{t.batch:,}"), *(t.length, f"{t.length:,}")),
    "more_than_weights": lambda t: (
        (times, deployed.size(t.weights)) if (times := _times(t, t.whole, t.weights or 1)) else None
    ),
    "less_than_weights": lambda t: (
        (deployed.size(t.weights), times) if (times := _times(t, t.weights or 1, t.whole)) else None
    ),
    "too_many": lambda t: (t.fits, f"{t.batch:,}", f"{t.fits:,}") if not t.heavy and t.fits < t.batch else None,
    "all_fit": lambda t: (t.fits, f"{t.fits:,}", f"{t.memory:,}") if not t.heavy and t.fits >= t.batch else None,
    "too_long": lambda t: (t.shape.name, f"{t.shape.context:,}") if t.length > t.shape.context else None,
}


def test_deployments_are_what_the_formula_says():
    found = []
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
        shown = Deployed(Deployment(**defaults(Deployment) | case))
        chosen, shape = shown.chosen, shown.shape
        weights, memory = cost.weight_bytes(shape, shown.bits[1]), chosen.memory * 1e9
        truth = SimpleNamespace(
            shape=shape,
            batch=chosen.batch,
            length=chosen.length,
            memory=chosen.memory,
            whole=cost.cache_bytes(shape, chosen.length, chosen.batch, shown.bits[0], chosen.page or None),
            weights=weights,
            fits=cost.max_batch(shape, chosen.length, memory, *shown.bits, chosen.page or None),
            heavy=weights is not None and weights > memory,
        )
        found.append(agree(deployed.CLAIMS, DEPLOYED, shown, truth))
    assert all(shows.pop("needs") for shows in found)  # it holds of every deployment that there is
    each_speaks_and_is_silent(found)
