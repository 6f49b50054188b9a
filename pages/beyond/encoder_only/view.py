"""Draws the page Encoder-only: four parts, each with its picture first."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.errors import BadText
from tlmviz.figures import number
from tlmviz.figures.beyond.encoding import losses
from tlmviz.figures.translation.token_map import beside, token_map
from tlmviz.ui import address, frame, inputs, link, live, translation
from tlmviz.ui import compute as shared
from tlmviz.ui.language import N_, _

from . import claims
from .data import BOTH, DECODER, NAME, THREE, Data
from .state import CLS, HEAD, HIDDEN, KINDS, RIGHT_ORDER, SECOND, Choice

WORDS = live.Picture(__file__, "encoderhidden", "hidden.js", place=Choice.place)
READ = live.Picture(__file__, "encodercls", "cls.js", head=HEAD)
SECONDS = {
    N_("Two words exchanged"): SECOND,
    N_("In the right order"): RIGHT_ORDER,
    N_("Another story"): "Tom and his dog went to the lake. The dog saw a big fish and Tom laughed.",
}
EQUATION = (
    r"p(x_i = w \mid x_{\setminus i}) = \mathrm{softmax}(E\,h_i)_w,\qquad "
    r"p(\text{words exchanged}) = \sigma\left(\mathbf{w}^\top h_{\mathrm{[CLS]}} + c\right)",
    "Devlin, Chang, Lee and Toutanova 2018; LLM notes, section 7.1. h: the last layer's vectors, E: the embedding.",
)


def controls() -> Choice | None:
    """Draw the controls; what they say. None, with a sentence, where that cannot be read."""
    part = Choice.part.draw()
    if part == CLS:
        left, right, other = st.columns([0.44, 0.44, 0.12])
        Choice.first.draw(left)
        Choice.second.draw(right)
        offered = {_(name): text for name, text in SECONDS.items()}
        with frame.more(other):
            inputs.text_buttons(offered, "seconds", Choice.second.set, _("Swap in as the second text"))
    else:
        (Choice.sentence if part == KINDS else Choice.text).draw()
    chosen = Choice.of_session(layer=0, head=0)
    try:
        shown = Data(chosen)  # before a head is looked for
    except BadText as error:
        st.warning(frame.worded(error))
        return None
    address.pictures_read(model=NAME if part in (HIDDEN, CLS) else " · ".join(THREE))
    if part == HIDDEN:
        return chosen
    link.open_on(f"encoder:{part}", lambda: shown.opening)
    config = shown.encoder.config
    layer, head = link.view().fitted(config.n_layers, config.n_heads, 1).head
    if part != CLS:
        with frame.after_picture(name=part[:4].strip()):
            places = st.columns([0.14, 0.14, 0.72], vertical_alignment="center")
        layer, head = inputs.head_menus(config.n_layers, config.n_heads, places)
    link.FIELDS["head"].share()
    return Choice.of_session(layer=layer, head=head)


def hidden(shown: Data) -> None:
    """A text in which a click hides a token."""
    found, config = shown.found, shown.encoder.config
    known = [i if i < config.cls else None for i in found.ids]
    header = {
        "title": _("A hidden word, guessed from both sides and from the left"),
        "tokens": found.tokens,
        "masked": [i == config.mask for i in found.ids],
        "offers": [
            {"both": shown.offers(found.both, at, truth), "causal": shown.offers(found.causal, at, truth)}
            for at, truth in enumerate(known)
        ],
        "shown": shown.place,
    }
    with st.container(key="encoderhidden"):
        WORDS.show(header, {"both": found.of_truth(found.both), "causal": found.of_truth(found.causal)})


def cls(shown: Data) -> None:
    """Two texts, what [CLS] says of them, and what it reads."""
    watched = shown.watched
    header = {
        "title": _("What [CLS] reads of two texts"),
        "tokens": watched.tokens,
        "first": watched.ids.index(shown.encoder.config.sep),
        "head": [shown.chosen.layer, shown.chosen.head],
        "verdicts": claims.verdicts(shown),
        "moved": shown.judged.suspects,
    }
    with st.container(key="encodercls"):
        READ.show(header, {"row": shown.rows.astype(np.float32)})


def masks(shown: Data) -> None:
    """One head's map with and without a causal mask on the same parameters, and what the mask costs each hidden
    token."""
    theme, found, tokens = frame.theme(), shown.found, shown.watched.tokens
    layer, head = shown.chosen.layer, shown.chosen.head
    titles = _("As trained: both sides (probability)"), _("Causal mask put on (probability)")
    for causal, (place, title) in enumerate(zip(st.columns(beside(2)), titles)):
        mask = "causal" if causal else "none"
        figure = token_map(shown.maps[causal], tokens, tokens, theme, title=title, mask=mask, bar=bool(causal))
        alt = _("Map of L{layer}H{head}: {title}", layer=layer, head=head, title=title)
        with place:
            frame.chart(figure, key=f"enc-{bool(causal)}", alt=alt)
    figure = losses([found.tokens[at] for at in found.asked], found.bits(found.both), found.bits(found.causal), theme)
    with frame.wide("wide-losses", 620):
        alt = _("Bits that each hidden token costs, from both sides and from the left")
        frame.chart(figure, key="enc-losses", alt=alt)


def kinds(shown: Data) -> None:
    """One sentence in an encoder, a decoder and a model with both, and Table 3."""
    text, layer, head = shown.chosen.sentence, shown.chosen.layer, shown.chosen.head
    maps, (low, few) = shown.both_maps, shown.nearest
    own = translation.SentencePair(BOTH, text, translation.own_translation(BOTH, text))
    alone, decoder = shown.watched, shared.trace(DECODER, text)
    source, written = own.source, own.decoder_inputs
    rows = (
        (
            (_("Encoder-only: both sides"), alone.attention(layer, head), alone.tokens, alone.tokens, "none"),
            (_("Decoder-only: the left"), decoder.attention(layer, head), decoder.tokens, decoder.tokens, "causal"),
        ),
        (
            (_("Both · encoder"), maps.encoder[low, few], source, source, "none"),
            (_("Both · decoder"), maps.decoder[low, few], written, written, "causal"),
            (_("Both · cross"), maps.cross[low, few], written, source, "none"),
        ),
    )
    for line, row in enumerate(rows):
        for at, (place, (title, weights, queries, keys, mask)) in enumerate(zip(st.columns(beside(len(row))), row)):
            drawn = f"L{low}H{few}" if line else f"L{layer}H{head}"
            named = _("{title}, {head} (probability)", title=title, head=drawn)
            figure = token_map(
                np.asarray(weights),
                queries,
                keys,
                frame.theme(),
                title=named,
                mask=mask,
                bar=at == len(row) - 1,
                height=310,
            )
            with place:
                alt = _("{title}: map of one head on this sentence", title=title)
                frame.chart(figure, key=f"enc-kind-{line}-{at}", alt=alt)
    _table(shown)


def _table(shown: Data) -> None:
    """Table 3 of the notes, with what each model makes of this sentence."""
    found, quoted = shown.answers, claims.quoted
    rows = (
        (
            _("**Encoder-only** (stories-encoder; BERT)"),
            _("understanding with context from both sides; classifying, retrieving, embedding"),
            _("writing"),
            _(
                "{word} hidden: guesses {guess}, p = {p}",
                word=quoted(found.hidden),
                guess=quoted(found.guess),
                p=number(found.p, ".2f"),
            ),
        ),
        (
            _("**Decoder-only** (zoo-rope; GPT, LLaMA)"),
            _("simple; easily trained to write; any text can be its prompt"),
            _("sees no context at the right; weaker at plain understanding unless adapted"),
            _("goes on with {word}, p = {p}", word=quoted(found.following), p=number(found.p_following, ".2f")),
        ),
        (
            _("**Both** (eng-fra; T5)"),
            _("one sequence into another: translation, summaries, speech to text"),
            _("needs pairs to learn from; two stacks to compute"),
            quoted(found.translated),
        ),
    )
    head = _("| | good at | not good at | on this sentence, now |")
    st.markdown("\n".join([head, "| --- | --- | --- | --- |", *(f"| {' | '.join(row)} |" for row in rows)]))
    frame.caption(_("The last column is measured."), maths=_("The others: LLM notes, section 7.3, Table 3."))


def snippet(shown: Data) -> str:
    """What the open part shows, with the public API."""
    text, second = shown.chosen.read
    layer, head = shown.chosen.layer, shown.chosen.head
    if second is not None:
        return f"""\
import tlmviz

model = tlmviz.load("stories-encoder")
first, second = {text!r}, {second!r}
print("words exchanged:", model.exchanged(first, second), "of one story:", model.belong(first, second))
trace = model.trace(first, second)
row = trace.attention({layer}, {head})[0]  # what [CLS] reads
for token, weight in zip(trace.tokens, row):
    print(token, round(float(weight), 4))
"""
    return f"""\
import tlmviz
from tlmviz.analysis.beyond.encoding import each_hidden, nats

model = tlmviz.load("stories-encoder")
for guess in model.predict("Once upon a time there was a little [MASK] named Lily.", top=5):
    print(guess.position, guess.words)
ids = model.encode({text!r})
both, causal = (nats(each_hidden(each, ids), ids) for each in (model, model.causal))  # [T]; each token hidden alone
weights = model.trace({text!r}).attention({layer}, {head})  # [T, T], no mask
for token, one, other in zip(model.names(ids), both, causal):
    print(f"{{token!r}}: {{one:.2f}} nats from both sides, {{other:.2f}} from the left")
"""
