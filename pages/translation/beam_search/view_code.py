"""The snippets of the page Beam search: the tree and the ranking with the public API."""

from __future__ import annotations

from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties

from .data import Data

NAMES = (
    "width",
    "max_length",
    "min_length",
    "stop",
    "no_repeat_ngram",
    "prefix",
    "banned",
    "groups",
    "diversity",
    "shown",
)


def options_code(options: BeamOptions) -> str:
    """Only what differs from the defaults."""
    plain = BeamOptions()
    changed = [f"{name}={getattr(options, name)!r}" for name in NAMES if getattr(options, name) != getattr(plain, name)]
    if options.penalties != plain.penalties:  # they matter to the rule that stops when no other can win
        changed.append(f"penalties={penalties_code(options.penalties)}")
    return f"BeamOptions({', '.join(changed)})"


def penalties_code(penalties: Penalties) -> str:
    return (
        f"Penalties({penalties.alpha:g}, {penalties.beta:g}, {penalties.gamma:g}, {penalties.length!r}, "
        f"{penalties.floor:g})"
    )


def snippet(data: Data) -> str:
    """The tree and the ranking of a translation, or of a story."""
    chosen, options = data.chosen, options_code(data.options)
    if chosen.has_source:
        imports, model, text = "BeamOptions", "mt", "mt.text(hypothesis.tokens)}}  {{hypothesis.parts"
        steppers, search, stepper = "", f"mt.search({chosen.text!r}, {options})", ""
    else:
        imports, model, text = "BeamOptions, beam_search", "lm", "lm.tokenizer.decode(hypothesis.tokens)"
        steppers = "from tlmviz.decoding.steppers import LanguageStepper\n"
        stepper = f"stepper = LanguageStepper(lm.network, lm.encode({chosen.text!r}), lm.tokenizer.end_of_text)\n"
        search = f"beam_search(stepper, {options})"
    if chosen.groups > 1:  # texts that several groups wrote come once
        search = f"beam_tree.once({search})"
    text = text.replace("}}", "}").replace("{{", "{")
    return f"""\
import tlmviz
from tlmviz.analysis.translation import beam_tree
from tlmviz.decoding.beam import {imports}
from tlmviz.decoding.penalties import Penalties
{steppers}from tlmviz.figures import LIGHT
from tlmviz.figures.translation import beam_tree as pictures

{model} = tlmviz.load({chosen.model!r})
{stepper}search = {search}
ranked = search.hypotheses({penalties_code(data.penalties)})
for hypothesis in ranked:
    print(f"{{hypothesis.score:8.4f}}  {{{text}}}")

best = ranked[0]
tree = beam_tree.tree(search, {model}.tokenizer.name, (beam_tree.Path("winner", best.tokens, best.logps, best.node),))
figure = pictures.tree(
    tree.nodes, tree.names, tree.fates(), LIGHT, title={model}.name,
    words=[pictures.level_words(level, {model}.tokenizer.vocab_size) for level in tree.levels],
    ranks={{hypothesis.node: f"#{{rank}}" for rank, hypothesis in enumerate(ranked, start=1)}},
    ways=tree.ways, faded=set(),
)
figure.show()
"""
