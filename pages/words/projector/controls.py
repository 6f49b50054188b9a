"""The controls of the page Projector: whose vectors, how they are laid into a plane, the colours, and the words asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.ui import compute, frame, link
from tlmviz.ui import words as shared

MAP, FILM, ANALOGIES = "Map", "Film", "Analogies"
PCA, TSNE = "PCA", "t-SNE"
WORDS, CONTEXTS, EMBEDDINGS, UNEMBEDDINGS = "words", "context words", "embeddings", "unembeddings"
CATEGORY, KIND, RANK = "category", "kind", "rank"
WORD = "five"
ANALOGY = ("boy", "girl", "he")
KEY = "projector"  # of the picture
CAMERA = link.Field(
    "wpz", None, lambda text: _camera(text), lambda camera: ",".join(f"{part:.4g}" for part in camera)
)
FRAME = link.Field("wpf", -1, link.whole(0, 999))
_SEQUENCE = f"{link.SLOT}wp_sequence"  # session: number of the picture's last message


@dataclass(frozen=True)
class Choice:
    """A model and which of its vectors; how they are drawn; the word that is chosen, and the analogy a : b = c : ?."""

    model: str
    side: str
    view: str = MAP
    method: str = PCA
    colour: str = CATEGORY
    word: str = WORD
    analogy: tuple[str, str, str] = ANALOGY

    @property
    def of_words(self) -> bool:
        """Whether the vectors are those of a word-vector model, and not of a language model's tokens."""
        return self.side in (WORDS, CONTEXTS)

    @property
    def space(self) -> str:
        """A name for what the picture shows, but for its colours."""
        return f"{self.model}|{self.side}|{self.view}|{self.method if self.view == MAP else PCA}"


def choose() -> Choice:
    """Draw the controls and return what they say."""
    first = st.columns([0.3, 0.28, 0.42], vertical_alignment="center")
    with first[0]:
        view = _pick("View", (MAP, FILM, ANALOGIES), "wpv")
    names = [
        *sorted(shared.models(), key=lambda name: (name != shared.DEFAULT_MODEL, name)),
        *compute.models(),
    ]
    model = first[1].selectbox(
        "Vectors of",
        names,
        key="wpm",
        bind="query-params",
        label_visibility="collapsed",
        help="Word vectors, or the token vectors of a language model.",
        on_change=_forget,
    )
    of_words = model in shared.models()
    with first[2]:
        side = _pick("Vectors", sides(model), "wps")
    if view == ANALOGIES:
        return Choice(model, side, view, analogy=_analogy())
    with frame.after_picture():
        second = st.columns([0.3, 0.28, 0.42], vertical_alignment="center")
        with second[0]:
            method = _pick("Plane", (PCA, TSNE), "wpp") if view == MAP else PCA
            if view == FILM:
                st.caption("Plane: PCA of the finished vectors")
        word = second[1].text_input(
            "Word",
            WORD,
            key="wpw",
            bind="query-params",
            live="250ms",
            label_visibility="collapsed",
            placeholder="Find a word" if of_words else "Find a token",
        )
        with second[2]:
            colour = _pick("Colour", (CATEGORY, RANK) if of_words else (CATEGORY, KIND, RANK), "wpc")
    return Choice(model, side, view, method, colour, (word or "").strip())


def sides(model: str) -> tuple[str, ...]:
    """Which vectors a model has: those of words read and, where there are others, of words or tokens predicted."""
    if model in shared.models():
        return (WORDS,) if shared.model(model).kind == "hierarchical" else (WORDS, CONTEXTS)
    return (EMBEDDINGS,) if compute.model(model).config.tied else (EMBEDDINGS, UNEMBEDDINGS)


def keep_place() -> None:
    """Callback of the picture: a point was chosen, the picture was moved, or the film was stopped."""
    message: dict[str, Any] = (st.session_state.get(KEY) or {}).get("place") or {}
    if not message:
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    st.session_state["wpw"] = str(message["word"])
    camera = message["camera"]
    CAMERA.set(None if camera is None else tuple(map(float, camera)))
    FRAME.set(int(message["frame"]))


def sequence() -> int:
    """The number of the picture's last message."""
    return int(st.session_state.get(_SEQUENCE, 0))


def _analogy() -> tuple[str, str, str]:
    """The boxes of a sentence: a is to b as c is to ?"""
    places = st.columns([0.2, 0.1, 0.2, 0.06, 0.2, 0.24], vertical_alignment="center")
    typed = []
    for place, key, word in zip(places[::2], ("wpa", "wpb", "wpq"), ANALOGY):
        box = place.text_input(
            key, word, key=key, bind="query-params", live="250ms", label_visibility="collapsed"
        )
        typed.append((box or "").strip())
    for place, text in zip(places[1::2], ("is to", "as", "is to …")):
        place.markdown(text)
    return typed[0], typed[1], typed[2]


def _pick(label: str, options: tuple[str, ...], key: str) -> str:
    """One of some options; what the link says is passed over where it is none of them."""
    if st.session_state.get(key, options[0]) not in options:
        st.session_state[key] = options[0]
    return st.segmented_control(
        label,
        options,
        default=options[0],
        key=key,
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        on_change=_forget if key in ("wpv", "wpp", "wps") else None,
    )


def _forget() -> None:
    """Another picture is looked at from its own beginning."""
    CAMERA.set(None)
    FRAME.set(-1)


def _camera(text: str) -> tuple[float, float, float]:
    """Reads x, y and zoom; raises ValueError for anything else."""
    x, y, zoom = text.split(",")
    share, larger = link.real(0, 1), link.real(0.5, 200)
    return share(x), share(y), larger(zoom)
