"""The predictions of the page Attention explorer as bars: their cuts, and what is written next."""

from __future__ import annotations

from tlmviz.analysis.attention.attribution import can_attribute
from tlmviz.decoding.cuts import Cuts, cut, drawn
from tlmviz.figures import readable, readable_all
from tlmviz.tokens import output_names
from tlmviz.ui import compute as shared
from tlmviz.ui.components.next_tokens import Bar, Bars, Cut, Writing

from . import compute, controls, words, writing
from .controls import Choice, Drawing

SHOWN = 10  # tokens


def bars(choice: Choice, drawing: Drawing) -> Bars:
    """The most probable tokens after the pinned one."""
    trace, tokenizer, sampling = choice.trace, choice.lm.tokenizer, drawing.sampling
    muted = choice.view.mute
    read = shared.trace(choice.model, choice.text, muted, controls.replacement()) if muted else trace
    logits = read.logits_at(choice.query)
    cuts = cut(logits, sampling)
    top = cuts.before.topk(min(SHOWN, len(logits)))
    ids = top.indices.tolist()
    word = writing.WORD.get()
    if word is not None and word < len(logits) and word not in ids:
        ids = [*ids[:-1], word]  # the word that is asked about stays in sight
    names = readable_all(output_names(tokenizer, ids))
    whole = trace.probabilities(choice.query, sampling.temperature) if muted else None
    rows = [
        Bar(
            i,
            name,
            cuts.before[i].item(),
            cuts.after[i].item(),
            None if whole is None else whole[i].item(),
            i == word,
        )
        for i, name in zip(ids, names)
    ]
    token = drawn(logits, sampling, drawing.seed, choice.query)
    return Bars(
        rows,
        readable(trace.tokens[choice.query]),
        _lines(cuts, sampling),
        words.cuts(drawing, cuts, len(logits)) + words.muted(len(muted)),
        _writing(choice, token),
        can_attribute(choice.lm, trace),
    )


def written(choice: Choice) -> dict | None:
    """What each head and MLP adds to the logit of the word that is asked about; None while none is, or where it is no sum."""
    word, lm = writing.WORD.get(), choice.lm
    if word is None or lm.task != "language" or word >= lm.config.vocab_size:
        return None
    if not can_attribute(lm, choice.trace):
        return None
    parts = compute.attribution(choice.model, choice.text, choice.query, word)
    return {
        "word": lm.tokenizer.name(word),
        "logit": parts.logit,
        "heads": [round(value, 4) for value in parts.heads.flatten().tolist()],
        "mlps": [round(value, 4) for value in parts.mlps.tolist()],
        "embedding": parts.embedding,
        "rest": parts.rest,
    }


def _lines(cuts: Cuts, sampling) -> list[Cut]:
    """Where the filters cut through the bars."""
    lines = []
    if cuts.top_k is not None:
        lines.append(Cut(f"top-k {sampling.top_k}", rows=cuts.top_k))
    if cuts.top_p is not None:
        lines.append(Cut(f"top-p {sampling.top_p:g}", rows=cuts.top_p))
    if cuts.least is not None:
        lines.append(Cut(f"min-p {sampling.min_p:g}", p=cuts.least))
    return lines


def _writing(choice: Choice, token: int) -> Writing:
    """What is written next, unless the model ends the text there or nothing more fits."""
    lm, written = choice.lm, len(writing.steps(choice.text))
    if token in lm.tokenizer.ends:
        return Writing(None, written, words.TEXT_ENDS)
    if len(choice.trace) >= lm.config.context:
        return Writing(None, written, words.longest_reached(lm.name, lm.config.context))
    note = words.CUT_OFF if choice.query < len(choice.trace) - 1 else writing.remark()
    return Writing((token, lm.tokenizer.name(token)), written, note)
