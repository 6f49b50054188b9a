"""Lesson 5, "Many heads, one block": a guess read off at every height, what heads and feed-forward parts do, and their
sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch

from tlmviz.analysis.attention.heads import logit_lens
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.written import number, percent
from tlmviz.tracing.trace import Trace

from ..language import N_, _
from .measures import heads_of, little, named, row, without, word, words_at, writes
from .parts import Behind, Choose, Drag, End, Lesson, Part, Picture, Press, Reply, Scene, Unfit, choose, guessed
from .pictures import DOES, INK, LOOK, NOTE, SOFT, bar, bars, floor, line, look, numbers, strip, tower

MODEL = "stories-rope"
STORY = "Once upon a time, Anna had a little ball. Ben came to play. Ben wanted the little"
SHOWN, MOSTLY = 24, 0.2  # numbers of the stream that are drawn; least share of a look that is spoken of
Guess = tuple[str, float | None]
UNKNOWN: Guess = ("?", None)
Whys = Mapping[str, tuple[str, str]]  # answer -> verdict and reason


@dataclass(frozen=True)
class Found:
    """A text whose guess changes on its way up: the guess and the answer's place in the list, below block 1 and after
    each.

    Also, with all heads silenced: the guess, the answer's share, and the guess after block 1; the largest share and the
    answer's without feed-forward parts; where the heads of a block look, which look most at different words; of the
    last block the head that writes most, what comes in, what that head, the others and the feed-forward part write, and
    what goes out; with each block left out the guess and the answer's share.
    """

    text: str
    tokens: list[str]
    known: int
    guesses: list[tuple[str, float]]
    places: list[int]
    deaf: tuple[str, float]
    silent: float
    first: tuple[str, float]
    carried: tuple[float, float]
    block: int
    rows: list[list[float]]
    writer: int
    written: list[list[float]]
    passed: list[tuple[str, float, float]]  # of the lesson's story

    @property
    def rise(self) -> int:
        """The block after which the answer comes first."""
        return self.places.index(1)

    @property
    def keen(self) -> int:
        """The head of the block that looks hardest at one word."""
        seen = words_at(self.tokens)
        return max(range(len(self.rows)), key=lambda head: max(self.rows[head][i] for i in seen))

    @property
    def told(self) -> int:
        """The number where what comes in, what is written last and the sum lie apart, and the sum is right as it is
        written."""

        def clear(at: int) -> float:
            parts = [round(each[at], 2) for each in self.written]
            low, middle, high = sorted((parts[0], parts[3], parts[4]))
            return min(middle - low, high - middle) - 9 * (abs(sum(parts[:4]) - parts[4]) > 0.004)

        return max(range(len(self.written[0])), key=clear)


def measure(lm: LanguageModel, text: str) -> Found:
    """All of it, in three passes; of the lesson's own story in nine. Raises Unfit."""
    trace, layers = lm.trace(text), lm.config.n_layers
    deaf, feeds = without(lm, text, *heads_of(trace)), [f"blocks.{layer}.mlp.out" for layer in range(layers)]
    shares, silent = ([every[-1].softmax(-1) for every in logit_lens(lm, each)] for each in (trace, deaf))
    answer, carried = int(shares[-1].argmax()), _left_out(lm, text, *feeds).probabilities()
    looks = [[row(trace, (layer, head)) for head in range(trace.n_heads)] for layer in range(layers)]
    seen = [len({_most(each) for each in rows if max(each) > MOSTLY} - {0}) for rows in looks]
    block = max(range(layers), key=lambda layer: (seen[layer], max(map(max, looks[layer]))))
    passed = []
    for layer in range(layers) if text == STORY else ():
        left = _left_out(lm, text, feeds[layer], f"blocks.{layer}.attn.out").probabilities()
        passed.append((*named(lm, left, 1)[0], float(left[answer])))
    m = Found(
        text,
        trace.tokens,
        len(carried),
        [named(lm, each, 1)[0] for each in shares],
        [int((each > each[answer]).sum()) + 1 for each in shares],
        named(lm, silent[-1], 1)[0],
        float(silent[-1][answer]),
        named(lm, silent[1], 1)[0],
        (float(carried.max()), float(carried[answer])),
        block,
        looks[block],
        *_written(lm, trace),
        passed,
    )
    (below, _), (after, _), *_between, (best, _) = m.guesses
    readable = all(each.isalpha() for each in (after, best, m.deaf[0])) and below == word(m.tokens[-1])
    if not readable or len({below.lower(), after.lower(), best.lower()}) < 3:
        raise Unfit(N_("In your sentence the guess after block 1 is that at the end, or cannot be read."))
    if after != m.first[0] or m.deaf[0] in (best, below) or m.carried[1] > 0.1:
        raise Unfit(N_("In your sentence the model hardly needs what other words say."))
    return m


