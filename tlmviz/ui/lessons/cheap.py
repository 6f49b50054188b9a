"""Lesson 7, "Why writing is cheap": keys and values are kept, what that costs in memory, and what a server makes of
it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import torch

from tlmviz.analysis.caches.cost import Shape, step_flops
from tlmviz.analysis.caches.family import DEEPSEEK
from tlmviz.checkpoints.folders import models_folder
from tlmviz.decoding.serving import serve
from tlmviz.decoding.serving_records import Request, Run, Server
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.written import number, percent

from .. import compute
from ..language import N_, _
from .measures import word
from .parts import Behind, Choose, Drag, End, Lesson, Part, Picture, Reply, Scene, guessed
from .pictures import AGAIN, DOES, INK, KEPT, LOOK, NEW, NONE, SHARED, SOFT, Cell, Row, bar, bars, cells, grid, strip

OWN, FOURS, ALL, SHORT = MODELS = "zoo-rope", "zoo-gqa", "zoo-mqa", "zoo-mla"  # alike but for keys and values
NAMED = dict(zip(MODELS, (N_("each its own"), N_("four share"), N_("all share"), N_("common row"))))
STORY = "Lily had a red ball. One day, Lily lost the ball. Tom saw that Lily was"
WRITTEN, NEAR, FAR, FULL = 8, 20, 200, 64  # words to write, two lengths to compare, words of a full buffer
FIRST, OTHER = "Lily", "Anna"  # how the story begins, and how it does for E
REQUESTS = (
    f"{STORY} sad. She",
    f"{STORY} sad. He",
    f'{STORY} sad. Her mom said, "',
    "Tom and Anna were friends. Tom gave Anna a",
    STORY.replace(FIRST, OTHER, 1) + " sad. Then a big dog",
    "The cat",
)
PEOPLE, TOKENS, ARRIVALS = "ABCDEF", (24, 24, 10, 40, 16, 8), (0, 0, 1, 2, 4, 6)
SERVER = Server(page=4, pages=64, batch=4)


@dataclass(frozen=True)
class Found:
    """What is computed and kept for the story, by models that differ in keys and values alone; how six are served."""

    tokens: list[str]
    written: list[str]
    apart: float  # how far a word more moves the keys and values before it, of their size
    shape: Shape
    bytes: Mapping[str, int]  # that a word takes, by model
    numbers: Mapping[str, int]  # of them a layer
    letter: Mapping[str, float]  # what a model gives each letter of held-out stories, geometric mean
    work: Sequence[float]  # multiplications of the word NEAR, of the word FAR, and of that with nothing kept
    runs: Mapping[str, Run]  # six served: one at a time, four, and four of which none leaves before the last

    @property
    def read(self) -> int:
        """Words of the story."""
        return len(self.tokens) - 1

    @property
    def done(self) -> tuple[int, int, float]:
        """With nothing kept: words computed to write, how many need be, the share done before."""
        every, needed = sum(range(self.read, self.read + WRITTEN)), self.read + WRITTEN - 1
        return every, needed, 1 - needed / every

    @property
    def pages(self) -> tuple[list[int], list[int]]:
        """Pages of each prompt, and how many of them were found whole."""
        run = self.runs["four"]
        found = (sum(step.snapshots[i].num_cached_tokens for step in run.steps) for i in range(len(PEOPLE)))
        return [-(-len(ids) // SERVER.page) for ids in run.prompts], [each // SERVER.page for each in found]


def measure(lms: Mapping[str, LanguageModel], text: str) -> Found:
    """All of it: some twelve passes, and six people served three times."""
    lm, written = lms[OWN], [text]
    for _step in range(WRITTEN):
        written.append(lm.tokenizer.decode([int(lm.trace("".join(written)).probabilities().argmax())]))
    one, more = lm.trace(text), lm.trace("".join(written[:2]))
    every = [f"blocks.{layer}.attn.{each}" for layer in range(one.n_layers) for each in "kv"]
    apart = (float((one[at] - more[at][:, :, : len(one)]).norm() / one[at].norm()) for at in every)
    requests = [Request(*each, 0.8, seed) for seed, each in enumerate(zip(REQUESTS, TOKENS, ARRIVALS))]
    wait = replace(SERVER, policy="static", sharing="none", pages=128)
    servers = {"one": replace(SERVER, batch=1), "four": SERVER, "wait": wait}
    shapes = {name: Shape.of(lms[name].config) for name in MODELS}
    lost = pd.read_csv(models_folder() / "zoo.csv").set_index("model")["bits_per_byte"]
    return Found(
        one.tokens,
        written[1:],
        max(apart),
        shapes[OWN],
        {name: _kept(lms[name]) for name in MODELS},
        {name: shape.numbers_per_token_per_layer for name, shape in shapes.items()},
        {name: float(2 ** -lost[name]) for name in MODELS},
        [step_flops(lm.config, *each).total / 2 for each in ((NEAR,), (FAR,), (FAR, False))],
        {name: serve(lm, requests, server) for name, server in servers.items()},
    )


def _kept(lm: LanguageModel) -> int:
    """Bytes of a word in a model's own cache."""
    cache = lm.new_cache()
    lm(torch.zeros(1, FULL, dtype=torch.long, device=lm.device), cache=cache)
    return cache.nbytes // FULL


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    (every, needed, again), (pages, found), key = m.done, m.pages, 2 * m.shape.head_dim * 4
    one, four, wait = (m.runs[name].totals() for name in ("one", "four", "wait"))
    near, far, bare = (number(each / 1e6, ",.0f" if each > 1e7 else ".1f") for each in m.work)
    sizes = {name: f"{m.bytes[each]:,}" for name, each in zip(("own", "fours", "all", "short"), MODELS)}
    layer = {name: f"{m.numbers[each]}" for name, each in zip(("OWN", "FOURS", "ALL", "SHORT"), MODELS)}
    return (
        sizes
        | layer
        | {
            "n": f"{m.read}",
            "new": word(m.written[0]),
            "last": word(m.tokens[-1]),
            "written": f"{WRITTEN}",
            "every": f"{every}",
            "needed": f"{needed}",
            "again": percent(again),
            "layers": f"{m.shape.n_layers}",
            "heads": f"{m.shape.heads}",
            "width": f"{m.shape.head_dim}",
            "head": f"{key:,}",
            "near": near,
            "far": far,
            "layer": f"{key * m.shape.heads:,}",
            "NEAR": f"{NEAR}",
            "FAR": f"{FAR}",
            "bare": bare,
            "gives": percent(m.letter[OWN]),
            "share": percent(m.letter[ALL]),
            "times": f"{m.bytes[OWN] // m.bytes[ALL]}",
            "latent": f"{DEEPSEEK.latent + DEEPSEEK.rope_dim}",
            "large": f"{2 * DEEPSEEK.heads * DEEPSEEK.head_dim:,}",
            "one": f"{one.steps}",
            "steps": f"{four.steps}",
            "wait": f"{wait.steps}",
            "soon": number(four.ttft, ".0f"),
            "quarter": f"{-(-one.steps // SERVER.batch)}",
            "waited": number(one.ttft, ".0f"),
            "longest": f"{max(TOKENS)}",
            "page": f"{SERVER.page}",
            "pages": f"{sum(pages)}",
            "less": f"{sum(pages) - sum(found)}",
            "first": FIRST,
            "other": OTHER,
        }
    )


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes."""
    return [scene(m) for scene in (_more, _again, _keep, _step, _bytes, _less, _worse, _serve, _begin)]


def _run(state: str, count: int) -> list[Cell]:
    return [(state, 1, "")] * count


def _text(m: Found) -> Part:
    """The story and the first word that is written."""
    return strip([*m.tokens, m.written[0]], blank="", swapped=[m.read + 1])


def _rows(m: Found, old: str, new: str = NEW) -> list[Row]:
    """For each word that is written a row: what its pass reads, old and new."""
    runs = [[*_run(old, m.read + i - 1), (new, 1, "")] if i else _run(new, m.read) for i in range(WRITTEN)]
    return [cells(f"{i}", word(piece), *run) for i, (piece, run) in enumerate(zip(m.written, runs))]


def _more(m: Found) -> Scene:
    why = _("A word looks back, never ahead: all that was computed for the {n} stays as it was.")
    near = Reply(_("Not even for “{last}”."), _("“{new}” comes after it. ") + why, label=_("for the nearest"))
    right = Reply(_("Yes, for none."), why, m.apart < 1e-4, label=_("for none"))
    every = Reply(_("If so, each would see what follows."), why, label=_("for all {n}"))

    def shown(old: str) -> Picture:
        was, now = _run(KEPT, m.read), [*_run(old, m.read), *_run(NEW, 1)]
        legend = {KEPT: _("as it was"), NEW: _("computed now")} if old == KEPT else {}
        rows = cells("was", _("before"), *was), cells("now", _("now"), *now)
        return _text(m), grid(m.read + 1, *rows, legend=legend)

    return Scene(
        _(
            "The model has read this story. Now “{new}” is added. For how many of the {n} words before must it compute "
            "anything new?"
        ),
        shown(NONE),
        Choose([near, right, every]),
        shown(KEPT),
        _("Each cell is a word; a full stop counts as one."),
        _cache(),
    )


def _again(m: Found) -> Scene:
    what = _("{every} words are computed, {needed} would do: {again} was done before, and nothing changed.")
    high = _("The first row is new, and one word in each row below: {needed} of {every}.")
    good, low = Reply(_("Well guessed."), what, True), Reply(_("It is more."), what)
    replies = good, low, Reply(_("It is less."), high)

    def shown(told: bool) -> Picture:
        legend = {NEW: _("for the first time"), AGAIN: _("once more")} if told else {}
        rows = _rows(m, AGAIN) if told else _rows(m, NONE, NONE)
        row = bar(_("done before"), m.done[2] if told else None, LOOK, "again")
        return grid(m.read + WRITTEN - 1, *rows, legend=legend, share=0.74), bars(row, share=0.26)

    return Scene(
        _(
            "Suppose that it reads everything again for each of {written} words: a row each. How much had been "
            "computed before? Drag."
        ),
        shown(False),
        Drag(_("How much had been computed before, in per cent"), _("Show it"), 100 * m.done[2], replies),
        shown(True),
        _("Each row is one word that is written, each cell a word that is read for it."),
        _cache(),
    )


def _keep(m: Found) -> Scene:
    keys = _("With keys alone it finds words, and brings nothing home. Both are kept: the **KV cache**.")
    asks = _("Only “{new}” asks, with its own query. Old keys and values are kept: the **KV cache**.")
    never = _("“{last}” has asked, and never asks again. Keys and values are kept: the **KV cache**.")
    find = Reply(_("It would find, not read."), keys, label=_("keys"))
    right = Reply(_("Yes."), asks, True, label=_("keys and values"))
    every = Reply(_("Not the queries."), never, label=_("queries, keys and values"))

    def shown(old: str) -> Picture:
        named = {"q": (_("query"), NONE), "k": (_("key"), old), "v": (_("value"), old)}
        rows = (cells(it, name, *_run(state, m.read), *_run(NEW, 1)) for it, (name, state) in named.items())
        legend = {NEW: _("of the new word"), KEPT: _("kept")} if old == KEPT else {}
        return _text(m), grid(m.read + 1, *rows, legend=legend)

    return Scene(
        _(
            "A query is compared with keys, and values are mixed. “{new}” looks back: what does it need of the {n} "
            "words before?"
        ),
        shown(NONE),
        Choose([find, right, every]),
        shown(KEPT),
        _("The last column is “{new}”."),
        _cache(),
    )


def _step(m: Found) -> Scene:
    most, near, far = 10 * m.work[0], *(_("{n} million", n=number(each / 1e6, ".1f")) for each in m.work[:2])
    bare = _("Were nothing kept, it would be {bare} million.")
    same = Reply(_("Nearly: {far} million."), _("It looks back at more words. ") + bare, label=_("as many"))
    one = _("One word is computed, as before; it only looks back at more. ") + bare
    some = Reply(_("Yes, {far} million."), one, True, label=_("some more"))
    ten = Reply(_("Only {far} million."), one, label=_("ten times as many"))

    def shown(told: bool) -> Picture:
        legend = {NEW: _("computed"), KEPT: _("kept")}
        rows = grid(m.read + WRITTEN - 1, *_rows(m, KEPT), legend=legend, share=0.62)
        last = bar(_("word {n}", n=FAR), m.work[1] / most if told else None, DOES, "far", far if told else "")
        return rows, bars(bar(_("word {n}", n=NEAR), 0.1, INK, "near", near), last, share=0.38)

    return Scene(
        _(
            "Now each row computes **one** word. For word {NEAR} that takes {near} million multiplications. How many "
            "for word {FAR}?"
        ),
        shown(False),
        Choose([same, some, ten]),
        shown(True),
        _("The first row still reads the whole story, once."),
        _cache(kview="Cost"),
    )


def _bytes(m: Found) -> Scene:
    layers, heads, one = m.shape.n_layers, m.shape.heads, f"{2 * m.shape.head_dim * 4}"
    grows = _("The four letters of “ball” are four bytes. And with every word the memory grows by as much.")
    head = Reply(_("That is one head."), _("{heads} heads, {layers} layers: {own}."), label="{head}")
    layer = Reply(_("That is one layer."), _("There are {layers}: {own}."), label="{layer}")

    def shown(told: bool) -> Picture:
        kept, none = (KEPT, 1, one), (NONE, 1, "")
        runs = ([kept if told or not i + at else none for at in range(heads)] for i in range(layers))
        rows = (cells(f"{i}", _("layer {n}", n=i + 1), *run) for i, run in enumerate(runs))
        names = [_("head {n}", n=at + 1) for at in range(heads)]
        return (grid(heads, *rows, heads=names, legend={KEPT: _("bytes of a key and a value")}),)

    return Scene(
        _(
            "A key and a value: {width} numbers each, 4 bytes a number, {heads} heads in each of {layers} layers. How "
            "many bytes for one word?"
        ),
        shown(False),
        Choose([head, layer, Reply(_("Yes, {own}."), grows, True, label="{own}")]),
        shown(True),
        _("The price of the cache is memory."),
        _cache(kview="Models", kmods=OWN),
    )


def _less(m: Found) -> Scene:
    pays = _("For the 128 heads of DeepSeek, the common row has {latent}, not {large}.")
    kept = _("A key and a value have {ALL} numbers a layer, two of each {FOURS}, the common row {SHORT}. ")
    fours = Reply(_("It keeps two of each."), kept, label=_(NAMED[FOURS]))
    right = Reply(_("Yes, {all} bytes."), kept + pays, True, label=_(NAMED[ALL]))
    longer = _("A key and a value have {ALL} numbers. ") + pays
    short = Reply(_("Here it is longer."), longer, label=_(NAMED[SHORT]))

    def shown(told: bool) -> Picture:
        rows, heads = [], m.shape.heads
        for name, count in zip(MODELS, (heads, 2, 1, 1)):
            open_, each = told or name == OWN, f"{m.numbers[name] // count}"
            cell = SHARED if name == SHORT else KEPT, heads // count, each if open_ else ""
            says = _("{n} bytes", n=f"{m.bytes[name]:,}") if open_ else "?"
            rows.append(cells(name, _(NAMED[name]), *[cell] * count, says=says))
        return (grid(heads, *rows),)

    return Scene(
        _(
            "Heads may **share** a key and a value, or make theirs from one **common row** of {SHORT} numbers. Which "
            "keeps least?"
        ),
        shown(False),
        Choose([fours, right, short]),
        shown(True),
        _("Where each head has its own, it is {OWN} numbers in each layer."),
        _cache(kview="Models", kmods=",".join(MODELS)),
    )


def _worse(m: Found) -> Scene:
    what = _(
        "All share, called MQA: {share}, with one part in {times} of the memory. GQA, where four share, and MLA, the "
        "common row, guess as well."
    )
    replies = guessed(what, _("It hardly suffers."), _("It is not better."))

    def shown(told: bool) -> Picture:
        rows = (bar(_(NAMED[it]), m.letter[it] if told else None, DOES, it) for it in (ALL, FOURS, SHORT))
        return (bars(*rows, bar(_(NAMED[OWN]), m.letter[OWN], SOFT, OWN)),)

    return Scene(
        _(
            "In new stories, it gives the letter that comes **{gives}** on average. And a model in which **all share** "
            "one key and value? Drag."
        ),
        shown(False),
        Drag(_("What it gives the letter, in per cent"), _("Measure"), 100 * m.letter[ALL], replies, within=4),
        shown(True),
        _("Each model was trained anew. The average is a geometric one."),
        Behind("attention_family", {"fview": "Model zoo"}),
    )


def _serve(m: Found) -> Scene:
    goes = _("Who is done goes, the next begins at once. For a first word one waits {soon} steps, not {waited}.")
    last = _("If so, four would write at every step. At the end D, with {longest} words, is alone: {steps}.")
    quarter = Reply(_("Not quite."), last, label="{quarter}")
    wait = Reply(_("Then all four must end first."), _("But who is done goes: {steps}."), label="{wait}")

    def shown(which: str) -> Picture:
        table, rows = m.runs[which].per_request(), []
        times = table[["arrival", "first token", "last step"]].to_numpy().tolist()
        for name, (come, first, end) in zip(PEOPLE, times):
            waits = [(AGAIN, first - come, "")] if first > come else []
            rows.append(cells(name, name, *waits, (NEW, end - first + 1, f"{end - first + 1}"), start=come))
        legend = {AGAIN: _("waits"), NEW: _("gets so many words")}
        return (grid(m.runs["one"].totals().steps, *rows, legend=legend),)

    return Scene(
        _(
            "Six people ask. One after another takes {one} steps. Now one step writes a word for **four** of them. How "
            "many steps?"
        ),
        shown("one"),
        Choose([quarter, Reply(_("Yes, {steps}."), goes, True, label="{steps}"), wait]),
        shown("four"),
        _("Each row is a person, C to F come later; steps go from left to right."),
        _serving(),
    )


def _begin(m: Found) -> Scene:
    pages, found = m.pages
    alike = [max(found), *found[1:]]  # whose pages are found has as many of them
    names = ", ".join(name for name, each in zip(PEOPLE, alike) if each)
    why = _("Where the words before are the same, so are key and value. {less} pages do in place of {pages}.")
    looked = _("Each later word of E has seen “{other}”: above the first layer, key and value are others.")
    second = Reply(_("Not E."), looked, label=_("{names}, and E from its second page", names=names))
    nobody = Reply(_("Some can."), why, label=_("nobody"))

    def shown(told: bool) -> Picture:
        counts = [(each if told else 0, count) for each, count in zip(alike, pages)]
        runs = [[*_run(SHARED, each), *_run(KEPT, count - each)] for each, count in counts]
        rows = (cells(name, name, *run) for name, run in zip(PEOPLE, runs))
        legend = {KEPT: _("a page of one's own")} | ({SHARED: _("kept once for all")} if told else {})
        story = strip([m.tokens[0], OTHER, *m.tokens[2:]], blank="", swapped=[1], share=0.35)
        return story, grid(max(pages), *rows, legend=legend, share=0.65)

    return Scene(
        _(
            "A, B, C tell one story; E's has another first word. The cache lies in **pages** of {page} words. Whose "
            "can be shared?"
        ),
        shown(False),
        Choose([Reply(_("Yes."), why, True, label=names), second, nobody]),
        shown(True),
        _("Above is E's: it begins with “{other}”, those of A, B, C with “{first}”. D and F tell others."),
        _serving(),
    )


def _cache(**more: str) -> Behind:
    return Behind("kv_cache", {"model": OWN, "text": STORY, **more})


def _serving() -> Behind:
    lines = "\n".join(each.replace(STORY, "…") for each in REQUESTS)
    pages = {"vpage": f"{SERVER.page}", "vpages": f"{SERVER.pages}"}
    return Behind("serving", {"model": OWN, "text": STORY, "vreq": lines, **pages})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    own, shared = (
        bar(name, m.bytes[it] / m.bytes[OWN], DOES, says=f"{m.bytes[it]:,}")
        for name, it in ((_("own"), OWN), (_("shared"), ALL))
    )
    one, four = (m.runs[name].totals().steps for name in ("one", "four"))
    served = bar(_("by one"), 1, says=f"{one}"), bar(_("by four"), four / one, says=f"{four}")
    return [
        End(
            _("No word sees what follows. So old keys and values stay, are kept, and each step computes one word."),
            (grid(m.read + WRITTEN - 1, *_rows(m, KEPT)),),
        ),
        End(
            _(
                "The price is memory: {own} bytes a word. Heads that all share one key and value need {all}, and guess "
                "nearly as well."
            ),
            (bars(own, shared),),
        ),
        End(
            _(
                "A server gives a free place to the next at once, {steps} steps in place of {one}, and keeps a shared "
                "beginning once."
            ),
            (bars(*served),),
        ),
    ]


LESSON = Lesson(
    "cheap",
    N_("Why writing is cheap"),
    N_(
        "What a model keeps of all that it has read, how much memory that takes, and how one answers six people at "
        "once."
    ),
    OWN,
    STORY,
    measure,
    words,
    plot,
    end,
    lambda _name: {name: compute.model(name) for name in MODELS},
    measured_on=N_("Every number was measured on four small real models that differ in their keys and values alone."),
    also=MODELS[1:],
)
