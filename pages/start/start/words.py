"""The words of the page Start: its claim, what its picture says, and each chapter in a sentence."""

from __future__ import annotations

CLAIM = "Type a sentence. A real model reads it now, and you see which words look at which."
HEADS = {"finder": "A head that finds", "back": "A head that looks one back"}
HOW = (
    "The framed word looks; the bluer a word, the more it is looked at. Point at any word, or tap it. Words behind it are not "
    "seen yet."
)
ALL_HEADS = "All {heads} heads of {model}, in the Attention explorer"
SHORT = "Only the first {tokens} tokens are shown here; the Attention explorer shows all."
NOTICE = (
    "Weights are shares: what a word gives to itself and to earlier words adds up to 100 %.",
    "Each picture of a chapter is drawn from a model, on your sentence where the chapter reads sentences. Click one to go there.",
)
# Chapter -> what it shows in a sentence; the picture is of the same.
CLAIMS = {
    "Attention": "Every word looks at earlier ones, and each head in its own way.",
    "Positions": "A score depends on how far apart two words stand.",
    "Caches": "What is kept for each word: the fewer heads of keys and values, the less.",
    "Translation": "Each word that is written looks at the words that are read.",
    "Beyond decoders": "A few learned rows look at a handwritten digit, each at other parts.",
    "Streams": "Four residual streams, mixed by matrices that cannot amplify.",
    "Experts": "Each word goes to a few of many small networks.",
    "Words": "Words that stand in like places lie near each other.",
    "Numbers": "Sums of more products spread further: why scores are divided by √d.",
    "Cost": "Where the parameters are: attention, feed-forward part, table.",
    "Kernels": "Softmax in one pass: the running maximum only ever grows.",
    "Notation": "A few outer products make up most of what a head hands on.",
    "Models": "Twelve small models that differ in one thing each; here, the bytes that each keeps for a word.",
    "Workbench": "Change one word, and see whose attention moves.",
}
# The two texts that the Workbench's picture compares.
COMPARED = (
    "Lily had a red ball. One day, Lily lost the red",
    "Lily had a red hat. One day, Lily lost the red",
)


def card_alt(claim: str) -> str:
    """What the picture of a chapter shows, for screen readers."""
    return f"A picture of this chapter: {claim}"