def _most(weights: list[float]) -> int:
    return max(range(len(weights)), key=weights.__getitem__)


def _left_out(lm: LanguageModel, text: str, *names: str) -> Trace:
    """A pass in which parts write nothing."""
    return lm.trace(text, edit={name: lambda value, record: torch.zeros_like(value) for name in names})


def _written(lm: LanguageModel, trace: Trace) -> tuple[int, list[list[float]]]:
    """Of the last block the head that writes most; and what comes in, what its parts write, that head apart, and what
    goes out."""
    top, names = trace.n_layers - 1, ("resid_pre", "attn.out", "mlp.out", "resid_post")
    come, heads, feed, out = (trace[f"blocks.{top}.{name}"][0, -1] for name in names)
    rows = [writes(lm, trace, (top, head)) for head in range(trace.n_heads)]
    writer = max(range(len(rows)), key=lambda head: float(rows[head].norm()))
    one = rows[writer]
    return writer, [each[:SHOWN].tolist() for each in (come, one, heads - one, feed, out)]


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    (last, same), (after, share), *_between, (best, sure) = m.guesses
    return {
        "last": last,
        "same": _("almost 100%") if same >= 0.995 else percent(same),
        "after": after,
        "share": percent(share),
        "still": percent(m.first[1]),
        "best": best,
        "blocks": f"{len(m.guesses) - 1}",
        "rise": f"{m.rise}",
        "known": f"{m.known:,}",
        "low": str(max(m.places[: m.rise])),
        "near": str(m.places[m.rise - 1]),
        "deaf": m.deaf[0],
        "alone": percent(m.deaf[1]),
        "most": percent(m.carried[0]),
        "left": little(m.carried[1]),
        "n": f"{m.block + 1}",
        "heads": f"{len(m.rows)}",
        "others": f"{len(m.rows) - 1}",
        "count": f"{SHOWN}",
    }


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes on a text; the last is on the lesson's own story."""
    own = [scene(m) for scene in (_none, _first, _rise, _deaf, _carried, _looks, _sum)]
    return [*own, _pass(home)]


def _tower(
    m: Found,
    guesses: Mapping[int, Guess],
    *,
    off: Iterable[int] = (),
    idle: Iterable[int] = (),
    parts: Mapping[str, bool] | None = None,
    press: Iterable[int] = (),
    share: float = 1.0,
) -> Part:
    """The last word below the blocks, what these are made of, and what is guessed at some heights."""
    floors = []
    for n, (last, _share) in enumerate(m.guesses):
        label, (says, told) = _("block {n}", n=n) if n else f"“{last}”", guesses.get(n, (None, None))
        tone = LOOK if says == m.guesses[-1][0] else SOFT if says == "?" else INK
        made = parts or {} if n else {}
        floors.append(floor(label, made, says=says, share=told, tone=tone, off=n in off, idle=n in idle, name=f"{n}"))
    return tower(*floors, stream=_("last word’s stream"), press=map(str, press), verb=_("Leave out"), share=share)


def _story(m: Found, guess: str, *tower: Part) -> Picture:
    """The story with a guess at its end, "" for none, above a tower of its last word."""
    return strip(m.tokens, blank=guess, told=guess != "?", under=len(m.tokens) - 1, share=0.36), *tower


def _parts(m: Found, heads: bool = True, feed: bool = True) -> dict[str, bool]:
    """What a block is made of, and which of it works."""
    return {_("{n} heads", n=len(m.rows)): heads, _("feed-forward"): feed}


def _offer(right: str, whys: Whys) -> Choose:
    return choose(f"“{right}”", *((f"“{name}”", *whys[name]) for name in sorted(whys)))


