"""What the page Attention explorer claims, held against queries and keys that are multiplied plainly, and the model's
logits."""

import re
from functools import cached_property

import numpy as np
import torch

import tlmviz
from pages.attention.explorer import claims, data
from pages.attention.explorer.state import Explorer
from tests.pages.helpers import by_title, open_page
from tests.pages.states import MOST, above_the_picture, agree, each_speaks_and_is_silent, left_without
from tlmviz.analysis.attention.attribution import attribute_logit
from tlmviz.tokens import output_names
from tlmviz.ui import link
from tlmviz.ui.inputs import DEFAULT_TEXT, EXAMPLES
from tlmviz.ui.looking import comes_again, looks_too
from tlmviz.ui.markdown import quoted

START = {name: control.default for name, control in Explorer.controls.items()}
FRENCH = "Le chat 😀 voit le chat. Le chien voit le"
LONG = "The cat sat on the mat. " * 125


def state(text: str, head: tuple[int, int], query: int | None, model: str = "stories-rope", **values) -> Explorer:
    return Explorer(**START | {"model": model, "text": text, "view": link.View(head=head, query=query)} | values)


def percent(share) -> str:
    return f"{float(share):.0%}"


class Truth:
    """A head's row by its queries and keys, and what is expected next."""

    def __init__(self, chosen: Explorer):
        self.chosen, self.lm = chosen, tlmviz.load(chosen.model)
        self.trace = trace = self.lm.trace(chosen.text)
        (layer, head), ids = chosen.view.head, trace.ids
        self.at = at = len(ids) - 1 if chosen.view.query is None else chosen.view.query
        q, k, _ = (x.double() for x in trace.qk(layer, head))
        self.row = torch.softmax(k[: at + 1] @ q[at] * trace.specs[layer].scale, 0)
        self.best, self.head = int(self.row.argmax()), f"L{layer}H{head}"
        self.logits = self.lm(torch.tensor([ids]))[0, at]
        p = self.logits.double().softmax(-1)
        self.expected, self.p = int(p.argmax()), percent(p.max())
        self.followed = 0 < self.best <= at and ids[self.best - 1] == ids[at]
        self.again = self.followed and ids[self.best] == self.expected

    def token(self, place: int) -> str:
        return quoted(self.trace.tokens[place], place)

    def name(self, token: int) -> str:
        return quoted(output_names(self.lm.tokenizer, [token])[0])

    @property
    def looked(self) -> tuple[str, str]:
        return self.token(self.at), self.head

    @cached_property
    def without(self) -> torch.Tensor:
        """Probabilities without the muted heads."""

        def silent(heads: list[int]):
            def edit(z, record):
                return z * torch.tensor([head not in heads for head in range(z.shape[1])])[None, :, None, None]

            return edit

        muted = self.chosen.view.mute
        edits = {f"blocks.{layer}.attn.z": silent([head for row, head in muted if row == layer]) for layer, _ in muted}
        return self.lm.trace(self.chosen.text, edit=edits).logits[self.at].double().softmax(-1)

    @property
    def muted(self) -> tuple:
        """The heads as they are listed."""
        names = [f"L{layer}H{head}" for layer, head in self.chosen.view.mute]
        *first, last = names if len(names) <= 3 else [*names[:3], len(names) - 3]
        return (*([", ".join(first)] if first else []), last)


def _lost(t: Truth):
    if not t.chosen.view.mute or (now := int(t.without.argmax())) == t.expected:
        return None
    return *t.muted, t.name(t.expected), t.p, percent(t.without[t.expected]), t.name(now), percent(t.without[now])


def _kept(t: Truth):
    if not t.chosen.view.mute or int(t.without.argmax()) != t.expected:
        return None
    left = percent(t.without[t.expected])
    return *t.muted, t.name(t.expected), left, *([t.p] if left != t.p else [])


def _in_vain(t: Truth):
    if not t.followed or t.again:
        return None
    return *t.looked, percent(t.row[t.best]), t.token(t.best), t.name(t.expected), t.p


def _looks(t: Truth):
    if t.followed:
        return None
    key = [] if t.best == t.at else [t.token(t.best)]
    return *t.looked, *key, percent(t.row[t.best]), t.name(t.expected), t.p


