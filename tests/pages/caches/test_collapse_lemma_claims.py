"""What the part One matrix for all claims, held against loops over heads, queries and keys."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

import tlmviz
from pages.caches.attention_family.collapse import claims
from pages.caches.attention_family.collapse.data import Data
from pages.caches.attention_family.collapse.state import Lemma
from tests import tiny
from tests.analysis.notation.test_collapse import plainly, turn
from tests.pages.helpers import only_models
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz.analysis.caches.projections import heads_of, value_products
from tlmviz.analysis.notation.collapse import Between

ENGLISH, FRENCH, WORD, LONG = "Lily had a red ball.", "Le chat 😀 voit le chien.", "a", "The cat sat. " * 230
LEFT_OUT = "the norms of queries and keys and the bound (softcap) of the scores"
GIVEN = {"model": "zoo-rope", "text": ENGLISH, "head": (1, 3)}


def softmaxed(logits: np.ndarray) -> np.ndarray:
    seen = np.tril(np.ones(logits.shape[-2:], bool))
    powers = np.where(seen, np.exp(logits - np.where(seen, logits, -np.inf).max(-1, keepdims=True)), 0)
    return powers / powers.sum(-1, keepdims=True)


def missed(whole: np.ndarray, part: np.ndarray) -> float:
    return float(np.linalg.norm(whole - part) / max(np.linalg.norm(whole), 1e-30))


def truth(shown: Data) -> dict:
    """What a state is, from the layer's matrices by plain arithmetic."""
    (layer, head), lm = shown.head, shown.reading.lm
    trace, count = shown.reading.trace, lm.config.n_heads
    found = heads_of(lm, trace, layer).until(len(shown.tokens))
    values, x, base = value_products(lm, layer).numpy(), found.x_k.numpy(), lm.config.positions.rope_base
    on, part = set(shown.chosen.on), shown.chosen.part
    between = Between(*(name in on for name in ("rope", "norm", "alibi", "same")))
    if part == "M":
        maps = softmaxed(plainly(found, between, base, head))
        output = missed(sum(maps[h] @ x @ values[h] for h in range(count)), maps[head] @ x @ values.sum(0))
    else:
        products = (found.w_q @ found.w_k.transpose(1, 2)).numpy()
        scores = np.stack([found.x_q.numpy() @ m @ x.T * found.scale for m in (*products, products.mean(0))])
        drawn = softmaxed(scores) if "softmax" in on else np.tril(scores)
        output = missed(drawn[:-1].sum(0) @ x @ values[head], count * drawn[-1] @ x @ values[head])
    names = [name for switch, name in (("rope", "RoPE"), ("norm", "a norm"), ("alibi", "ALiBi")) if switch in on]
    w_q, w_k = found.w_q[head].numpy(), found.w_k[head].numpy()
    turned = np.stack([w_q @ np.stack([turn(row, -at, base) for row in w_k]).T for at in range(lm.config.context)])
    best = np.sqrt(((turned - turned.mean(0)) ** 2).sum((1, 2)).mean()) / np.linalg.norm(turned[0])
    return {
        "heads": count,
        "layer": layer,
        "head": head,
        "part": part,
        "on": on,
        "names": " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])),
        "one": output < 1e-9,
        "share": f"{output:.1%}" if output >= 0.0005 else "less than 0.1%",
        "best": best,
        "model": shown.reading.model,
        "normed": lm.config.attention.qk_norm != "none",
    }


PLAIN = {
    "single": lambda t: [t["layer"], t["model"]] if t["heads"] == 1 else None,
    "one_map": lambda t: [t["heads"], t["layer"]] if t["part"] == "M" and not t["names"] and t["heads"] > 1 else None,
    "come_apart": lambda t: (
        [t["heads"], t["layer"], t["names"], t["share"]] if t["part"] == "M" and not t["one"] else None
    ),
    "still_one": lambda t: (
        [t["names"], t["heads"]] if t["part"] == "M" and t["names"] and t["one"] and t["heads"] > 1 else None
    ),
    "adds_up": lambda t: [t["heads"]] if t["part"] == "U" and t["one"] and t["heads"] > 1 else None,
    "softmax_sees_more": lambda t: [t["heads"], t["share"]] if t["part"] == "U" and not t["one"] else None,
    "equal_factors": lambda t: (
        [] if PLAIN["still_one"](t) is not None and "same" in t["on"] and "alibi" not in t["on"] else None
    ),
    "own_slopes": lambda t: [] if PLAIN["come_apart"](t) is not None and {"same", "alibi"} <= t["on"] else None,
    "no_single_matrix": lambda t: (
        [f"L{t['layer']}H{t['head']}", f"{t['best']:.0%}"] if f"{t['best']:.0%}" != "0%" else None
    ),
    "left_out": lambda t: [LEFT_OUT, "tiny"] if t["normed"] else None,
}


class Unturned(Data):
    """Heads of a single dimension, which has no plane to turn in."""

    turned = SimpleNamespace(missed=0.001)


@pytest.fixture
def odd(tmp_path, tokenizer):
    """A model of one head, whose queries and keys are normed and whose scores are bounded."""
    network = tiny.network(
        vocab_size=tokenizer.vocab_size, qk_norm="head", softcap=5.0, d_model=8, n_heads=1, n_kv_heads=1
    )
    with only_models({"tiny": network}, tokenizer, tmp_path):
        yield


def held(shown: Data) -> dict[str, bool]:
    found = truth(shown)
    for part, said in claims.every(shown).items():
        assert len(said) == {"M": 16, "U": 2}[part]
    at = claims.measured(shown)
    assert ("They are one head" in at) == found["one"]
    assert found["one"] or found["share"] in at
    return agree(claims.CLAIMS, PLAIN, shown, found)


@pytest.mark.usefixtures("odd")
def test_every_choice_says_what_loops_find():
    given = {"model": "tiny", "text": ENGLISH, "head": (0, 0)}
    found = [held(Data(chosen)) for chosen in states(Lemma, given, count=0)]
    assert all(each["left_out"] and each["single"] for each in found)


def test_trained_heads_say_what_loops_find():
    found = [held(Data(chosen)) for chosen in states(Lemma, GIVEN, count=3)]
    for text, model, head in ((FRENCH, "zoo-mla", (2, 1)), (WORD, "zoo-rope", (0, 0)), (LONG, "zoo-rope", (3, 7))):
        read = {"model": model, "text": tlmviz.load(model).fit(text)[0], "head": head}
        for part, switches in (("M", ("rope", "norm")), ("U", ("softmax",)), ("U", ())):
            found.append(held(Data(Lemma(part=part, on=switches, **read))))
    assert claims.no_single_matrix(Unturned(Lemma(**GIVEN))) is None
    rare = {"single", "left_out"}  # of the model above
    each_speaks_and_is_silent([*found, {name: name in rare for name in found[0]}])


def test_a_shared_map_is_one_picture():
    """What the first sentence says of the picture: every head's map is the chosen head's."""
    shown = Data(Lemma(**GIVEN))
    assert claims.one_map(shown).values == (8, 1)
    assert torch.allclose(shown.found.maps[0], shown.found.maps[0][3].expand(8, -1, -1), atol=1e-9)
