"""What the page Inside a block claims, held against maps, logits and streams that are computed plainly."""

import re

import numpy as np
import torch

import tlmviz
from pages.attention.inside_block import claims, data
from pages.attention.inside_block.state import Choice
from tests.pages.helpers import open_page
from tests.pages.states import above_the_picture, agree, each_speaks_and_is_silent, left_without
from tlmviz.analysis.attention.stacks import DECODER, ENCODER
from tlmviz.figures import readable
from tlmviz.tokens import output_names
from tlmviz.ui import translation
from tlmviz.ui.inputs import DEFAULT_TEXT, EXAMPLES
from tlmviz.ui.looking import comes_again
from tlmviz.ui.markdown import plain, quoted
from tlmviz.ui.translation import SentencePair

START = {name: control.default for name, control in Choice.controls.items()}
FRENCH = "Le chat 😀 voit le chat. Le chien voit le"
LONG = "The cat sat on the mat. " * 125


def state(text: str, layer: int, head: int, position: int, model: str = "stories-rope", **values) -> Choice:
    given = {"model": model, "text": text, "pair": None, "layer": layer, "head": head, "position": position}
    return Choice(**START | given | values)


def translating(which: str, layer: int, head: int, position: int, step: str | None = None) -> Choice:
    text = translation.DEFAULT_SENTENCE
    pair = SentencePair("eng-fra", text, translation.own_translation("eng-fra", text))
    return state(text, layer, head, position, "eng-fra", pair=pair, which=which, step=step)


def percent(share) -> str:
    return f"{float(share):.0%}"


class Language:
    """A text read by a language model: a head's row by its queries and keys, and what is expected next."""

    def __init__(self, choice: Choice):
        self.choice, self.lm = choice, tlmviz.load(choice.model)
        self.at, self.trace = choice.position, self.lm.trace(choice.text)
        q, k, _ = (x.double() for x in self.trace.qk(choice.layer, choice.head))
        self.row = torch.softmax(k[: self.at + 1] @ q[self.at] * self.trace.specs[choice.layer].scale, 0)
        self.best, ids = int(self.row.argmax()), self.trace.ids
        p = self.lm(torch.tensor([ids]))[0, self.at].double().softmax(-1)
        self.expected, self.p = int(p.argmax()), percent(p.max())
        self.followed = 0 < self.best <= self.at and ids[self.best - 1] == ids[self.at]
        self.again = self.followed and ids[self.best] == self.expected
        self.crosses = self.encodes = False

    @property
    def place(self) -> tuple[str, str]:
        return quoted(self.trace.tokens[self.at], self.at), f"L{self.choice.layer}H{self.choice.head}"

    @property
    def key(self) -> str:
        return quoted(self.trace.tokens[self.best], self.best)

    @property
    def next(self) -> str:
        return quoted(output_names(self.lm.tokenizer, [self.expected])[0])


class Pair(Language):
    """A sentence and its translation."""

    def __init__(self, choice: Choice):
        self.choice, self.at, self.followed = choice, choice.position, True
        stack = translation.stack(choice.pair, choice.which)
        self.crosses, self.encodes, self.trace = choice.which == DECODER, choice.which != DECODER, stack.trace
        self.row = (stack.cross if self.crosses else stack.trace).attention(choice.layer, choice.head)[self.at]
        self.best, self.again, self.keys = int(self.row.argmax()), False, choice.pair.source
        if self.crosses:
            p = stack.trace.logits[self.at].softmax(-1)
            self.p, self.name = percent(p.max()), output_names(stack.tokenizer, [int(p.argmax())])[0]

    @property
    def key(self) -> str:
        return quoted((self.keys if self.crosses else self.trace.tokens)[self.best], self.best)

    @property
    def next(self) -> str:
        return quoted(self.name)


def _writes(t: Language):
    """What the layer's two parts add, by their own forward passes over the stream that comes in."""
    if isinstance(t, Pair):
        return None
    block, kept, choice = t.lm.network.blocks[t.choice.layer], {}, t.choice

    def keep(name: str):
        return lambda _module, _given, made: kept.update({name: made[0, choice.position].double()})

    hooks = [block.attn.register_forward_hook(keep("attn")), block.mlp.register_forward_hook(keep("mlp"))]
    names = tuple(f"blocks.{choice.layer}.{name}" for name in ("resid_pre", "resid_post"))
    trace = t.lm.trace(choice.text, keep=names.__contains__)
    for hook in hooks:
        hook.remove()
    before, after = (trace[name][0, choice.position].double() for name in names)
    torch.testing.assert_close(before + kept["attn"] + kept["mlp"], after, atol=1e-4, rtol=1e-4)
    come, attention, mlp = (float(each.norm()) for each in (before, kept["attn"], kept["mlp"]))
    if f"{attention:.3g}" == f"{mlp:.3g}":
        return None
    parts = [f"{attention:.3g}", f"{mlp:.3g}"] if mlp > attention else [f"{mlp:.3g}", f"{attention:.3g}"]
    times = max(attention, mlp) / min(attention, mlp)
    return choice.layer, t.place[0], f"{come:.3g}", *parts, f"{times:.1f}" if times < 10 else f"{times:.0f}"


def _in_vain(t: Language):
    if isinstance(t, Pair) or not t.followed or t.again:
        return None
    return *t.place, percent(t.row[t.best]), t.key, t.next, t.p


def _looks(t: Language):
    if t.followed:
        return None
    return *t.place, *([] if t.best == t.at else [t.key]), percent(t.row[t.best]), t.next, t.p


