"""What the page Compare claims, held against two passes that are laid side by side plainly."""

import numpy as np
import pytest
import torch

import tlmviz
from pages.workbench.compare import claims, data
from pages.workbench.compare.state import MODELS, PRECISIONS, PROMPTS, Compare
from tests.pages.states import each_speaks_and_is_silent, states
from tlmviz.analysis.workbench import precisions
from tlmviz.errors import BadShape, Error
from tlmviz.figures import readable
from tlmviz.ui.inputs import DEFAULT_TEXT

START = {name: control.default for name, control in Compare.controls.items()}
LONG = "The cat sat on the mat. " * 125  # 3,000 characters


class Truth:
    """Two passes; tokens are paired by the page's alignment, all else is computed from logits and maps."""

    def __init__(self, shown: data.Data):
        chosen, runs = shown.chosen, shown.runs
        one, two = (tlmviz.load(name) for name in (runs.model, runs.other))
        ids = [lm.encode(lm.fit(text)[0])[:256] for lm, text in zip((one, two), (runs.a, runs.b))]
        self.a, self.view, self.lm = one.trace_ids(ids[0]), chosen.view, one
        if runs.rounded is None:
            self.b = two.trace_ids(ids[1])
        else:
            rounded = {"weights": precisions.weights_rounded, "cache": precisions.cache_rounded}[runs.rounded[0]]
            self.b = rounded(two, ids[1], runs.rounded[1])
        pairs = shown.comparison.alignment
        self.rows, self.edits = (pairs.a, pairs.b), pairs.edits
        self.logs = [trace.logits.double().log_softmax(-1)[where] for trace, where in zip((self.a, self.b), self.rows)]
        self.kl = self._kl(*self.logs)
        self.at = shown.furthest
        assert self.kl[self.at] > self.kl.max() - 1e-6, "nothing is further apart, but for rounding"
        self.moved = np.array([self._moved(i, j) for i in range(self.a.n_layers) for j in range(self.a.n_heads)])
        most = 0.0 if ids[0] == ids[1] else 1e-5
        self.same = float(self.kl.max()) <= most and bool((self.moved <= most).all())

    def _kl(self, p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
        return (p.exp() * (p - q)).sum(-1)

    def _moved(self, layer: int, head: int) -> float:
        one, two = (
            trace.attention(layer, head).double().numpy()[np.ix_(where, where)]
            for trace, where in zip((self.a, self.b), self.rows)
        )
        elsewhere = np.abs(two.sum(1) - one.sum(1))
        return float(((np.abs(two - one).sum(1) + elsewhere) / 2).mean())

    @property
    def guess(self) -> tuple[str, float, float]:
        one, two = (logs[self.at].exp() for logs in self.logs)
        token = int((one - two).abs().argmax())
        return self.lm.tokenizer.name(token), float(one[token]), float(two[token])


def near(share: float) -> bool:
    """So near to where its written number changes that the order of summing decides."""
    return abs(1000 * share - round(1000 * share)) > 0.48


def check(said: dict, truth: Truth) -> None:
    """Every claim against the truth."""
    assert bool(said["nothing_differs"]) == truth.same
    if truth.same:
        assert [name for name, text in said.items() if text] == ["nothing_differs"]
        assert ("in what both texts share" in said["nothing_differs"]) == (truth.a.ids != truth.b.ids)
        return
    token, one, two = truth.guess
    places = [int(where[truth.at]) for where in truth.rows]
    place, (here, there) = (f"({places[0]})", (trace.ids[at] for trace, at in zip((truth.a, truth.b), places)))
    place += "" if here == there else f" in A and “{readable(truth.b.tokens[places[1]])}” ({places[1]}) in B"
    same = sum(truth.a.ids[i] == truth.b.ids[j] for i, j in zip(*truth.rows))
    length = max(len(truth.a), len(truth.b))
    compared = here == there or same >= length / 2
    assert bool(said["too_different"]) == (not compared)
    if not compared:
        assert f"have {same - 1} of {length - 1} tokens" in said["too_different"]
        assert said["guess_moves"] is None and said["guess_stays"] is None
    elif not near(one) and not near(two):
        moves = round(one, 3) != round(two, 3)
        first = said["guess_moves"] or said["guess_stays"]
        assert (bool(said["guess_moves"]), bool(said["guess_stays"])) == (moves, not moves)
        assert (" falls from " in first, " rises from " in first) == (one > two and moves, one < two and moves)
        assert f"{one:.1%}" in first and f"{two:.1%}" in first and place in first
        assert readable(token) in first.replace("\\", "")
        start = {PROMPTS: f"{truth.edits} token", MODELS: "Two models", PRECISIONS: ""}[truth.view]
        assert first.startswith(start)
    order = np.argsort(-truth.moved)
    (most, second), heads = truth.moved[order[:2]], truth.a.n_heads
    if not near(most) and not near(second):
        alone = f"{most:.1%}" not in ("0.0%", f"{second:.1%}")
        assert (bool(said["moved_most"]), bool(said["moved_alike"])) == (alone, not alone)
        assert f"{most:.1%}" in (said["moved_most"] or said["moved_alike"])
        if alone:
            assert said["moved_most"].startswith(f"**L{order[0] // heads}H{order[0] % heads}**")
            assert said["moved_most"].endswith(f"more than {second:.1%}.")
    back = truth._kl(*truth.logs[::-1])[truth.at]
    for name, kl in (("KL(A‖B) is ", truth.kl[truth.at]), ("KL(B‖A) ", back)):
        written = said["furthest_apart"].split(name)[1]
        if kl > 1.1e-5:
            assert float(written.split(" ")[0].rstrip(".").replace("−", "-")) == pytest.approx(float(kl), rel=0.01)
        elif kl < 0.9e-5:
            assert written.startswith("under 0.00001")
    assert place in said["furthest_apart"]
    ids = list(zip(truth.a.ids, truth.b.ids))
    alike = next((i for i, (x, y) in enumerate(ids) if x != y), len(ids))
    assert bool(said["begins_alike"]) == (truth.view == PROMPTS and alike > 1)
    if said["begins_alike"]:  # the start is every text's
        assert ("first token**" if alike == 2 else f"first {alike - 1} tokens**") in said["begins_alike"]
    assert bool(said["no_token_shared"]) == (truth.view == PROMPTS and same <= 1)
    least = truth.moved.min()
    if not near(least):
        assert bool(said["every_head_moved"]) == (truth.view == MODELS and f"{least:.1%}" != "0.0%")
        assert not said["every_head_moved"] or f"has {least:.1%} of" in said["every_head_moved"]


OWN = [
    {"a": "Un chat 😀 dort.", "b": "Un chien 😀 dort."},
    {"a": "cat", "b": "cat"},
    {"a": "Tom ran 😀", "b": "Tom ran"},
    {"a": "cat", "b": "dog"},
    {"a": LONG, "b": LONG.replace("cat", "dog", 1)},
    {"a": "Tom ran.", "b": "a b c d e f g"},
    {"a": Compare.a.default, "b": "Hello"},
    {"a": "Sara was happy.", "b": "Sara was sad."},
    {"a": "Sara was happy.", "b": "Sara was not happy."},
    {"view": MODELS, "other": "zoo-dense"},
    {"view": MODELS, "other": "zoo-rope"},
    {"view": PRECISIONS, "bits": "Keys and values FP8"},
    {"view": PRECISIONS, "bits": "Weights FP16", "text": "Tom ran."},
]


def test_every_claim_is_what_two_passes_say_and_silent_elsewhere():
    given, found = {"model": "zoo-rope", "text": DEFAULT_TEXT, "other": "stories-dense"}, []
    own = [Compare(**{**START, **given, **each}) for each in OWN]
    for state in [*states(Compare, given), *own]:
        try:
            shown = data.compute(state)
        except (BadShape, Error):
            continue
        said = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
        check(said, Truth(shown))
        found.append({name: text is not None for name, text in said.items()})
    assert len(found) > 15
    each_speaks_and_is_silent(found)


def test_the_page_opens_on_its_claim():
    state = Compare(**{**START, "model": "stories-rope", "text": ""})
    said = claims.guess_moves(data.compute(state))
    assert (
        said
        == "1 token differs between the texts. After “red” (13) the guess “ball” falls from 90.9% in A to 3.9% in B."
    )


def test_the_case_is_handed_to_patch_where_the_texts_can_be():
    alike = data.compute(Compare(**{**START, "model": "stories-rope", "text": ""}))
    assert alike.patches
    other = data.compute(Compare(**{**START, "model": "stories-rope", "text": "", "b": "Lily had a very red hat."}))
    assert not other.patches