def _none(m: Found) -> Scene:
    every, (best, sure), last = range(1, len(m.guesses)), m.guesses[-1], m.guesses[0][0]
    why = _(
        "It says “{last}”, {same} sure: the last word itself. What goes in comes out again, as nothing has worked on "
        "the stream."
    )
    whys = {
        best: (_("No: then the blocks would do nothing."), why),
        m.deaf[0]: (_("No: then something would have worked on it."), why),
        last: (_("Yes, “{last}”."), why),
    }
    return Scene(
        _(
            "A **stream** of numbers runs through {blocks} **blocks** to the guess, “{best}”. "
            "Take all {blocks} away: what does the model guess?"
        ),
        _story(m, best, _tower(m, {len(every): (best, sure)})),
        _offer(last, whys),
        _story(m, last, _tower(m, {0: m.guesses[0]}, off=every)),
        _("Every word has a stream of its own, through the same blocks. Only the last word’s is drawn."),
        _block(m),
        asks=True,
    )


def _first(m: Found) -> Scene:
    (last, same), (after, share), *_between, (best, _sure) = m.guesses
    idle = range(2, len(m.guesses))
    why = _(
        "It says “{after}”, {share} sure. No other word is needed: without what heads bring from others it still says "
        "“{after}”, {still} sure."
    )
    whys = {
        best: (_("No: not yet."), why),
        last: (_("No: then block 1 would do nothing."), why),
        after: (_("Yes, “{after}”."), why),
    }
    return Scene(
        _("Now block 1 works, and no other. “{last}” goes in. What does the model guess?"),
        _story(m, "?", _tower(m, {0: (last, same), 1: UNKNOWN}, idle=idle)),
        _offer(after, whys),
        _story(m, after, _tower(m, {0: (last, same), 1: (after, share)}, idle=idle)),
        behind=_block(m),
    )


def _rise(m: Found) -> Scene:
    top, replies = len(m.guesses) - 1, []
    why = _(
        "Below, “{best}” has place {low} of {known} at worst, and place {near} just before. Block {rise} makes it the "
        "top guess."
    )
    early, late = _("No: there it is “{says}”, and “{best}” has place {place}."), _("No, sooner.")
    offered = sorted(range(m.rise % 2 or 2, top + 1, 2), key=lambda n: abs(n - m.rise))[:3]
    for n in sorted(offered):
        verdict = _("Yes, block {it}.") if n == m.rise else early if n < m.rise else late
        told = {"it": f"{n}", "says": m.guesses[n][0], "place": str(m.places[n])}
        replies.append(Reply(verdict, why, n == m.rise, words=told, label=_("block {it}")))
    return Scene(
        _(
            "One block after another works; the guess is read off the stream after each. After which block does "
            "“{best}” become the **top guess**?"
        ),
        _story(m, m.guesses[top][0], _tower(m, {n: m.guesses[n] for n in (0, 1, top)})),
        Choose(replies),
        _story(m, m.guesses[top][0], _tower(m, dict(enumerate(m.guesses)))),
        _("To read a guess off on the way up is called the logit lens."),
        _block(m),
    )


def _deaf(m: Found) -> Scene:
    top, last = len(m.guesses) - 1, m.guesses[0][0]
    why = _(
        "It says “{deaf}”, {alone} sure. Only heads bring something from other words; feed-forward parts make “{deaf}” "
        "of “{last}” alone."
    )
    whys = {
        m.guesses[top][0]: (_("No: then it would know the story."), why),
        last: (_("No: then nothing would work on it."), why),
        m.deaf[0]: (_("Yes, “{deaf}”."), why),
    }
    mute = ",".join(f"{layer}.{head}" for layer in range(top) for head in range(len(m.rows)))
    return Scene(
        _(
            "A block has {heads} heads and a **feed-forward part**. Now all heads are silenced. What does the model "
            "guess?"
        ),
        _story(m, "?", _tower(m, {top: UNKNOWN}, parts=_parts(m, heads=False))),
        _offer(m.deaf[0], whys),
        _story(m, m.deaf[0], _tower(m, {top: m.deaf}, parts=_parts(m, heads=False))),
        behind=Behind("explorer", {"model": MODEL, "text": m.text, "panel": "Mute heads", "mute": mute}),
    )


