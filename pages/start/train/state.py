"""The state of the page Train a transformer: a task, a network, how it learns, and what a second run beside it does
otherwise."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

INDUCTION, TEXT, PIECES = "induction", "text", "pieces"
TEXTS = (TEXT, PIECES)  # tasks that learn the reader's text
TASKS = {
    INDUCTION: N_("Go on with what repeats"),
    "copy": N_("Copy eight digits"),
    "reverse": N_("Reverse eight digits"),
    "sort": N_("Sort eight digits"),
    "turned": N_("Add, last digit first"),
    "addition": N_("Add, as written"),
    TEXT: N_("Your own text, by letters"),
    PIECES: N_("Your own text, by pieces"),
}
ROPE, LEARNED, NONE = "rope", "learned", "none"
POSITIONS = {ROPE: N_("RoPE"), LEARNED: N_("Learned"), NONE: N_("None")}
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
HIGH = RATES[-1]
ALONE = "alone"
BESIDE = {
    ALONE: N_("Nothing"),
    "layer": N_("The same with one layer"),
    "mask": N_("The same without a mask"),
    "fixed": N_("The same, taught one distance"),
    "positions": N_("The same without positions"),
    "rate": N_("The same at rate 0.1"),
}
STORY = (
    "Once upon a time there was a little girl called Lily. Lily had a red ball. One day Lily lost the red ball in the "
    "park. She looked under the tree and she looked behind the bench. Then she saw her friend Tom. Tom had found the "
    "red ball. He gave the ball back to Lily. Lily was happy. She said thank you to Tom. Then Lily and Tom played with "
    "the red ball until the sun went down. The next day Tom had a new kite. The kite was blue. Lily and Tom went to "
    "the park again. The wind was strong and the kite flew high above the tree. Tom was happy. He gave the kite to "
    "Lily and she held it too. "
)
LONGEST = 20_000  # letters of a text


class Choice(state.State):
    """A task, a network, how it learns, and what stands beside it."""

    task = state.menu(N_("Task"), TASKS, key="trtask")
    layers = state.slider(N_("Layers"), 1, 4, 2, key="trlayers")
    positions = state.menu(N_("Positions"), POSITIONS, key="trpos")
    beside = state.menu(
        N_("Beside it"),
        BESIDE,
        key="trbeside",
        help=N_("A second run with one thing changed. Guess first what comes of it."),
    )
    heads = state.menu(N_("Heads of a layer"), (1, 2, 4, 8), key="trheads", default=4)
    width = state.menu(N_("Width d"), (32, 64, 128), key="trwidth", default=64)
    rate = state.menu(N_("Learning rate"), RATES, key="trrate", default=1e-3)
    seed = state.number(N_("Seed"), 0, 999, 0, key="trseed", help=N_("Decides the weights at the start, and the data."))
    mlp = state.toggle(N_("MLP"), key="trmlp", help=N_("Each block has one too, four times as wide inside."))
    mask = state.toggle(N_("Causal mask"), True, key="trmask", help=N_("Each position sees earlier ones and itself."))
    norm = state.toggle(N_("RMSNorm"), True, key="trnorm")
    guess = state.toggle(
        N_("Guess first"), True, key="trguess", help=N_("A second run waits until you have guessed what comes of it.")
    )
    pieces = state.menu(
        N_("Pieces at most"),
        (64, 128, 256, 512),
        key="trpieces",
        default=256,
        help=N_("The vocabulary, learnt from the text by byte-pair encoding (BPE)."),
    )
    text = state.text(N_("Text"), STORY, key="trtext", height=120, longest=LONGEST)
