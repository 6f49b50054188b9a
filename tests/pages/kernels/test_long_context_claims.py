"""What the parts of the page Long context claim, held against plain passes of small models."""

import numpy as np
import pytest
import torch

import tlmviz
from pages.kernels.long_context import data as page
from pages.kernels.long_context.data import Text
from pages.kernels.long_context.indexer import claims as indexer_claims
from pages.kernels.long_context.indexer.data import Data as Indexer
from pages.kernels.long_context.indexer.state import Indexing
from pages.kernels.long_context.maps import claims as map_claims
from pages.kernels.long_context.maps.data import Data as Maps
from pages.kernels.long_context.maps.state import Tile
from pages.kernels.long_context.masks import claims as mask_claims
from pages.kernels.long_context.masks.data import Data as Masks
from pages.kernels.long_context.masks.data import Row
from pages.kernels.long_context.masks.state import Sparse
from pages.kernels.long_context.reading import claims as reading_claims
from pages.kernels.long_context.reading.data import Data as Read
from pages.kernels.long_context.reading.state import Reading
from pages.kernels.long_context.state import Long
from tests.pages.states import each_speaks_and_is_silent, states
from tlmviz.figures import number
from tlmviz.ui import long_text

ENGLISH, FRENCH, WORD, LONG = "Lily had a red ball.", "Le chat 😀 voit le chien.", "a", "The cat sat. " * 230


def default(cls) -> dict:
    return {name: control.default for name, control in cls.controls.items()}


def text_of(text: str, model: str = "zoo-rope", head=(0, 0), query: int | None = None) -> Text:
    chosen = Long(**default(Long) | {"source": long_text.OWN, "own": text}, model=model)
    return Text(chosen, text, head, query)


