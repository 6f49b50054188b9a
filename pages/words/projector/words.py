"""The words of the page Projector: claim, what to notice, equations, sentences, snippets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tlmviz.figures import number
from tlmviz.figures.tokens import SPACE
from tlmviz.ui.inputs import plain

from .controls import ANALOGIES, FILM, TSNE, UNEMBEDDINGS, Choice

CLAIM = "All vectors of a model at once: what lies near what, and what b − a + c can find."
NOTICE = (
    "**Nobody told the model what the words mean.** The colours are sixteen categories made by hand, laid over it afterwards: "
    "words of one colour lie together because they stand among the same words.",
    "**A plane lies.** It holds two directions of many, so that words may meet in it that are far apart. Lines go to the nearest "
    "by *all* numbers: where a line is long, the plane is wrong, not the line.",
    "**Point** at a word for its neighbours, **click** it to keep them, walk on from the list at the right.",
)
NOTICE_FILM = (
    "**It begins as noise:** all words start near 0. First the plane fills with what is frequent or rare, later with what means "
    "something alike.",
    "**The axes stand still:** they are those of the finished vectors, and every frame is laid onto them.",
)
NOTICE_ANALOGIES = (
    "**The famous sum often fails** in vectors as small as these. The bars count every analogy of the table, not a few that "
    "work.",
    "**Leaving out the question's own words does much of the work:** in how many the nearest word of all is one of the three "
    "that were given is counted in the last column.",
    "**The arrows** lie in the one plane through the three words, in which the sum lies too. Other words stand off that plane: "
    "point at one to see how far.",
)
NOTICE_MATHS = (
    "PCA: the axes are the eigenvectors of the covariance with the largest eigenvalues, the shares in the title are theirs of "
    "the trace.",
    "A cosine is that of whole vectors, u·v / |u||v|, not of what the plane keeps of them.",
)
NOTICE_TSNE = (
    "**t-SNE keeps neighbours and little else:** how large a cluster is and how far it is from the next says nothing.",
)
EQUATION_MAP = (
    r"y_i=\begin{bmatrix}a_1^\top\\a_2^\top\end{bmatrix}(v_i-\bar v),\qquad "
    r"\tfrac1N\sum_i(v_i-\bar v)(v_i-\bar v)^\top a_k=\lambda_k a_k,\qquad \text{share}_k=\lambda_k\Big/\sum_j\lambda_j",
    "Principal component analysis (Pearson 1901; Hotelling 1933). t-SNE: van der Maaten and Hinton 2008.",
)
EQUATION_ANALOGY = (
    r"\hat d=\arg\max_{d\notin\{a,b,c\}}\cos\!\left(v_d,\;\frac{v_b}{|v_b|}-\frac{v_a}{|v_a|}+\frac{v_c}{|v_c|}\right)",
    "Mathematics in Modern NLP, section 2, Eq. 1; Mikolov et al. 2013, Levy and Goldberg 2014 (3CosAdd).",
    "Eq. 1 writes an equals sign. It is a search for the nearest word, with the three given words left out.",
)
NO_FILM = (
    "{model} has no film: the word-vector models kept pictures of their training, the language models did not. Choose one "
    "of the words- models."
)
NO_FILM_SIDE = (
    "The film was kept of the words' own vectors, not of the context words'; choose “words” beside the model."
)
WORKING_TSNE = (
    "t-SNE lays out {count:,} vectors: about half a minute on one core, once. Other pages go on meanwhile."
)
COUNTING = "Counting every analogy of the table …"
COLUMNS = {
    "Right": "The right word is the nearest to b − a + c; a, b and c are left out of the search.",
    "Among 5": "The right word is among the five nearest.",
    "Median rank": "Half of the right words rank better than this among all words.",
    "b + c alone": "Right if a is not taken away: what mere nearness to b and c finds.",
    "Given word first": "The nearest word of all is one of the three given: what the answer would be if they were not left out.",
}
RELATION_NOTE = (
    "{count:,} analogies: every two pairs of a relation make one, such as “{example}”. Pairs with a word that the model does not "
    "have are left out."
)
LAYING_OUT_VECTORS = "Laying out the vectors …"
HOW_OFTEN_HEADING = "#### How often it fails"
PLANE_THROUGH_TITLE = "The plane through the three words (unit vectors)"
WPPLANE_ALT = "Two parallel arrows, and the words nearest to the end of the second"
NEAREST_B_TITLE = "Nearest to b − a + c (cosine)"
WPANSWERS_ALT = "Bars of the cosines of the nearest words"
ANALOGIES_COME_TITLE = "Analogies that come out right (percent of all)"
WPSOLVED_ALT = "Bars of the share of analogies solved by each model"


def frame(words_read: float) -> str:
    """How far the training was."""
    return f"{number(float(words_read), ',.0f')} words read"


def what(choice: Choice) -> str:
    """Whose vectors and which."""
    return f"{choice.model}, {choice.side}"


def title_pca(choice: Choice, count: int, size: int, share: Sequence[float] | np.ndarray) -> str:
    """The title of a map by principal axes, or of the film."""
    frames = "The training of " if choice.view == FILM else ""
    return (
        f"{frames}{what(choice)}: {count:,} × {size} numbers on two axes ({100 * share[0]:.0f} % + {100 * share[1]:.0f} % of "
        "the variance)"
    )


def title_tsne(choice: Choice, count: int) -> str:
    """The title of a map by t-SNE."""
    return f"{what(choice)}: the {count:,} most frequent by t-SNE, which keeps neighbours and little else"


def no_token(word: str, model: str, parts: Sequence[str]) -> str:
    """A text that is no token of a language model."""
    said = " ".join(f"“{part}”" for part in parts[:8]) + (" …" if len(parts) > 8 else "")
    return (
        f"“{word}” is no single token of {model}, which reads it as {len(parts):,}: {said}. Give one token; “{SPACE}” stands for "
        "the space before a word."
    )


def no_context(word: str, model: str) -> str:
    """A word made from letters, on the side that has no letters."""
    said = f"“{word}” is not in the vocabulary, and {model} makes no context vectors from letters"
    return f"{said}; choose “words” beside the model."


def not_shown(word: str, row: int, count: int, film: bool) -> str:
    """A word beyond those that are drawn."""
    where = "the film kept" if film else "t-SNE lays out"
    return (
        f"“{word}” is number {row + 1:,} of the vocabulary, and {where} the {count:,} most frequent; choose the view Map with "
        "PCA, which shows all."
    )


def answer(choice: Choice, names: Sequence[str], cosines: np.ndarray, first: str) -> str:
    """The analogy as a sentence."""
    a, b, c = map(plain, choice.analogy)
    cosine = number(float(cosines[0]), ".3f")
    text = f"{a} is to {b} as {c} is to **{names[0]}**, says {choice.model}: cosine {cosine} with the sum."
    if first != names[0]:
        text += f" Of all words, “{first}” is nearer still, but it was given."
    return text


def twice(choice: Choice) -> str:
    """Said where the question's words are not three different ones."""
    a, b, c = choice.analogy
    if a == b:
        return f"a and b are both “{a}”: the sum is c itself, and the answer the nearest word to “{c}”."
    if a == c:
        return f"a and c are both “{a}”: the sum is b itself, and the answer the nearest word to “{b}”."
    return f"b and c are both “{b}”: the sum is 2b − a, which leads away from “{a}”."


