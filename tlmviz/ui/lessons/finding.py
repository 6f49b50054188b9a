"""Lesson 3, "How a head finds the earlier bird": one head leaves notes on what stood before, a head above it reads
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.written import percent
from tlmviz.tracing.trace import Recording, Trace

from ..language import N_, _
from .measures import NOTER, Head, heads_of, little, named, repeated, rewritten, row, without, word, words_at
from .parts import Behind, Choose, Drag, End, Lesson, Part, Picture, Press, Reply, Scene, Tap, Unfit, choose, guessed
from .pictures import INK, LOOK, NOTE, SOFT, bar, bars, likeliest, look, ring, rings, strip

MODEL = "stories-rope"
STORY = "Anna saw a yellow bird. Ben saw a little doll. Anna took the yellow"
FRONTS = ("red", "green", "baby")  # what stands before the bird instead; with the last one it is lost
NEW, BELOW = "sea", "KLMNO"  # stands in the place of the bird; heads to be silenced, N the noter
SURE, LOOKS, LESS = 0.4, 0.5, 0.75  # least share of the answer, least look at it, and what is left of that


@dataclass(frozen=True)
class Run:
    """One reading of a text, with an edit or without: the likeliest words, the answer's share, where the finder
    looks."""

    tokens: list[str]
    top: list[tuple[str, float]]
    share: float
    row: list[float]

    @property
    def text(self) -> str:
        """What is read."""
        return "".join(self.tokens[1:])


@dataclass(frozen=True)
class Found:
    """A text that repeats its last word: the answer, at `place`, followed it before, and the `finder` looks there.

    With each of five heads `silent`; where the noter looks `back` from every word; with the answer's note erased, or
    exchanged with its partner's. Of the lesson's story, `others`: with other words in it; and the share of NEW with no
    story before it.
    """

    place: int
    finder: Head
    whole: Run
    silent: Mapping[Head, Run]
    back: Mapping[int, list[float]]
    erased: Run
    partner: int
    exchanged: Run
    others: Mapping[str, Run]
    alone: float
    aims: Mapping[Head, tuple[str, float]]  # of each silent head: what it looks at most from the last word, its share
    misled: float  # the answer's share if the erased note were missed by the finder alone

    @property
    def last(self) -> int:
        """The last token."""
        return len(self.whole.tokens) - 1

    @property
    def one_back(self) -> list[int]:
        """The words from which the noter looks most at what stands right before."""
        return [i for i, weights in self.back.items() if max(weights) == weights[i - 1]]

    def at(self, place: int) -> str:
        """The word at a place."""
        return word(self.whole.tokens[place])


def measure(lm: LanguageModel, text: str) -> Found:
    """All of it, in some sixty passes."""
    trace = lm.trace(text)
    answer, place = repeated(lm, trace, SURE)

    def run(read: Trace, of: int = answer) -> Run:
        chances = read.probabilities()
        return Run(read.tokens, named(lm, chances, 3), float(chances[of]), row(read, finder))

    lookers = [head for head in heads_of(trace) if head[0] > NOTER[0] and row(trace, head)[place] > LOOKS]
    if not lookers:
        raise Unfit(N_("In your sentence no head looks at the word that followed last time."))
    finder = min(lookers, key=lambda head: float(without(lm, text, head).probabilities()[answer]))
    whole, erased = run(trace), run(rewritten(lm, text, NOTER, {place: None}))
    below = {head: run(without(lm, text, head)) for head in heads_of(trace) if head[0] < finder[0]}
    needed = sorted(below, key=lambda head: below[head].row[place])[: len(BELOW)]
    if needed[0] != NOTER or max(erased.row[place], below[NOTER].row[place]) > LESS * whole.row[place]:
        raise Unfit(N_("In your sentence the head that finds the word hardly needs an earlier one."))
    words = words_at(trace.tokens)[1:]
    free = [i for i in words if trace.ids[i - 1] != trace.ids[-1] and i not in (place, len(trace) - 1)]
    exchanged = {i: run(rewritten(lm, text, NOTER, {place: i, i: place})) for i in free}
    partner = max(free, key=lambda i: exchanged[i].row[i], default=place)
    if partner == place or exchanged[partner].row[partner] <= exchanged[partner].row[place]:
        raise Unfit(N_("In your sentence the notes alone do not lead the head."))
    others, alone, new = {}, 0.0, lm.encode(f"a {NEW}")[-1]
    if text == STORY:
        others = {each: run(lm.trace(text.replace(word(trace.tokens[-1]), each, 1))) for each in FRONTS}
        others[NEW] = run(lm.trace(text.replace(word(trace.tokens[place]), NEW)), new)
        alone = float(lm.trace(text.rpartition(". ")[2]).probabilities()[new])
    return Found(
        place,
        finder,
        whole,
        {head: below[head] for head in needed},
        {i: row(trace, NOTER, i) for i in words},
        erased,
        partner,
        exchanged[partner],
        others,
        alone,
        {head: _aim(trace, head) for head in needed},
        _misled(lm, text, finder, place, answer),
    )


def _aim(trace: Trace, head: Head) -> tuple[str, float]:
    """The word that a head looks at most from the last one, and its share."""
    weights = row(trace, head)
    most = max(words_at(trace.tokens), key=weights.__getitem__)
    return word(trace.tokens[most]), weights[most]


def _misled(lm: LanguageModel, text: str, finder: Head, place: int, answer: int) -> float:
    """The share of the answer if the finder writes what it does without the note, and all other heads read the note."""
    layer, at = finder
    z = rewritten(lm, text, NOTER, {place: None})[f"blocks.{layer}.attn.z"][0, at, -1]

    def edit(whole: Tensor, _record: Recording) -> Tensor:  # [B, H, T, D]
        edited = whole.clone()
        edited[:, at, -1] = z
        return edited

    return float(lm.trace(text, edit={f"blocks.{layer}.attn.z": edit}).probabilities()[answer])


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    best, now = m.exchanged.top[0]
    return {
        "word": m.at(m.place),
        "last": m.at(m.last),
        "look": percent(m.whole.row[m.place]),
        "sure": percent(m.whole.share),
        "same": little(m.whole.row[m.place - 1]),
        "silent": percent(m.silent[NOTER].row[m.place]),
        "note": percent(m.back[m.place][m.place - 1]),
        "often": str(len(m.one_back)),
        "all": str(len(m.back)),
        "left": percent(m.erased.share),
        "misled": percent(m.misled),
        "less": percent(m.erased.row[m.place]),
        "other": m.at(m.partner),
        "new": percent(m.exchanged.row[m.partner]),
        "gone": little(m.exchanged.row[m.place]),
        "best": best,
        "now": percent(now),
    }


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes on a text; the last two on the lesson's own."""
    own = (replace(scene, home=True) for scene in (_front(home), _copy(home)))
    return [_tap(m), _silence(m), _back(m), _erase(m), _exchange(m), *own]


