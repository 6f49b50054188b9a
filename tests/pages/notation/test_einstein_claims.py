"""What the parts of the page Matrices and indices claim, held against loops over every index and plain singular
values."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tlmviz
from pages.notation.einstein.formulas import claims, data
from pages.notation.einstein.formulas.state import OWN as SIZES
from pages.notation.einstein.formulas.state import Formula
from pages.notation.einstein.rank import claims as rank_claims
from pages.notation.einstein.rank import data as rank_data
from pages.notation.einstein.rank.state import OWN, Rank
from tests.pages.states import agree, each_speaks_and_is_silent
from tlmviz.figures import readable
from tlmviz.figures.written import large
from tlmviz.ui import markdown
from tlmviz.ui.inputs import DEFAULT_TEXT

MODEL = "zoo-gqa"
TEXTS = (DEFAULT_TEXT, "Où est passé le chat 🐈 ? <b>Zoé</b> ne sait pas.", "Lily ran", "cat " * 750)
LOGITS = "L_{ts}^{(h)} = 1/sqrt(dk) Qhat_{th}^k Khat_{spi(h)k}"
LONG = "L_{ts}^{(h)} = 1/sqrt(dk) Htilde_t^f WQ_{hf}^d WK_{pi(h)cd} Htilde_s^c"


# --- formulas ---------------------------------------------------------------------------------------


def maps(text: str) -> dict[str, np.ndarray]:
    """The model's scores and weights of layer 1, and what a mask turned round and lost rotations make of them."""
    lm = tlmviz.load(MODEL)
    ids = lm.encode(text)[: data.TOKENS]
    trace = lm.trace_ids(ids, keep=lambda name: True)
    heads, size = lm.config.n_heads, len(ids)
    scores = np.stack([trace.scores(1, head, "scaled").double().numpy() for head in range(heads)], -1)
    turned = np.full_like(scores, 0.0)
    weights = np.full_like(scores, 0.0)
    for head in range(heads):
        for t in range(size):
            for keys, out in ((slice(t, None), turned), (slice(0, t + 1), weights)):
                row = scores[t, keys, head]
                out[t, keys, head] = np.exp(row - row.max()) / np.exp(row - row.max()).sum()
    q, k = (trace[f"blocks.1.attn.{name}"].double().numpy() for name in "qk")
    q, k = (each.reshape(-1, *each.shape[-3:])[0] if each.ndim > 3 else each for each in (q, k))
    return {"scores": scores, "weights": weights, "turned": turned, "size": np.array(size), "heads": np.array(heads)}


@pytest.mark.parametrize("text", TEXTS[:3])
def test_what_is_said_of_a_formula_is_what_loops_over_its_indices_make(text):
    truth = maps(text)
    t, h = int(truth["size"]), int(truth["heads"])
    start = Formula(model=MODEL, text=text, layer=1)
    right = data.Data(start)
    assert claims.is_the_models(right).values[:3] == ("L", MODEL, f"{t} × {t} × {h} (t, s, h)")
    np.testing.assert_allclose(right.result.value.numpy(), truth["scores"], atol=2e-4 * np.abs(truth["scores"]).max())
    assert claims.differs(right) is claims.runs(right) is claims.cannot_run(right) is None

    turned = data.Data(replace(start, line="Weights", formula="A_{ts}^{(h)} = softmax_{s>=t}(L_{ts}^{(h)})"))
    np.testing.assert_allclose(turned.result.value.numpy(), truth["turned"], atol=1e-4)
    apart = np.abs(truth["turned"] - truth["weights"]).max() / truth["weights"].max()
    name, share, why = claims.differs(turned).values
    assert float(share.rstrip("%")) == pytest.approx(100 * apart, abs=0.2)
    assert (name, why) == ("A", "a causal mask turned round")

    hidden = data.Data(replace(start, line="Weights", formula="A_{ts}^{(h)} = softmax_{s<t}(L_{ts}^{(h)})"))
    assert np.isnan(hidden.result.value.numpy()).any()
    assert claims.no_numbers(hidden).values == (MODEL, "A", f"{t} × {t} × {h} (t, s, h)")


def found_of(formula: str, text: str = TEXTS[2], **rest) -> tuple[data.Data, dict[str, bool]]:
    shown = data.Data(Formula(model=MODEL, text=text, layer=1, formula=formula, **rest))
    return shown, {claim.__name__: claim(shown) is not None for claim in claims.CLAIMS}


