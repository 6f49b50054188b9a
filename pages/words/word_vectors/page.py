"""Word vectors: from pairs of words in a text, over one step of training, to vectors; GloVe and FastText beside
them."""

from pages import IN
from pages.words.word_vectors.examples import examples
from pages.words.word_vectors.fasttext import part as fasttext
from pages.words.word_vectors.glove import part as glove
from pages.words.word_vectors.pairs import part as pairs
from pages.words.word_vectors.state import FASTTEXT, GLOVE, PAIRS, STEP, TRAINING, Part
from pages.words.word_vectors.step import part as step
from pages.words.word_vectors.training import part as training
from tlmviz.ui.part import Parts, page

PART = Parts(
    Part,
    "part",
    {PAIRS: pairs.PART, STEP: step.PART, TRAINING: training.PART, GLOVE: glove.PART, FASTTEXT: fasttext.PART},
)

if __name__ == "__main__":
    page(IN["words/word_vectors"], PART, examples)