def _looks(m: Found, run: Run, tags: Mapping[int, str], swapped: Sequence[int] = ()) -> Part:
    """A text with the finder's look from its last word."""
    looks = [look("F", m.last, run.row)]
    return strip(run.tokens, under=m.last, looks=looks, notes=tags, share=0.64, swapped=swapped)


def _not_there(m: Found, weights: Sequence[float], reason: str) -> dict[int, Reply]:
    """What a tap on any word gets, which has this look."""
    shares = {i: little(weights[i]) for i in words_at(m.whole.tokens) if i < len(weights)}
    return {i: Reply(_("Not there."), reason, words={"it": m.at(i), "its": its}) for i, its in shares.items()}


def _tap(m: Found) -> Scene:
    how = _("The model guesses “{word}”, {sure} sure. How can F know?")
    same = _("It gets {same} of the look. F lands one word further: “{word}” gets {look}. ") + how
    right = _("It gets {look} of the look, the earlier “{last}” before it {same}. ") + how
    other = _(
        "“{it}” gets {its} of the look; “{word}”, after the earlier “{last}”, gets {look}, that “{last}” {same}. "
    )
    replies = _not_there(m, m.whole.row, other + how)
    replies[m.place - 1] = Reply(_("No, not the same word."), same)
    replies[m.place] = Reply(_("Yes, “{word}”."), right, True)
    return Scene(
        _(
            "This story begins to repeat itself. Head **F** looks back from the last “{last}”. Tap the word it looks "
            "at most."
        ),
        (strip(m.whole.tokens, under=m.last, press=replies),),
        Tap(replies),
        (_looks(m, m.whole, {}), likeliest(m.whole.top)),
        _("A head is a part of the model that looks back. After your tap, bars show the three likeliest next words."),
        _behind(m),
        asks=True,
    )


def _rings(m: Found, named: Mapping[str, Head], silent: str = "") -> Picture:
    """Five earlier heads, one of them silent, and where the finder looks then."""
    run = m.silent[named[silent]] if silent else m.whole
    heads = []
    for name, head in named.items():
        (aim, share), tone = m.aims[head], NOTE if name == silent == "N" else INK
        heads.append(ring(name, share, f"“{aim}” {percent(share)}", tone, name == silent))
    return rings(*heads, press=silent != "N", verb=_("Silence"), share=0.4), _looks(m, run, {})