def _carried(m: Found) -> Scene:
    (best, sure), right = m.guesses[-1], 100 * m.carried[1]
    what = _(
        "“{best}” gets {left}, and no piece more than {most}. "
        "Heads bring what other words hold; feed-forward parts make something of it."
    )
    replies = guessed(what, _("Hardly more is left."), _("Far less is left."), _("Yes, hardly anything is left."))

    def shown(feed: bool, share: float) -> Picture:
        tower = _tower(m, {}, parts=_parts(m, feed=feed))
        return _story(m, best if feed else "", tower, bars(bar(best, share, LOOK, "answer"), share=0.35))

    return Scene(
        _(
            "The other way round: all heads work, all feed-forward parts are silenced. How sure of “{best}” will the "
            "model be? Drag."
        ),
        shown(True, sure),
        Drag(_("How sure the model will be, in per cent"), _("Silence them"), right, replies),
        shown(False, m.carried[1]),
        behind=_block(m, step="down"),
    )


def _looks(m: Found) -> Scene:
    last, aims = len(m.tokens) - 1, [*map(_most, m.rows)]
    aim = max(words_at(m.tokens), key=m.rows[m.keen].__getitem__)
    others = [i for head, i in enumerate(aims) if head != m.keen]
    right = 0 if aim not in others else 1 if {*others} != {aim} else 2
    listed = ", ".join(dict.fromkeys(f"“{word(m.tokens[i])}”" for i in sorted(others) if i and i != aim))
    why = _("The others look most at {listed}. So a block reads several words at once.")
    wrong = (_("No: not one does."), _("No: only some do."), _("No: all of them do."))[right]
    labels = _("none"), _("some"), _("all {others}")
    replies = [
        Reply(
            _("Yes, {it}.") if n == right else wrong,
            why,
            n == right,
            label=label,
            words={"listed": listed, "it": label},
        )
        for n, label in enumerate(labels)
    ]
    first = _("The number below a word is that of the head that looks at it. All look from the underlined word.")
    place = {"head": f"{m.block}.{m.keen}", "query": f"{last}", "key": f"{aim}"}
    return Scene(
        _(
            "Head {head} of block {n} gives “{aim}” {look} of its look. How many of the {others} others look most at "
            "“{aim}”, too?"
        ),
        (_aimed(m, [m.keen]),),
        Choose(replies),
        (_aimed(m, range(len(m.rows))),),
        first + (_(" A head without one looks at the sign in front of the text.") if 0 in aims else ""),
        Behind("explorer", {"model": MODEL, "text": m.text, **place}),
        words={"aim": word(m.tokens[aim]), "look": percent(m.rows[m.keen][aim]), "head": f"{m.keen + 1}"},
    )


def _aimed(m: Found, heads: Iterable[int]) -> Part:
    """The word that each of some heads looks at most, with the head's number below."""
    last, looks, notes = len(m.tokens) - 1, [], dict[int, str]()
    for head in heads:
        aim = _most(m.rows[head])
        if head == m.keen:
            aim = max(words_at(m.tokens), key=m.rows[head].__getitem__)
        if aim:
            tone = LOOK if head == m.keen else (DOES, NOTE, INK)[head % 3]
            weights = [share if i == aim else 0 for i, share in enumerate(m.rows[head])]
            looks.append(look(f"{head}", last, weights, tone))
            notes[aim] = f"{notes[aim]}, {head + 1}" if aim in notes else f"{head + 1}"
    return strip(m.tokens, blank="", under=last, looks=looks, notes=notes)


def _sum(m: Found) -> Scene:
    at, top = m.told, max(abs(value) for each in m.written for value in each)
    says = [number(round(each[at], 2) + 0.0, "+.2f") for each in m.written]
    come, _one, _more, feed, out = says
    labels = _("stream in"), _("head {n}", n=m.writer + 1), _("other heads"), _("feed-forward"), _("stream out")
    tones = INK, DOES, DOES, NOTE, LOOK
    rows = [line(one, one, each, says[n], tones[n], top) for n, (one, each) in enumerate(zip(labels, m.written))]
    unknown = line(labels[-1], labels[-1], [None] * SHOWN, "?", LOOK, top)
    why = _("Every part **adds** its row to the stream, and what came in goes on: {sum} = {out}.")
    whys = {
        come: (_("No: then the block would change nothing."), why),
        feed: (_("No: then the last part would wipe out the rest."), why),
        out: (_("Yes, the sum."), why),
    }
    order = sorted(whys, key=lambda each: float(each.replace("−", "-")))
    return Scene(
        _(
            "The **stream** is a row of numbers. The parts of block {blocks} write rows, too. What goes out at the "
            "mark?"
        ),
        (numbers(*rows[:-1], unknown, at=at),),
        Choose([Reply(*whys[each], each == out, label=each) for each in order]),
        (numbers(*rows, at=at),),
        _("Its first {count} numbers. This is called the **residual stream**; the guess is read off it at the top."),
        _block(m, step="add 2"),
        words={"sum": " ".join(says[:-1]), "out": out},
    )


