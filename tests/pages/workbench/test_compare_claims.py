"""What the page Compare claims, held against two passes that are laid side by side plainly."""

import numpy as np
import torch

import tlmviz
from pages.workbench.compare import claims
from pages.workbench.compare.data import Data
from pages.workbench.compare.page import PART
from pages.workbench.compare.state import MODELS, PRECISIONS, PROMPTS, Compare
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz.analysis.workbench import precisions
from tlmviz.errors import BadShape, Error
from tlmviz.ui.inputs import DEFAULT_TEXT
from tlmviz.ui.markdown import quoted

START = {name: control.default for name, control in Compare.controls.items()}
LONG = "The cat sat on the mat. " * 125  # 3,000 characters


class Truth:
    """Two passes; tokens are paired by the page's alignment, all else is computed from logits and maps."""

    def __init__(self, shown: Data):
        chosen, runs = shown.chosen, shown.runs
        one, two = (tlmviz.load(name) for name in (runs.model, runs.other))
        ids = [lm.encode(lm.fit(text)[0])[:256] for lm, text in zip((one, two), (runs.a, runs.b))]
        self.a, self.view, self.bits, self.lm = one.trace_ids(ids[0]), chosen.view, chosen.bits, one
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

    @property
    def unsure(self) -> bool:
        """So near to where a written number changes that the order of summing decides."""
        shares = *self.guess[1:], *np.sort(self.moved)[-2:]
        return any(abs(1000 * share - round(1000 * share)) > 0.497 for share in shares)

    @property
    def place(self) -> tuple[str, ...]:
        one, two = (
            quoted(trace.tokens[where[self.at]], int(where[self.at]))
            for trace, where in zip((self.a, self.b), self.rows)
        )
        return (one,) if self.here_alike else (one, two)

    @property
    def here_alike(self) -> bool:
        return self.a.ids[self.rows[0][self.at]] == self.b.ids[self.rows[1][self.at]]

    @property
    def alike(self) -> tuple[int, int]:
        """Paired tokens that are the same, and tokens of the longer text."""
        return sum(self.a.ids[i] == self.b.ids[j] for i, j in zip(*self.rows)), max(len(self.a), len(self.b))

    @property
    def compared(self) -> bool:
        same, length = self.alike
        return not self.same and (self.here_alike or same >= length / 2)


def _guess(t: Truth, moves: bool):
    token, one, two = t.guess
    if not t.compared or (round(one, 3) != round(two, 3)) != moves:
        return None
    change = {PROMPTS: (t.edits,), MODELS: (), PRECISIONS: (t.bits,)}[t.view]
    return (*change, *t.place, quoted(token), f"{one:.1%}", *([f"{two:.1%}"] if moves else []))


def _different(t: Truth):
    same, length = t.alike
    return None if t.same or t.compared else (same - 1, length - 1)  # the start is every text's


def _moved_most(t: Truth):
    order = np.argsort(-t.moved)
    first, second = (f"{share:.1%}" for share in t.moved[order[:2]])
    layer, head = divmod(int(order[0]), t.a.n_heads)
    return None if t.same or first in ("0.0%", second) else (f"L{layer}H{head}", first, second)


def _begins_alike(t: Truth):
    pairs = list(zip(t.a.ids, t.b.ids))
    alike = next((i for i, (x, y) in enumerate(pairs) if x != y), len(pairs))
    return None if t.same or alike < 2 else (alike - 1,)


PLAIN = {
    "nothing_differs": lambda t: () if t.same else None,
    "guess_moves": lambda t: _guess(t, True),
    "guess_stays": lambda t: _guess(t, False),
    "too_different": _different,
    "moved_most": _moved_most,
    "begins_alike": _begins_alike,
}
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
        shown = Data(state)
        try:
            truth = Truth(shown)
        except (BadShape, Error):
            continue
        if truth.unsure:
            continue
        found.append(agree(PART.parts[state.view].claims, PLAIN, shown, truth))
        if truth.same:
            assert ("in what both texts share" in claims.nothing_differs(shown)) == (truth.a.ids != truth.b.ids)
        elif said := claims.guess_moves(shown):
            _token, one, two = truth.guess
            assert (" falls from " in said, " rises from " in said) == (one > two, one < two)
    assert len(found) > 15
    each_speaks_and_is_silent([dict.fromkeys(PLAIN, False) | made for made in found])


def test_the_page_opens_on_its_claim():
    state = Compare(**{**START, "model": "stories-rope", "text": ""})
    said = claims.guess_moves(Data(state))
    assert (
        said
        == "1 token differs between the texts. After “red” (13) the guess “ball” falls from 90.9% in A to 3.9% in B."
    )


def test_the_case_is_handed_to_patch_where_the_texts_can_be():
    alike = Data(Compare(**{**START, "model": "stories-rope", "text": ""}))
    assert alike.patches
    other = Data(Compare(**{**START, "model": "stories-rope", "text": "", "b": "Lily had a very red hat."}))
    assert not other.patches