def _silence(m: Found) -> Scene:
    others = iter(sorted({*m.silent} - {NOTER}))
    heads = {name: NOTER if name == "N" else next(others) for name in BELOW}
    still = _("Without {name}, F still gives “{word}” {still} of its look. Try another.")
    told = {it: {"name": it, "still": percent(m.silent[heads[it]].row[m.place])} for it in heads}
    replies = {it: Reply(_("Not {name}."), still, shows=_rings(m, heads, it), words=told[it]) for it in heads}
    found = _("Without N, the look of F at “{word}” falls from {look} to {silent}. What does N do?")
    replies["N"] = Reply(_("It is N."), found, True, _rings(m, heads, "N"))
    return Scene(
        _(
            "F has help from earlier heads. Press one to silence it, always one alone. Which one does F need to find "
            "“{word}”?"
        ),
        _rings(m, heads),
        Press(replies),
        (),
        _(
            "These five heads work before F. Below each: what it looks at most from the last “{last}”. Each press "
            "silences one; the one before comes back."
        ),
        _behind(m, mute="{}.{}".format(*NOTER), panel="Mute heads"),
    )


def _back(m: Found) -> Scene:
    every = _("From {often} of {all} words, N looks most at what stands right before.")
    other = _("N gives “{it}” {its} of its look, “{last}”, right before “{word}”, {note}. ")
    replies = _not_there(m, m.back[m.place][: m.place + 1], other + every)
    replies[m.place - 1] = Reply(_("Yes, “{last}”."), _("It gets {note} of its look. ") + every, True)
    rows = {i: [weight * (n == i - 1) for n, weight in enumerate(m.back[i])] for i in m.one_back}
    return Scene(
        _("**N** looks back from every word. From “{word}”, tap the word that it looks at most."),
        (strip(m.whole.tokens, blank="", under=m.place, press=replies),),
        Tap(replies),
        (strip(m.whole.tokens, blank="", looks=[look(f"N{i}", i, each, NOTE) for i, each in rows.items()]),),
        behind=_behind(m, head="{}.{}".format(*NOTER), query=str(m.place), key=str(m.place - 1)),
    )


def _erase(m: Found) -> Scene:
    what = _(
        "{sure} sure becomes {left}. F gives “{word}” {less} of its look, not {look}. The word is there, its note is "
        "not."
    )
    if m.misled > m.erased.share + 0.01:
        what = _(
            "{sure} sure becomes {left}. F gives “{word}” {less} of its look, not {look}. Other heads miss the note, "
            "too: were it F alone, {misled} would be left."
        )
    replies = guessed(what, _("A little is left."), _("Less is left."))
    tags = {m.place: m.at(m.place - 1), m.partner: m.at(m.partner - 1)}

    def shown(run: Run, tags: Mapping[int, str], *rest: tuple[str, float]) -> Picture:
        likely = (bar(name, each, SOFT) for name, each in rest)
        sure = bars(bar(m.at(m.place), run.share, INK, "answer"), *likely, share=0.36)
        return _looks(m, run, tags), sure

    others = [each for each in m.erased.top if each[0] != m.at(m.place)][:2]

    return Scene(
        _(
            "N leaves a **note** on each word: what stood before. Now “{word}” loses its note. How sure of “{word}” is "
            "the model then? Drag."
        ),
        shown(m.whole, tags),
        Drag(_("How sure the model will still be, in per cent"), _("Erase the note"), 100 * m.erased.share, replies),
        shown(m.erased, {m.partner: tags[m.partner]}, *others),
        _("The tags below two words are their notes. Bars say how likely a next word is."),
        _behind(m, page="why"),
    )


def _exchange(m: Found) -> Scene:
    reads = _("The model guesses “{best}”, {now} sure. No word moved: F reads the notes.")
    moved = _("and “{other}”, with the note “{last}” now, {new} of the look. ") + reads
    replies = _not_there(m, m.exchanged.row, _("“{it}” gets {its}, “{word}” {gone}, ") + moved)
    replies[m.place] = Reply(_("Not any more."), _("It gets {gone}, ") + moved)
    right = _("It has the note “{last}” now and gets {new} of the look, “{word}” {gone}. ") + reads
    replies[m.partner] = Reply(_("Yes, “{other}”."), right, True)
    tags = {m.partner: m.at(m.place - 1), m.place: m.at(m.partner - 1)}
    return Scene(
        _("Now “{word}” and “{other}” exchange their notes; every word stays. Tap the word that **F** looks at most."),
        (strip(m.whole.tokens, under=m.last, press=replies, notes=tags),),
        Tap(replies),
        (_looks(m, m.exchanged, tags), likeliest(m.exchanged.top)),
        _("F still looks from the underlined word. After your tap, bars show the three likeliest next words."),
    )