def _pass(home: Found) -> Scene:
    rest = [share for *_guess, share in home.passed[:-1]]
    top, needed, replies = len(rest) + 1, rest.index(min(rest)), {}
    lost = _("“{best}” gets {its}. All others read what block {it} writes, and can do nothing without it.")
    passes = _("“{best}” still gets {its}. The stream passes by, the other blocks add to it. Press another.")
    looked = _(
        "“{best}” still gets {its}, though a head of this block looked hard at “{best}”: looking is not doing. Press "
        "another."
    )
    for n, share in enumerate(rest):
        found, told = n == needed, {"it": f"{n + 1}", "its": little(share)}
        shown = _tower(home, {top: home.passed[n][:2]}, off=[n + 1], press=() if found else range(1, top))
        missed = looked if n == home.block else passes
        verdict, why = (_("It is block {it}."), lost) if found else (_("Not block {it}."), missed)
        shows = (shown, _left(home, range(top))) if found else _story(home, home.passed[n][0], shown)
        replies[told["it"]] = Reply(verdict, why, found, shows, told)
    return Scene(
        _(
            "Parts only add to the stream, so blocks can be left out. Without block {blocks} “{best}” is lost. "
            "Press the **other** block that “{best}” needs."
        ),
        _story(home, home.guesses[-1][0], _tower(home, {top: home.guesses[-1]}, press=range(1, top))),
        Press(replies),
        hint=_("Each press leaves one block out; the one before comes back."),
        behind=_block(home),
        home=True,
    )


def _left(home: Found, blocks: Iterable[int]) -> Part:
    """How sure of the answer the model is, and still is without each of some blocks."""
    best, sure = home.guesses[-1]
    rows = (bar(_("no block {n}", n=n + 1), home.passed[n][2], SOFT) for n in blocks)
    return bars(bar(f"“{best}”", sure, LOOK), *rows)


def _block(m: Found, **more: str) -> Behind:
    """The page that takes the last block apart, and reads the guess off at every height."""
    place = {"head": f"{len(m.guesses) - 2}.0", "query": f"{len(m.tokens) - 1}"}
    return Behind("inside_block", {"model": MODEL, "text": m.text, **place, **more})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    rest = [share for *_guess, share in home.passed[:-1]]
    high, low = rest.index(max(rest)), rest.index(min(rest))
    heights = [(_("no block"), 0), (_("block 1"), 1), (_("all blocks"), len(m.guesses) - 1)]
    read = (bar(label, m.guesses[n][1], LOOK if n > 1 else SOFT, says=m.guesses[n][0]) for label, n in heights)
    needed = (_("all"), m.guesses[-1][1]), (_("no heads"), m.silent), (_("heads only"), m.carried[1])
    parts = (bar(label, share, LOOK if n == 0 else SOFT) for n, (label, share) in enumerate(needed))
    told = {"best": home.guesses[-1][0], "most": f"{high + 1}", "least": f"{low + 1}"}
    shares = {"high": percent(rest[high]), "low": little(rest[low])}
    passing = _(
        "Parts only add to the stream, so most blocks can be left out: “{best}” gets {high} without block {most}, but "
        "{low} without {least}."
    )
    return [
        End(
            _(
                "A guess is read off the stream at any height: “{last}” with no block, “{after}” after block 1, "
                "“{best}” at the top."
            ),
            (bars(*read),),
        ),
        End(
            _("Heads bring something from other words, feed-forward parts make something of it: “{best}” needs both."),
            (bars(*parts),),
        ),
        End(passing.format(**told, **shares), (_left(home, (high, low)),)),
    ]


LESSON = Lesson(
    "block",
    N_("Many heads, one block"),
    N_(
        "A guess is read off at every height of the model. What do heads do, what do feed-forward parts, and how do "
        "they join?"
    ),
    MODEL,
    STORY,
    measure,
    words,
    plot,
    end,
)
