"""The examples of the page Beam search: links to what stands out, sentences to translate, and beginnings of stories."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs, translation
from tlmviz.ui.gallery import Card
from tlmviz.ui.language import _

from .state import EXACT, STORY, TREE, Beam

CAT = "The black cat is sleeping on the red chair."
CARDS = (
    Card(
        "Greedy goes astray",
        "Greedy writes “Je suis en train de faire froid …”; a beam of 5 finds “J'ai froid dans mon manteau rouge.”",
        {},
        "A beam tree whose orange winner and dotted greedy path part at the first words",
    ),
    Card(
        "I am a cold person",
        "“I am cold.”: greedy says “Je suis froid.”, the beam “J'ai froid.”, which is more probable too.",
        Beam.link(sentence="I am cold."),
        "A small beam tree: the winner “J'ai froid.” beside greedy's “Je suis froid.”",
    ),
    Card(
        "A wider beam is worse",
        "With 8 beams the winner's score is lower than with 5: the search ends before the better text is complete.",
        Beam.link(sentence=CAT, width=8),
        "A wide beam tree of the black cat on the red chair",
    ),
    Card(
        "Without a length penalty the short text wins",
        "At α 0 the cat “dort”; at 0.6 it “est en train de dormir”, four tokens longer and less probable.",
        Beam.link(sentence=CAT, alpha=0.0),
        "A beam tree and its ranking with all of the length penalty taken away",
    ),
    Card(
        "The coat is to blame",
        "Forced to begin with “Mon manteau”, the model still finds a sentence: “Mon manteau me fait froid.”",
        Beam.link(forced="Mon manteau"),
        "A beam tree whose first two words are forced",
    ),
    Card(
        "A proof that nothing is better",
        "Exact search visits few of the possible texts and proves that no text is more probable than “J'ai froid.”",
        Beam.link(sentence="I am cold.", view=EXACT),
        "The table and curves of exact search beside greedy and beams",
    ),
)
STORIES = {
    "A girl and a ball": "Once upon a time there was a little girl named Lily. Lily had a red ball.",
    "A sad dragon": "The dragon was sad because",
    "Two friends": "Tom and Anna went to the park. Tom said,",
    "A big box": "One day, a boy found a big box. In the box was",
}


def examples() -> None:
    """Cards, and texts for both kinds of search."""
    gallery.menu(__file__, CARDS, _texts)


def _texts() -> None:
    inputs.text_buttons(translation.EXAMPLES, "translate", _translate, _("To translate"))
    inputs.text_buttons(STORIES, "continue", _continue, _("To continue as a story"))


def _translate(sentence: str) -> None:
    Beam.sentence.set(sentence)
    if Beam.view.get() == STORY:
        Beam.view.set(TREE)


def _continue(beginning: str) -> None:
    Beam.prompt.set(beginning)
    Beam.view.set(STORY)