def snippet(choice: Choice) -> str:
    """What is shown, with the public API."""
    if choice.view == ANALOGIES:
        return _snippet_analogy(choice)
    head = f"import tlmviz\n{_imports(choice)}\n\n{_vectors(choice)}"
    if choice.view == FILM:
        return (
            f"import tlmviz\n\nwv = tlmviz.load({choice.model!r})\nfilm = wv.snapshots\n"
            "for read, places in zip(film.words_read, film.coordinates):  # [N, 16] on the finished vectors' main axes\n"
            '    print(f"{read:12,.0f} words read; spread {places.std():.3f}")\n'
            f"print(wv.vocabulary.index({choice.word!r}) if {choice.word!r} in wv else None)\n"
        )
    colours = {"category": "groups.by_category(names, CATEGORIES)", "kind": "groups.by_kind(names)"}
    place = (
        "places = tsne(vectors[:2000])  # half a minute\nnames = names[:2000]"
        if choice.method == TSNE
        else "axes = principal_axes(vectors)  # axes.share: of the variance\nplaces = axes.place(vectors)"
    )
    return (
        f"{head}\n{place}\ncolours = {colours.get(choice.colour, 'groups.by_rank(names)')}\n"
        f"points.scatter(places, names, *colours, LIGHT, title={what(choice)!r}).show()\n"
    )


def _imports(choice: Choice) -> str:
    lines = [
        "from tlmviz.analysis.words.categories import CATEGORIES",
        f"from tlmviz.analysis.words.projection import {'tsne' if choice.method == TSNE else 'principal_axes'}",
        "from tlmviz.figures import LIGHT" + ("" if choice.of_words else ", readable"),
        "from tlmviz.figures.words import groups, points",
    ]
    return "\n".join(lines)


def _vectors(choice: Choice) -> str:
    if choice.of_words:
        part = "space" if choice.side == "words" else "context_vectors"
        return f"wv = tlmviz.load({choice.model!r})\nnames, vectors = wv.vocabulary, wv.{part}  # [V, C]"
    layer = "head" if choice.side == UNEMBEDDINGS else "token_emb"
    return (
        f"lm = tlmviz.load({choice.model!r})\nvectors = lm.network.{layer}.weight.detach().float()  # [V, C]\n"
        "names = [readable(lm.tokenizer.name(i), spaced=True) for i in range(len(vectors))]"
    )


def _snippet_analogy(choice: Choice) -> str:
    a, b, c = choice.analogy
    if choice.of_words and choice.side == "words":
        asked = f"print(wv.analogy({a!r}, {b!r}, {c!r}, 10))  # the nearest words and their cosines\n"
    else:
        spelled = ", ".join(f"find({word!r})" for word in (a, b, c))
        asked = (
            "find = {name: row for row, name in reversed(list(enumerate(names)))}.get\n"
            if choice.of_words
            else "rows = {name: row for row, name in reversed(list(enumerate(names)))}\n"
            "find = lambda word: rows.get('␣' + word, rows.get(word))\n"
        )
        asked += (
            f"rows_given = [{spelled}]\nnear = nearness.cosines(nearness.analogy_vector(*vectors[rows_given]), vectors)\n"
            "near[rows_given] = -2\nbest = near.topk(10)\n"
            "print([(names[row], round(float(near[row]), 3)) for row in best.indices.tolist()])\n"
        )
    imports = ["from tlmviz.analysis.words import analogies, nearness"]
    if not choice.of_words:
        imports.append("from tlmviz.figures import readable")
    count = "print(analogies.tally(vectors, {name: row for row, name in enumerate(names)}.get))  # every relation\n"
    return (
        "import tlmviz\n"
        + "\n".join(imports)
        + f"\n\n{_vectors(choice)}\n{asked}{count if choice.of_words else ''}"
    )