def _adds_most(t: Truth):
    word = t.chosen.word
    if word is None:
        return None
    parts = attribute_logit(t.lm, t.trace, t.at, word)
    layer, head = np.unravel_index(int(parts.heads.argmax()), tuple(parts.heads.shape))
    if float(part := f"{float(parts.heads.max()):.2f}") <= 0:
        return None
    return layer, head, quoted(t.lm.tokenizer.name(word)), part, f"{float(t.logits[word]):.2f}".replace("-", "−")


PLAIN = {"lost": _lost, "kept": _kept, "comes_again_in_vain": _in_vain, "looks": _looks, "adds_most": _adds_most}


def has(said: str, *parts: str) -> bool:
    """Whether sentences have these parts, in this order."""
    return bool(re.search(".*".join(map(re.escape, parts)), said))


def check_again(said: str | None, t: Truth) -> None:
    """What comes again, in one sentence, and what hangs on the head, in another."""
    assert bool(said) == t.again
    if said:
        left, still = left_without(t.lm, t.chosen.text, t.chosen.view.head, t.at)
        ends = [left] if still else ["expects", left]
        assert has(said, *t.looked, percent(t.row[t.best]), t.token(t.best), t.p, "ithout", *ends)


def check_others(said: str | None, t: Truth) -> None:
    """The other head that looks at the key most, where one gives it half, and what hangs on that one."""
    rows = {
        (layer, head): t.trace.attention(layer, head, slice(t.at, t.at + 1))[0]
        for layer in range(t.trace.n_layers)
        for head in range(t.trace.n_heads)
    }
    there = {
        head: float(row[t.best])
        for head, row in rows.items()
        if t.again and head != t.chosen.view.head and int(row.argmax()) == t.best
    }
    other = max(there, key=there.get, default=None)
    assert bool(said) == (other is not None and there[other] >= 0.5)
    if said:
        left, _ = left_without(t.lm, t.chosen.text, other, t.at)
        assert has(said, "L{}H{}".format(*other), f"{there[other]:.0%}", "ithout", left)


STATES = [
    state(DEFAULT_TEXT, (5, 4), 25),
    state(DEFAULT_TEXT, (5, 0), 25),
    state(DEFAULT_TEXT, (4, 2), None),
    state(DEFAULT_TEXT, (5, 3), 27, word=312),
    state(EXAMPLES["Repeats"], (5, 0), 22, word=579),
    *(state(EXAMPLES["Repeats"], (5, head), at) for head in (0, 4) for at in (8, 11, 14)),
    state(FRENCH, (2, 4), 9),
    state("cat", (3, 1), None),
    state("a", (0, 0), 0),
    state(tlmviz.load("stories-rope").fit(LONG)[0], (1, 1), 200),
    state(DEFAULT_TEXT, (1, 0), 20, "zoo-rope"),
    *(
        state(text, (5, 4), None, view=link.View(head=(5, 4), query=None, mute=mute))
        for text in (DEFAULT_TEXT, EXAMPLES["Repeats"])
        for mute in (((5, 4),), ((0, 0),), tuple((layer, head) for layer in (4, 5) for head in range(6)))
    ),
]


def test_every_claim_is_what_the_model_says_and_silent_elsewhere():
    found = []
    told = [claim for claim in claims.CLAIMS if claim.__name__ in PLAIN]
    for chosen in STATES:
        shown, truth = data.Data(chosen), Truth(chosen)
        made = agree(told, PLAIN, shown, truth)
        again, too = comes_again(shown), looks_too(shown)
        check_again(again, truth)
        check_others(too, truth)
        found.append({**made, "comes_again": bool(again), "looks_too": bool(too)})
        assert len(found[-1]) == len(claims.CLAIMS) and sum(found[-1].values()) <= MOST
    each_speaks_and_is_silent(found)


def test_the_first_claim_stands_above_the_picture_and_survives_an_own_text():
    app = open_page("attention/explorer")
    [said] = above_the_picture(app)
    assert "“red”" in said and "“ball”" in said and all(share in said for share in ("97%", "94%", "60%"))
    app.text_input(key="text").set_value("My brother does not like the dog.").run()
    [said] = above_the_picture(app)
    assert "expects" in said


def test_nothing_of_the_text_before_stands_below_an_empty_one():
    app = open_page("attention/explorer", {"panel": "Data"})
    assert app.dataframe
    app.text_input(key="text").set_value("").run()
    assert not app.exception and not app.dataframe and not by_title(app)
