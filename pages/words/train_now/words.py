"""The words of the page "Train it now": claim, what to notice, equation, snippet."""

from __future__ import annotations

from tlmviz.training.live import Live

from .controls import Choice

CLAIM = "Twenty seconds on a text of your own: words that stand in like company drift together."
NOTICE = (
    "**At first** all vectors are small and drawn by chance. Each pair of words that stand near each other pulls two of them "
    "together, and five drawn words are pushed away.",
    "**Words that stand in like company** end up side by side, though nobody said what any of them means.",
    "**It is stoppable,** and in slices of a tenth of a second: others who use this server get in between.",
)
NOTICE_MATHS = (
    "Skip-gram with negative sampling by plain gradient descent, 32 dimensions, batches of up to 32 text positions, a constant "
    "rate. All pictures lie on the two leading principal axes of the last one.",
)
EQUATION = (
    r"v_c \leftarrow v_c+\eta\Big((1-\sigma(u_o^\top v_c))\,u_o-\sum_{i=1}^{k}\sigma(u_{w_i}^\top v_c)\,u_{w_i}\Big)",
    "Mathematics in Modern NLP, section 3, Eq. 13–16, one step of ascent.",
)
BROKEN = (
    "The numbers ran away: at this rate every step overshoots, and the vectors grew beyond all bounds. Choose a smaller rate; "
    "the smallest is the safest."
)
TRAINNOW_ALT = "Word vectors in a plane, and the loss of the training"


def title(live: Live) -> str:
    """What was read so far."""
    passes = live.words_read / max(1, len(live.text.ids))
    return (
        f"{len(live.text.vocabulary):,} words, the {len(live.pictures[-1])} most frequent shown; text read "
        f"{passes:.1f} times in {live.elapsed:.1f} s"
    )


def state(live: Live) -> str:
    """How the training ended, or that it goes on."""
    if live.broken:
        return BROKEN
    if not live.begun and not live.words_read:
        return "Not trained yet: these vectors were drawn by chance. Press Train."
    if live.running:
        return "Training …"
    return "Stopped: the slider walks the film." if live.stopped else "Done: the slider walks the film."


def nearest(word: str, words: str) -> str:
    """The words nearest to one."""
    return f"Nearest to “{word}” by cosine: {words}."


def not_trained(word: str) -> str:
    """What is said of a word that has no vector."""
    return f"“{word}” is not among the words of this text that are trained; type another."


def snippet(choice: Choice, live: Live) -> str:
    """The same training with the public API."""
    text = repr(choice.text) if choice.text else "long_sample_text()"
    source = "" if choice.text else "from tlmviz.analysis.samples import long_sample_text\n"
    return f"""\
{source}from tlmviz.analysis.words.text import split_words
from tlmviz.training.live import Live, least_count
from tlmviz.training.words import WordText

words = split_words({text})
live = Live(WordText.of([words], least_count(len(words))), window={choice.window}, rate={choice.rate}, seconds=2)
while live.running:
    live.work()  # a tenth of a second
print(live.losses)
wv = live.vectors()
print(wv.neighbours({live.text.vocabulary[0]!r}, 5))
"""