def test_each_claim_of_a_formula_speaks_where_it_holds_and_nowhere_else():
    found = []
    for formula, speaks, rest in (
        ("", "is_the_models", {}),
        (LONG, "differs", {}),
        ("L_{ts} = 1/sqrt(dk) Qhat_{th}^k Khat_{spi(h)k}", "runs", {}),
        ("L_{ts}^{(h)} = Qhut_{th}^k Khat_{spi(h)k}", "cannot_run", {}),
        ("A_{ts}^{(h)} = softmax_{s<t}(L_{ts}^{(h)})", "no_numbers", {"line": "Weights"}),
        ("2 + 3", "runs", {"whose": SIZES}),
        ("Aout_t^f = Y_{th}^d WO_{hd}^f", "is_the_models", {"line": "Merge"}),
    ):
        shown, now = found_of(formula, **rest)
        first = [name for name in list(now)[:5] if now[name]]
        assert first == [speaks], (formula, first)
        found.append(now)
    each_speaks_and_is_silent(found)
    shown, now = found_of("Aout_t^f = Y_{th}^d WO_{hd}^f", line="Merge")
    [what] = claims.breaks_rules_only(shown).values
    assert "same height" in what
    shown, now = found_of(LONG)
    assert claims.differs(shown).values[2:] == ("RoPE, which turns queries and keys by their positions,", MODEL)
    assert "RoPE" not in claims.differs(found_of("L_{ts}^{(h)} = 1/dk Qhat_{th}^k Khat_{spi(h)k}")[0])


def test_what_is_said_of_an_order_is_what_counting_operations_says():
    shown, now = found_of(LONG)
    sizes = shown.result.checked.sizes
    everything = math.prod(sizes[letter] for letter in "tshfcd" if letter in sizes)
    values = claims.order_saves(shown).values
    count, at_once = len(shown.order.inputs), shown.order.at_once
    assert values[:3] == (count, large(shown.order.operations), large(at_once))
    assert everything <= at_once <= 2 * count * everything
    assert sum(pair.operations for pair in shown.order.pairings) == shown.order.operations < at_once
    assert float(values[3].replace(",", "")) == pytest.approx(at_once / shown.order.operations, rel=0.05)
    assert claims.order_saves(found_of(LOGITS)[0]) is None


def test_the_letters_are_counted():
    shown, _now = found_of("")
    lm = tlmviz.load(MODEL)
    count = len(lm.encode(TEXTS[2]))
    said = claims.letters(shown)
    assert said.startswith(f"t: the token that looks, {count} · s: a token that is looked at, {count}")
    assert f"h: heads, {lm.config.n_heads}" in said


# --- rank-1 -----------------------------------------------------------------------------------------


class Plain:
    """A matrix, its terms as whole matrices, and its singular values by NumPy."""

    def __init__(self, shown: rank_data.Data):
        self.shown, chosen = shown, shown.chosen
        if chosen.source == OWN:
            parts = [
                np.array([[float(x) for x in row.split()] for row in part.split(";")])
                for part in chosen.typed.split("×")
            ]
        else:
            lm = tlmviz.load(chosen.model)
            trace = lm.trace_ids(lm.encode(chosen.text), keep=lambda name: True)
            product = shown.product
            parts = [product.left, *([] if product.right is None else [product.right])]
            if chosen.source == "P V":
                weights = trace.attention(chosen.layer, chosen.head).double().numpy()
                rows = len(parts[0])
                np.testing.assert_allclose(parts[0], weights[:rows, : parts[0].shape[1]], atol=1e-5)
        self.whole = parts[0] if len(parts) == 1 else parts[0] @ parts[1]
        rows, columns = self.whole.shape
        self.way = chosen.way if len(parts) == 2 or chosen.way != "product" else "columns"
        u, values, v = np.linalg.svd(self.whole, full_matrices=False)
        self.values = values
        self.rank = int((values > 1e-12 * max(values[0], 1e-300)).sum())
        self.every = {
            "columns": [self.whole * (np.arange(columns) == j) for j in range(columns)],
            "rows": [self.whole * (np.arange(rows) == i)[:, None] for i in range(rows)],
            "singular": [values[k] * np.outer(u[:, k], v[k]) for k in range(len(values))],
        }
        if len(parts) == 2:
            self.every["product"] = [np.outer(parts[0][:, k], parts[1][k]) for k in range(len(parts[1]))]
        self.count = min(chosen.count, len(self.every[self.way]))

    def ordered(self, way: str, largest: bool) -> list[np.ndarray]:
        terms = self.every[way]
        return sorted(terms, key=lambda term: -np.linalg.norm(term)) if largest else terms

    def left(self, way: str, count: int, largest: bool = True) -> float:
        size = np.linalg.norm(self.whole)
        rest = self.whole - sum(self.ordered(way, largest)[:count], np.zeros_like(self.whole))
        return float(np.linalg.norm(rest) / size) if size else 0.0

    def mine(self) -> tuple[str, str]:
        sort = self.shown.chosen.sorted or self.way == "singular"
        return share(self.left(self.way, self.count, sort)), share(self.left("singular", self.count))

    def needed(self, way: str) -> int:
        terms = len(self.every[way])
        return next(k for k in range(terms + 1) if self.left(way, k) <= 0.1 + 1e-12)

    def shape(self) -> tuple[int, int]:
        return self.whole.shape


