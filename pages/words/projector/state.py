"""The state of the page Projector: whose vectors, how they are laid into a plane, the word, and the analogy asked
for."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui import words as word_models
from tlmviz.ui.language import N_

MAP, FILM, ANALOGIES = "Map", "Film", "Analogies"
PCA, TSNE = "PCA", "t-SNE"
WORDS, CONTEXTS, EMBEDDINGS, UNEMBEDDINGS = "words", "context words", "embeddings", "unembeddings"
CATEGORY, KIND, RANK = "category", "kind", "rank"
QUIET = {"label_visibility": "collapsed"}
Camera = tuple[float, float, float]  # x and y of the middle, and the zoom


def _camera(text: str) -> Camera:
    x, y, zoom = text.split(",")
    share, larger = link.real(0, 1), link.real(0.5, 200)
    return share(x), share(y), larger(zoom)


def _frame(text: str) -> int:
    return -1 if text == "-1" else link.whole(0, 999)(text)


def _typed(label: str, default: str, key: str) -> state.Control:
    return state.text(label, default, key=key, more={"live": "250ms", **QUIET}, ends=("", "qwxz", "😀 é"))


def _forget() -> None:
    """Another picture is looked at from its own beginning."""
    Projector.camera.set(None)
    Projector.frame.set(-1)


class Projector(state.State):
    """A model and which of its vectors; how they are drawn; the word that is chosen, and the analogy a : b = c : ?."""

    view = state.parts(N_("View"), (MAP, FILM, ANALOGIES), key="wpv", changed=_forget)
    model = state.menu(
        N_("Vectors of"),
        key="wpm",
        default=word_models.DEFAULT_MODEL,
        parse=link.up_to(200),
        changed=_forget,
        **QUIET,
        help=N_("Word vectors, or the token vectors of a language model."),
    )
    side = state.menu(
        N_("Vectors"),
        {
            WORDS: N_("as read"),
            CONTEXTS: N_("as context"),
            EMBEDDINGS: N_("embeddings"),
            UNEMBEDDINGS: N_("unembeddings"),
        },
        key="wps",
        segments=True,
        changed=_forget,
        **QUIET,
    )
    method = state.menu(N_("Plane"), (PCA, TSNE), key="wpp", segments=True, changed=_forget)
    colour = state.menu(
        N_("Colour"), {CATEGORY: N_("category"), KIND: N_("kind"), RANK: N_("rank")}, key="wpc", segments=True
    )
    word = _typed(N_("Word"), "five", "wpw")
    first = _typed(N_("First word"), "boy", "wpa")
    second = _typed(N_("Second word"), "girl", "wpb")
    third = _typed(N_("Third word"), "he", "wpq")
    camera = state.live(
        "wpz", None, _camera, lambda camera: ",".join(f"{part:.4g}" for part in camera), ends=((0.5, 0.5, 2.0),)
    )
    frame = state.live("wpf", -1, _frame, ends=(0, 2))  # of the film; -1: the last

    @property
    def of_words(self) -> bool:
        """Whether the vectors are those of a word-vector model, and not of a language model's tokens."""
        return self.side in (WORDS, CONTEXTS)

    @property
    def plane(self) -> str:
        """How the points are laid out: the film has the axes of the finished vectors."""
        return self.method if self.view == MAP else PCA

    @property
    def space(self) -> str:
        """A name for what the picture shows, but for its colours."""
        return f"{self.model}|{self.side}|{self.view}|{self.plane}"

    @property
    def analogy(self) -> tuple[str, str, str]:
        """The three words of an analogy."""
        return self.first.strip(), self.second.strip(), self.third.strip()