def _front(home: Found) -> Scene:
    front, lost, gone = home.place - 1, FRONTS[-1], home.others[FRONTS[-1]]
    alike = _("A note like “{last}” will do: a colour, not “{lost}”.")
    yes = _("It gives “{word}” {its} of its look; with “{lost}”, {gone}, and the model guesses “{says}”. ") + alike
    no = _("It gives “{word}” {gone} of its look, and the model guesses “{says}”. ") + alike
    replies, tokens = [], [*home.whole.tokens]
    tokens[front] = " …"
    for it in FRONTS:
        run, verdict = home.others[it], _("Yes, F loses it.") if it == lost else _("F still finds it.")
        told = {"its": percent(run.row[home.place])}
        looks = (bar(each, home.others[each].row[home.place], LOOK if each == it else SOFT) for each in FRONTS)
        head = _("look of F at “{word}”", word=home.at(home.place))
        shown = _looks(home, run, {home.place: it}, [front]), bars(*looks, head=head, share=0.36)
        replies.append(Reply(verdict, no if it == lost else yes, it == lost, shown, told, f"“{it}”"))
    return Scene(
        _(
            "Now another word stands before “{word}”, in place of the first “{last}”. With which of these three does "
            "F **lose** “{word}”?"
        ),
        (strip(tokens, under=home.last, swapped=[front]),),
        Choose(replies),
        shown,
        behind=_behind(home, home.others[lost]),
        words={"lost": lost, "gone": percent(gone.row[home.place]), "says": gone.top[0][0]},
    )


def _copy(home: Found) -> Scene:
    run, tags = home.others[NEW], {home.place: home.at(home.place - 1)}
    why = _(
        "The model is {copied} sure of “{thing}”: F finds whatever stood after “{last}”, or after a word like it, "
        "sense or not. After the last sentence alone, it is {alone} sure."
    )
    answers = (
        ("“{word}”", _("No: this story has none.")),
        ("“{thing}”", _("Yes, “{thing}”.")),
        ("“{other}”", _("No: then sense would count.")),
    )
    return Scene(
        _("Now Anna saw a {last} **{thing}**. Nobody can take a {thing} home. What will the model say that she took?"),
        (strip(run.tokens, under=home.last, swapped=[home.place]),),
        choose("“{thing}”", *((*each, why) for each in answers)),
        (_looks(home, run, tags, [home.place]), likeliest(run.top)),
        _("Then bars show the three likeliest next words."),
        _behind(home, run),
        words={"thing": NEW, "copied": percent(run.share), "alone": little(home.alone)},
    )


def _behind(m: Found, run: Run | None = None, page: str = "explorer", **more: str) -> Behind:
    """A page on where the finder looks, in a run of its own."""
    place = {"head": "{}.{}".format(*m.finder), "query": str(m.last), "key": str(m.place)}
    return Behind(page, {"model": MODEL, "text": (run or m.whole).text, **place, **more})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    here, top = m.at(m.place), home.others[NEW].top
    sure = _("sure of “{word}”", word=here)
    erased = bars(bar(_("noted"), m.whole.share), bar(_("erased"), m.erased.share, NOTE), head=sure)
    shares = (bar(m.at(i), m.exchanged.row[i], LOOK) for i in (m.place, m.partner))
    looks = bars(*shares, head=_("look of F"))
    chain = _(
        "Two heads in a chain, an **induction** circuit, copy whatever followed the word, or one like it: “{thing}”, "
        "{copied} sure."
    )
    return [
        End(
            _("One head leaves a note on each word: what stood before. Note erased: {sure} sure becomes {left}."),
            (erased,),
        ),
        End(
            _("A later head looks for a note that fits the last word. Exchange two, and it looks at the other word."),
            (looks,),
        ),
        End(chain.format(thing=NEW, copied=percent(home.others[NEW].share)), (likeliest(top[:2], 1),)),
    ]


LESSON = Lesson(
    "finding",
    N_("How a head finds the earlier bird"),
    N_("What stood after a word is found again: one head leaves notes, another reads them. Erase one, exchange two."),
    MODEL,
    STORY,
    measure,
    words,
    plot,
    end,
)
