"""Word vectors: from pairs of words in a text, over one step of training, to vectors; GloVe and FastText beside
them."""

import streamlit as st

from pages import IN
from pages.words.word_vectors.examples import examples
from pages.words.word_vectors.fasttext import page as fasttext
from pages.words.word_vectors.fasttext.state import Word
from pages.words.word_vectors.glove import page as glove
from pages.words.word_vectors.glove.state import Ratio
from pages.words.word_vectors.pairs import page as pairs
from pages.words.word_vectors.pairs.state import Pairs
from pages.words.word_vectors.state import FASTTEXT, GLOVE, PAIRS, STEP, TRAINING, Part
from pages.words.word_vectors.step import page as step
from pages.words.word_vectors.step.state import Step
from pages.words.word_vectors.training import page as training
from pages.words.word_vectors.training.state import Training
from tlmviz.errors import BadText, UnknownName
from tlmviz.ui import frame

PARTS = {PAIRS: pairs.show, STEP: step.show, TRAINING: training.show, GLOVE: glove.show, FASTTEXT: fasttext.show}


@frame.fragment
def show() -> None:
    """The part's menu, and the chosen part; of what was typed and cannot be read a sentence says what to type."""
    part = Part.part.draw()
    Part.of_session()
    try:
        PARTS[part]()
    except (BadText, UnknownName) as error:
        st.info(frame.worded(error))


frame.heading(IN["words/word_vectors"], examples, Part, Pairs, Step, Training, Ratio, Word)
show()