def plainly(found: Text, head: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Losses of each next token from one plain pass, and a head's map."""
    lm = found.lm
    ids = torch.tensor([list(found.passage.ids)])
    with torch.inference_mode():
        logits = lm(ids)[0].double()
    losses = torch.nn.functional.cross_entropy(logits[:-1], ids[0, 1:], reduction="none").numpy()
    return losses, lm.trace_ids(list(found.passage.ids)).attention(*head).double().numpy()


def signed(nats: float) -> str:
    return number(round(nats, 3) + 0.0, "+.3f")


def said_of(claims, shown) -> dict:
    return {claim.__name__: claim(shown) for claim in claims}


def test_every_length_of_text_is_a_choice_of_the_page():
    for chosen in states(Long, {"model": "zoo-rope"}, count=4):
        assert chosen.is_own == (chosen.source == long_text.OWN and bool(chosen.own))


def test_losses_and_looks_are_those_of_a_plain_pass():
    found, context = [], tlmviz.load("zoo-rope").config.context
    heads = [(layer, head) for layer in range(4) for head in range(8)]
    cases = [
        (ENGLISH, (1, 2)),
        (FRENCH, (0, 0)),
        (WORD, (0, 1)),
        (LONG, (1, 2)),
        *((LONG[:1200], head) for head in heads[::5]),
    ]
    for text, head in cases:
        read = text_of(text, head=head)
        shown = Maps(read, Tile(**default(Tile)), read.passage)
        said = said_of(map_claims.CLAIMS, shown)
        loss, weights = plainly(read, head)
        within, beyond = loss[: context - 1], loss[context - 1 :]
        assert bool(said["beyond_training"]) == bool(len(beyond))
        assert bool(said["within_training"]) == bool(len(within) and not len(beyond))
        first = said["beyond_training"] or said["within_training"]
        assert first is None or number(float(within.mean()), ".2f") in first and f"{len(loss) + 1:,}" in first
        if len(beyond):
            worse = float(beyond.mean()) > float(within.mean())
            assert f"with {beyond.mean():.2f} nats" in first and ("worse" in first) == worse
        rows = np.arange(1, len(weights))
        previous = weights[rows, rows - 1].mean() if len(rows) else 0
        sink, far = weights[1:, 0].mean() if len(rows) else 0, 0.0
        if len(rows):
            far = np.mean([weights[t, : max(0, t - context + 1)].sum() for t in rows])
        assert bool(said["looks_before"]) == (previous >= 0.5)
        assert not said["looks_before"] or f"puts {previous:.2f} of" in said["looks_before"]
        assert bool(said["sinks"]) == (sink >= 0.5)
        assert not said["sinks"] or f"puts {sink:.2f} of" in said["sinks"]
        assert bool(said["looks_beyond"]) == (f"{far:.3f}" != "0.000")
        assert not said["looks_beyond"] or f"puts {far:.3f} of" in said["looks_beyond"]
        best = max((float(each.beyond.max()), layer) for layer, each in enumerate(shown.surveys))
        own = float(shown.surveys[head[0]].beyond[head[1]])
        assert bool(said["farthest"]) == (f"{best[0]:.3f}" != "0.000" and own < best[0])
        found.append({name: text is not None for name, text in said.items()})
    rare = {name: name in ("sinks", "looks_before") for name in found[0]}
    each_speaks_and_is_silent([*found, rare])


def test_a_pinned_word_reads_what_a_plain_map_says():
    found, context = [], tlmviz.load("zoo-rope").config.context
    cases = [
        (ENGLISH, (1, 2), None),
        (FRENCH, (0, 0), 3),
        (WORD, (0, 1), None),
        (WORD, (0, 1), 0),
        (LONG, (2, 3), None),
    ]
    cases += [(LONG[:1400], (layer, 3), query) for layer in range(4) for query in (50, 150, 300)]
    for text, head, query in cases:
        read = text_of(text, head=head, query=query)
        shown = Read(read, Reading(**default(Reading)), read.passage)
        said = said_of(reading_claims.CLAIMS, shown)
        _, weights = plainly(read, head)
        assert query is None or shown.query == query
        row = weights[shown.query, : shown.query + 1]
        key, past = int(row.argmax()), shown.query - context + 1
        beyond = row[: max(0, past)].sum() if past > 0 else 0
        assert bool(said["beyond_training"]) == (f"{beyond:.3f}" != "0.000")
        assert not said["beyond_training"] or f"puts {beyond:.3f} of" in said["beyond_training"]
        back = shown.query - key
        kind = "rests" if key == 0 or back == 0 else "looks_far" if back >= 64 else "looks_near"
        for name in ("looks_far", "looks_near", "rests"):
            assert bool(said[name]) == (name == kind)
        assert f"{row[key]:.2f} of its weight" in said[kind] and (
            kind != "looks_far" or f"{back:,} tokens back" in said[kind]
        )
        assert bool(said["read_far"]) != bool(said["none_far"])
        if said["read_far"]:
            layer, best, value = shown.far[0]
            assert f"L{layer}H{best}" in said["read_far"] and f"{value:.2f} on average" in said["read_far"]
            mean = [weights[t, 1 : t - 63].max() for t in range(65, len(weights))]
            each = page.far_heads(read.passage)
            assert each[head] == pytest.approx(np.mean(mean), abs=1e-5) and value == each.max() == each[layer, best]
        found.append({name: text is not None for name, text in said.items()})
    each_speaks_and_is_silent([*found, {name: name == "looks_far" for name in found[0]}])


def of_rows(rows: list[Row], text: str = ENGLISH, **changes) -> Masks:
    read = text_of(text)
    shown = Masks(read, Sparse(**default(Sparse) | changes), read.passage)
    shown.__dict__["rows"] = rows
    return shown


def row(method: str, flops: float, change: float, mass: float = 0.8) -> Row:
    return Row(method, flops, 10.0, 10, 10, mass, 0.1, 2.0, change)


def test_methods_are_judged_by_their_losses():
    found, full = [], row("Full", 100, 0.0, 1.0)
    shown = [
        of_rows(rows)
        for rows in (
            [full],
            [full, row("A", 50, 0.001), row("B", 20, 0.5)],
            [full, row("A", 50, 0.2)],
            [full, row("A", 150, 0.0)],
            [full, row("A", 50, -0.02, 1.0), row("B", 10, 0.004, 0.999)],
        )
    ]
    chosen = {"methods": ("Sliding window", "Performer"), "window": 4, "features": 16}
    for text in (ENGLISH, FRENCH, WORD):
        read = text_of(text)
        shown.append(Masks(read, Sparse(**default(Sparse) | chosen), read.passage))
    for each in shown:
        said, rows = said_of(mask_claims.CLAIMS, each), each.rows
        others = [row for row in rows[1:] if row.change == row.change]
        free = [row for row in others if row.change < 0.01 and row.flops < rows[0].flops]
        cheap = min(free, key=lambda row: row.flops, default=None)
        assert bool(said["loses_nothing"]) == bool(cheap)
        cheaper = [row for row in others if row.flops < rows[0].flops]
        assert bool(said["all_lose"]) == bool(cheaper and not cheap)
        assert bool(said["nothing_compared"]) == (not others)
        if cheap:
            assert (
                said["loses_nothing"].startswith(f"*{cheap.method}*") and signed(cheap.change) in said["loses_nothing"]
            )
            assert f"{cheap.flops / rows[0].flops:.0%} of the operations" in said["loses_nothing"]
        worst = max(others, key=lambda row: row.change, default=None)
        loses = worst is not None and worst.change >= 0.01 and len(others) > 1
        assert bool(said["loses_most"]) == loses
        assert not loses or f"*{worst.method}*: {signed(worst.change)}" in said["loses_most"]
        missed = cheap and round(100 * (1 - cheap.mass)) > 0
        assert bool(said["covers_less_than_it_loses"]) == bool(missed)
        assert not missed or f"misses {1 - cheap.mass:.0%}" in said["covers_less_than_it_loses"]
        whole = [row.method for row in rows[1:] if row.flops >= rows[0].flops]
        assert bool(said["sees_everything"]) == bool(whole) and all(
            name in (said["sees_everything"] or "") for name in whole
        )
        found.append({name: text is not None for name, text in said.items()})
    each_speaks_and_is_silent(found)
    real = shown[-3]
    losses = {}
    for method in (None, real.methods["Sliding window"]):
        from tlmviz.analysis.kernels import sparse_methods

        losses[method is None] = sparse_methods.mean_loss(real.found.lm, list(real.passage.ids), method)
    assert real.rows[1].change == pytest.approx(losses[False] - losses[True], abs=1e-5)


def test_a_loss_over_a_texts_beginning_is_not_joined_with_the_attention_of_all_of_it():
    said = said_of(mask_claims.CLAIMS, of_rows([row("Full", 100, 0.0, 1.0), row("A", 50, -0.02)], 2 * LONG))
    assert "over the first 1,024 tokens the loss differs by −0.020" in said["loses_nothing"]
    assert said["covers_less_than_it_loses"] is None


def test_the_indexer_is_judged_by_its_losses():
    found = []
    for text, k in ((ENGLISH, 2), (ENGLISH, 1024), (FRENCH, 4), (LONG[:600], 1), (LONG[:600], 16)):
        read = text_of(text, "stories-rope")
        shown = Indexer(read, Indexing(**default(Indexing) | {"k": k, "layer": 2}), text)
        said = said_of(indexer_claims.CLAIMS, shown)
        own, recent = (shown.losses[how] - shown.losses["dense"] for how in ("indexer", "recent"))
        written = signed(own), signed(recent)
        assert bool(said["both_alike"]) == (written[0] == written[1])
        assert bool(said["recent_is_better"]) == (written[0] != written[1] and own > recent)
        assert bool(said["indexer_is_better"]) == (written[0] != written[1] and own < recent)
        judged = said["recent_is_better"] or said["indexer_is_better"] or said["both_alike"]
        assert all(part in judged for part in written)
        dense = k >= shown.length
        assert bool(said["all_keys"]) == dense == (not said["holds"])
        if not dense:
            held = [float(shown.recall[how][2, k - 1]) for how in ("indexer", "attention")]
            assert f"hold {held[0]:.0%} of" in said["holds"] and f"of it, {held[1]:.0%}" in said["holds"]
            assert held[0] <= held[1] + 1e-6
        means = [float(shown.recall[how][:, shown.k - 1].mean()) for how in ("indexer", "recent")]
        more = bool(said["recent_is_better"]) and f"{means[0]:.0%}" != f"{means[1]:.0%}" and means[0] > means[1]
        assert bool(said["recent_holds_less"]) == more
        found.append({name: text is not None for name, text in said.items()})
    made_up = [{name: name == which for name in found[0]} for which in ("indexer_is_better", "recent_holds_less")]
    each_speaks_and_is_silent([*found, *made_up])
