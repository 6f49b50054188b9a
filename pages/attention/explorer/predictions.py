"""The predictions of the page Attention explorer as bars: their cuts, and what is written next."""

from __future__ import annotations

from tlmviz.analysis.attention.attribution import can_attribute
from tlmviz.decoding.cuts import Cuts, cut, drawn
from tlmviz.figures import readable, readable_all
from tlmviz.tokens import output_names
from tlmviz.ui import compute as shared
from tlmviz.ui.components.next_tokens import Bar, Bars, Cut, Writing
from tlmviz.ui.language import _

from . import claims, writing
from .data import Data

SHOWN = 10  # tokens


def bars(data: Data) -> Bars:
    """The most probable tokens after the pinned one."""
    chosen, trace, tokenizer = data.chosen, data.trace, data.lm.tokenizer
    sampling, muted = chosen.sampling, chosen.view.mute
    read = shared.trace(chosen.model, chosen.text, muted, chosen.how) if muted else trace
    logits = read.logits_at(data.query)
    cuts = cut(logits, sampling)
    top = cuts.before.topk(min(SHOWN, len(logits)))
    ids = top.indices.tolist()
    word = chosen.word
    if word is not None and word < len(logits) and word not in ids:
        ids = [*ids[:-1], word]  # the word that is asked about stays in sight
    names = readable_all(output_names(tokenizer, ids))
    whole = trace.probabilities(data.query, sampling.temperature) if muted else None
    rows = [
        Bar(i, name, cuts.before[i].item(), cuts.after[i].item(), None if whole is None else whole[i].item(), i == word)
        for i, name in zip(ids, names)
    ]
    token = drawn(logits, sampling, chosen.seed, data.query)
    return Bars(
        rows,
        readable(trace.tokens[data.query]),
        _lines(cuts, sampling),
        claims.cuts(sampling, cuts, len(logits)) + claims.muted(len(muted)),
        _writing(data, token),
        can_attribute(data.lm, trace),
    )


def written(data: Data) -> dict | None:
    """What each head and MLP adds to the logit of the word that is asked about, as the attention view has it."""
    if (parts := data.attribution) is None:
        return None
    return {
        "word": data.lm.tokenizer.name(data.chosen.word),
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


def _writing(data: Data, token: int) -> Writing:
    """What is written next, unless the model ends the text there or nothing more fits."""
    lm, written = data.lm, len(writing.steps(data.chosen.text))
    if token in lm.tokenizer.ends:
        return Writing(None, written, _("The model ends the text here."))
    if len(data.trace) >= lm.config.context:
        said = _("{model} reads no more than {most} tokens.", model=lm.name, most=f"{lm.config.context:,}")
        return Writing(None, written, said)
    cut_off = _("A word that is written here takes the place of what follows.")
    note = cut_off if data.query < len(data.trace) - 1 else writing.remark()
    return Writing((token, lm.tokenizer.name(token)), written, note)
