"""What the page Why it looks there claims, held against the model's own query, key and weights."""

import numpy as np

import tlmviz
from pages.workbench.why import claims, data
from pages.workbench.why.state import HEADS, SCORE, Why
from tests.pages.states import each_speaks_and_is_silent
from tlmviz.figures import readable
from tlmviz.ui.inputs import DEFAULT_TEXT

START = {name: control.default for name, control in Why.controls.items()}
FRENCH, LONG = ("Le chat 😀 voit le chat. Le chien voit le", "The cat sat on the mat. " * 125)  # 3,000 characters
POST = "zoo-post"  # norms behind its sublayers


def state(model: str, text: str, pin: tuple[int, int, int, int], **values) -> Why:
    return Why(**{**START, "model": model, "text": text, "pin": pin, **values})


def two(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def check_score(said: dict, shown: data.Data) -> None:
    """The claims on one score, from the model's weights of the head and the sources that its stream is a sum of."""
    lm, trace = tlmviz.load(shown.chosen.model), tlmviz.load(shown.chosen.model).trace(shown.chosen.text)
    step = shown.step
    row = trace.attention(step.layer, step.head)[step.query].numpy()
    found = lm.explain(shown.chosen.text, step.layer, step.head, query=step.query, key=step.key)
    q, k = (trace[f"blocks.{step.layer}.attn.{part}"][0].double() for part in "qk")
    product = q[step.head, step.query] @ k[step.head * len(k) // len(q), step.key]
    score = float(product * trace.specs[step.layer].scale)
    assert abs(score - found.score) < 1e-3 * max(1, abs(score)), "q·k, scaled"
    sums = found.scores.double().sum(0).tolist()
    order = sorted(range(len(sums)), key=lambda i: -sums[i])
    total = two(sums[order[0]])
    owed = score >= 0.005 and sums[order[0]] >= 0.005 and two(sums[order[1]]) != total
    by_head = owed and found.names[order[0]].startswith("L")
    first = said["owes_to_head"] or said["owes_to_other"] or said["owes_to_nothing"]
    assert (bool(said["owes_to_head"]), bool(said["owes_to_other"])) == (by_head, owed and not by_head)
    assert f"head L{step.layer}H{step.head} gives {row[step.key]:.0%} of its attention" in first
    assert f"({step.query})" in first and f"({step.key})" in first and two(found.score) in first
    if owed:
        own = {"token": "the token itself", "position": "its position", "biases": "the biases"}
        source = own.get(name := found.names[order[0]], name)
        assert source.replace("-", "\\-") + " draws it there most" in first and f"{total} of the score" in first
    if by_head:
        layer, head = map(int, found.names[order[0]][1:].split("H"))
        read = int(trace.attention(layer, head)[step.key].argmax())
        assert f"({read}): {total} of the score" in first
        assert ("the token before it" in first) == (read == step.key - 1)
    check_query_side(said["asks_most"], found, score, step.query)
    best = int(row.argmax())
    another = f"{row[best]:.0%}" != f"{row[step.key]:.0%}"
    assert bool(said["compared"]) == another
    if another:
        assert f"gives {row[best]:.0%} to" in said["compared"] and said["compared"].endswith(f"({best}).")
    check_written(said, found, lm.config.norm.placement)
    assert bool(said["by_steps"]) == (len(shown.steps) > 1)
    for each in shown.steps[1:]:
        assert f"L{each.layer}H{each.head} read" in said["by_steps"] and f"({each.key})" in said["by_steps"]
    count = len(trace.tokens)
    assert bool(said["not_all"]) == (count > 160)
    if count > 160:
        assert said["not_all"] == f"The map has the 160 tokens nearest to query and key, of {count:,}."


def check_query_side(said: str | None, found, score: float, query: int) -> None:
    """The source at the query with the largest sum over all at the key."""
    sums = found.scores.double().sum(1).tolist()
    first, second, *_ = [*sorted(sums, reverse=True), 0.0]
    assert bool(said) == (score >= 0.005 and first >= 0.005 and two(first) != two(second))
    if said:
        name = found.names[sums.index(first)]
        own = {
            "token": "the token itself",
            "position": "its position",
            "biases": "the biases",
            "distance": "the distance",
        }
        assert (
            f"({query})** {own.get(name, name)} asks for it most: {two(first)} of the score {two(found.score)}." in said
        )


def check_written(said: dict, found, placement: str) -> None:
    """What is said to be written: the largest gain of any token, or that it is little."""
    assert bool(said["names_no_tokens"]) == (found.written is None) == (placement in ("post", "sandwich"))
    if found.written is None:
        assert said["writes"] is None and said["writes_little"] is None
        return
    token, gain = max(found.written.promoted, key=lambda pair: pair[1])
    assert bool(said["writes"]) == (f"{gain:.2f}" >= "0.50" or gain >= 1)
    assert bool(said["writes_little"]) == (not said["writes"])
    assert f"{max(gain, 0):.2f} logits" in (said["writes"] or said["writes_little"])
    if said["writes"]:
        assert readable(token).strip(".,") in said["writes"].replace("\\", "")


def check_pairs(said: dict, shown: data.Data) -> None:
    """The strongest pair, from the products of whole matrices."""
    lm = tlmviz.load(shown.chosen.model)
    heads, width = lm.config.n_heads, lm.config.d_model
    best = shown.pairs[shown.chosen.kind].max()
    assert bool(said["listens_to_none"]) == (lm.config.n_layers == 1)
    writer, reader = np.unravel_index(shown.pairs[shown.chosen.kind].argmax(), shown.pairs["k"].shape)
    through = {"k": "keys", "q": "queries", "v": "values"}[shown.chosen.kind]
    pair = f"L{reader // heads}H{reader % heads} does to L{writer // heads}H{writer % heads}"
    assert f"as {pair}: on a scale from 0 to 1 its {through}" in said["listens_most"]
    assert f"depend on it by {best:.2f}, where" in said["listens_most"] and said["listens_most"].endswith(
        f"{width**-0.5:.2f}."
    )


ANY = np.random.default_rng(0).integers((0, 0, 12, 0), (6, 6, 27, 12), (8, 4))  # layer, head, query, key
STATES = [
    state("stories-rope", DEFAULT_TEXT, (5, 0, 25, 17)),
    state("stories-rope", DEFAULT_TEXT, (5, 0, 25, 17), path=((4, 2, 17, 16),), at=1),
    state("stories-rope", DEFAULT_TEXT, (5, 0, 25, 17), path=((4, 2, 17, 16), (4, 2, 17, 16)), at=9, every=True),
    state("stories-rope", DEFAULT_TEXT, (5, 0, 25, 3)),
    state("stories-rope", DEFAULT_TEXT, (0, 0, 0, 0)),
    state("stories-rope", "cat", (3, 1, 1, 0)),
    state("stories-rope", FRENCH, (2, 4, 9, 5)),
    state("zoo-rope", tlmviz.load("zoo-rope").fit(LONG)[0], (1, 1, 200, 150)),
    state(POST, DEFAULT_TEXT, (1, 0, 20, 10)),
    *(state("stories-rope", DEFAULT_TEXT, tuple(map(int, pin))) for pin in ANY),
    *(state("stories-rope", DEFAULT_TEXT, (5, 0, 25, 17), view=HEADS, kind=kind) for kind in "kqv"),
]


def test_every_claim_is_what_the_model_says_and_silent_elsewhere():
    found = []
    for each in STATES:
        shown = data.compute(each)
        said = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
        if each.view == SCORE:
            check_score(said, shown)
            assert said["listens_most"] is None and said["listens_to_none"] is None
        else:
            check_pairs(said, shown)
            assert [name for name, text in said.items() if text] == ["listens_most"]
        found.append({name: text is not None for name, text in said.items() if name != "listens_to_none"})
    each_speaks_and_is_silent(found)


def test_one_layer_listens_to_none(monkeypatch):
    shown = data.compute(STATES[-1])
    monkeypatch.setattr(data, "_compositions", lambda model: {kind: np.zeros((6, 6), np.float32) for kind in "qkv"})
    assert claims.listens_most(shown) is None and "one layer" in claims.listens_to_none(shown)