def share(part: float) -> str:
    return f"{100 * part:.1f}%" if part >= 0.0005 or part < 5e-7 else f"{float(f'{100 * part:.1e}'):.15g}%"


def _left(t: Plain, singular: bool) -> bool:
    return bool(t.rank and t.count) and (t.way == "singular") == singular


def _name(t: Plain) -> str:
    names = {"P V": "by token", "W_V W_O": "by dimension", OWN: "column × row"}
    return names[t.shown.chosen.source] if t.way == "product" else f"by {t.way}"


def _fewer(t: Plain):
    if not t.rank or t.way == "singular" or t.needed("singular") >= t.needed(t.way):
        return None
    return t.needed("singular"), t.needed(t.way), _name(t)


def _loudest(t: Plain):
    if t.shown.chosen.source != "P V" or not t.rank or len(t.shown.tokens) < 2:
        return None
    sizes = [float(np.linalg.norm(term)) for term in t.every["product"]]
    first, second = sorted(sizes, reverse=True)[:2]
    at = int(np.argmax(sizes))
    token = markdown.plain(readable(t.shown.tokens[at]))
    return None if f"{first:.2f}" == f"{second:.2f}" else (token, at, f"{first:.2f}")


PLAIN = {
    "all_zeros": lambda t: None if t.rank else (),
    "no_term": lambda t: (t.rank,) if t.rank and not t.count else None,
    "best_there_is": lambda t: (t.count, t.mine()[0], *t.shape(), t.rank) if _left(t, True) else None,
    "better_ones": lambda t: (
        (t.count, _name(t), t.mine()[0], *t.shape(), t.mine()[1], t.rank)
        if _left(t, False) and t.mine()[0] != t.mine()[1]
        else None
    ),
    "no_better_ones": lambda t: (
        (t.count, _name(t), t.mine()[0], *t.shape(), t.rank) if _left(t, False) and t.mine()[0] == t.mine()[1] else None
    ),
    "loudest_token": _loudest,
    "fewer_will_do": _fewer,
}


def rank_states():
    own = Rank(model="", text="")
    for typed, way, count, rest in (
        (own.typed, "product", 4, {}),
        (own.typed, "singular", 1, {}),
        (own.typed, "rows", 0, {}),
        ("0 0; 0 0", "columns", 2, {}),
        ("1 2; 2 4", "columns", 2, {}),
        ("1 2 0; 0 1 -4 × 3 1; 0 5; -2 2", "product", 1, {"sorted": False}),
        ("1 2 3", "rows", 1, {}),
        ("3 0; 0 1", "columns", 1, {}),
        ("7", "singular", 9999, {}),
    ):
        yield replace(own, typed=typed, way=way, count=count, **rest)
    for text, source, way, count in (
        (TEXTS[0], "P V", "product", 4),
        (TEXTS[1], "P V", "singular", 3),
        (TEXTS[2], "W_V W_O", "product", 5),
        (TEXTS[2], "W_O", "rows", 8),
        (TEXTS[2], "P V", "columns", 1),
    ):
        yield Rank(model="stories-rope", text=text, layer=2, head=5, source=source, way=way, count=count)


def test_what_is_said_of_a_matrix_is_what_its_terms_added_up_say():
    found = []
    for state in rank_states():
        shown = rank_data.Data(state)
        found.append(agree(rank_claims.CLAIMS, PLAIN, shown, Plain(shown)))
        assert sum(list(found[-1].values())[:5]) == 1, state
    each_speaks_and_is_silent(found)


def test_a_share_is_written_as_the_picture_writes_it():
    assert [rank_claims.share(part) for part in (0.0, 1.0, 0.33333, 1e-4, 3e-7)] == [
        "0.0%",
        "100.0%",
        "33.3%",
        "0.01%",
        "0.0%",
    ]