def _encodes(t: Language):
    if not t.encodes:
        return None
    (token, head), share = t.place, percent(t.row[t.best])
    return (head, token, share) if t.best == t.at else (token, head, t.key, share)


def _hides(t: Language):
    length = len(t.trace.tokens)
    if t.choice.step != "mask" or t.at == length - 1:
        return None
    return length - 1 - t.at, length, t.place[0]


def _dearest(t: Language):
    if t.choice.step != "loss":
        return None
    loss = [f"{each:.2f}" for each in t.trace.loss_per_token().tolist()]
    worst = max(range(len(loss)), key=lambda each: float(loss[each]))
    return (plain(readable(t.trace.tokens[worst + 1])), loss[worst]) if loss.count(loss[worst]) == 1 else None


def _writes_most(t: Language):
    """Which head's mixed values, times its rows of the output matrix, are the longest vector."""
    if t.choice.step != "per head":
        return None
    trace = t.lm.trace(t.choice.text, keep=lambda name: True)
    values = trace[f"blocks.{t.choice.layer}.attn.v"][0]  # [G, T, D]
    out = t.lm.network.blocks[t.choice.layer].attn.proj.weight.detach().double()  # [C, H * D]
    lengths = []
    for head in range(trace.n_heads):
        v = values[head * len(values) // trace.n_heads]
        mixed = trace.attention(t.choice.layer, head)[t.at].double() @ v.double()
        size = len(mixed)
        lengths.append(float((out[:, head * size : (head + 1) * size] @ mixed).norm()))
    most = int(np.argmax(lengths))
    return most, t.place[0], f"{lengths[most]:.2f}"


def _stream(t: Language):
    names = ("embed", *(f"blocks.{layer}.resid_post" for layer in range(t.lm.config.n_layers)))
    return names, t.lm.trace(t.choice.text, keep=names.__contains__)


def _grows(t: Language):
    names, trace = _stream(t)
    return t.place[0], *(f"{float(trace[name][0, t.at].norm()):.1f}" for name in (names[0], names[-1]))


def _formed(t: Language):
    names, trace = _stream(t)
    with torch.inference_mode():
        guesses = [int(t.lm.network.head(t.lm.network.norm(trace[name][0, t.at])).argmax()) for name in names]
    since = next(n for n in range(len(names)) if len(set(guesses[n:])) == 1)
    return t.place[0], t.next, *([since - 1] if since else [])


PLAIN = {
    "writes": _writes,
    "comes_again_in_vain": _in_vain,
    "looks": _looks,
    "crosses": lambda t: (*t.place, percent(t.row[t.best]), t.key, t.next, t.p) if t.crosses else None,
    "encodes": _encodes,
    "hides": _hides,
    "hides_nothing": lambda t: (t.place[0],) if t.choice.step == "mask" and t.at == len(t.trace.tokens) - 1 else None,
    "dearest": _dearest,
    "writes_most": _writes_most,
    "grows": _grows,
    "formed": _formed,
}


def check_again(said: str | None, t: Language) -> None:
    """What comes again, in one sentence, and what hangs on the head, in another."""
    assert bool(said) == t.again
    if said:
        left, still = left_without(t.lm, t.choice.text, (t.choice.layer, t.choice.head), t.at)
        parts = [*t.place, percent(t.row[t.best]), t.key, t.p, "ithout", *([] if still else ["expects"]), left]
        assert re.search(".*".join(map(re.escape, parts)), said)


STATES = [
    state(DEFAULT_TEXT, 5, 4, 25),
    state(DEFAULT_TEXT, 4, 2, 24, step="mask"),
    state(DEFAULT_TEXT, 4, 2, 27, step="mask"),
    state(DEFAULT_TEXT, 0, 0, 10, step="loss"),
    state(DEFAULT_TEXT, 5, 0, 25, step="per head"),
    state(EXAMPLES["Repeats"], 5, 0, 15),
    *(state(EXAMPLES["Repeats"], 5, head, at) for head in (0, 4) for at in (8, 11, 14)),
    state(FRENCH, 2, 4, 9, step="loss"),
    state("cat", 3, 1, 1, step="mask"),
    state("cat", 3, 1, 0),
    state(tlmviz.load("stories-rope").fit(LONG)[0], 1, 1, 200),
]
PAIRS = [
    translating(DECODER, 2, 4, 7),
    translating(DECODER, 0, 1, 2, "cross per head"),
    *(translating(ENCODER, layer, 3, at) for layer in (0, 2) for at in (1, 4)),
]


def test_every_claim_is_what_the_model_says_and_silent_elsewhere():
    found = []
    for each in (*STATES, *PAIRS):
        apart = (comes_again, claims.writes_most) if each.pair else (comes_again,)
        told = [claim for claim in claims.CLAIMS if claim not in apart]
        shown, truth = data.Data(each), (Pair if each.pair else Language)(each)
        made = agree(told, PLAIN, shown, truth)
        check_again(comes_again(shown), truth)
        if said := claims.encodes(shown):
            assert ("later" in said, "itself" in said) == (truth.best > truth.at, truth.best == truth.at)
        stream = dict.fromkeys(("grows", "formed"), False) if each.pair else agree(claims.STREAM, PLAIN, shown, truth)
        found.append({"writes_most": False, **made, **stream, "comes_again": truth.again})
    each_speaks_and_is_silent(found)


def test_the_first_claim_stands_above_the_picture_and_survives_an_own_text():
    [said] = above_the_picture(open_page("attention/inside_block"))
    assert "Layer 5 writes twice into the stream" in said and "“red”" in said
    [said] = above_the_picture(open_page("attention/inside_block", text="My brother does not like the dog."))
    assert "writes twice into the stream" in said
