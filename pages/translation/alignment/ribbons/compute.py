"""What the view "Ribbons" computes: the text decoded on from each pin in turn."""

from __future__ import annotations

from difflib import SequenceMatcher

from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.records import Candidate
from tlmviz.ui import translation

from .controls import Choice


def rewritten(choice: Choice) -> Candidate:
    """The hypothesis with its pins: from each one on, what was written before it stays and the beam decodes on."""
    base, text = choice.hypothesis, choice.hypothesis.candidate
    for count, (step, _) in enumerate(choice.pins, start=1):
        if step >= len(text.tokens):
            break
        options = BeamOptions(width=base.width, prefix=text.tokens[:step])
        search = translation.search(base.model, base.text, options, choice.pins[:count])
        text = search.hypotheses(base.penalties, base.align)[0]
    return text


def changed(before: Candidate, after: Candidate) -> list[bool]:
    """Whether each token of `after` is none of those that it has in common with `before`, in order."""
    new = [True] * len(after.tokens)
    for block in SequenceMatcher(None, before.tokens, after.tokens, autojunk=False).get_matching_blocks():
        new[block.b : block.b + block.size] = [False] * block.size
    return new
