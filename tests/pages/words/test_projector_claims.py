"""What the page Projector claims, held against the vectors themselves, by NumPy."""

import itertools

import numpy as np
import pytest

import tlmviz
from pages.words.projector import claims, data
from pages.words.projector.state import ANALOGIES, CATEGORY, FILM, MAP, RANK, TSNE, Projector
from tests.pages.helpers import assert_healthy, open_page
from tests.pages.states import above_the_picture, each_speaks_and_is_silent, stated
from tlmviz.analysis.words.analogies import RELATIONS
from tlmviz.analysis.words.categories import CATEGORIES
from tlmviz.figures import number, readable
from tlmviz.ui import markdown
from tlmviz.ui.markdown import quoted

START = {name: control.default for name, control in Projector.controls.items()}
WORDS = ("five", "mother", "the", "", "qwxz", "😀 é", "Hund", "dog")
PLANES = [
    *({"word": word} for word in WORDS),
    *({"model": model, "word": word} for model in ("words-hierarchical", "words-glove") for word in ("red", "")),
    {"model": "words-fasttext", "word": "doggish"},
    {"side": "context words", "word": "cat"},
    *({"model": "stories-rope", "side": "embeddings", "word": word} for word in ("dog", "␣dog", "ing", "=dog", "e")),
    {"model": "stories-gpt", "side": "unembeddings", "word": "red"},
    {"method": TSNE, "word": "one"},
    {"colour": RANK, "word": "five"},
]
QUESTIONS = [
    ("boy", "girl", "he"),
    ("he", "he", "dog"),
    ("he", "dog", "he"),
    ("he", "dog", "dog"),
    ("big", "bigger", "small"),
    ("red", "blue", "tree"),
]


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """t-SNE of a few words."""
    monkeypatch.setattr(data, "MOST", 60)
    for cached in (data.tsne_places, data.Data.plane, data.Data.near):
        cached.clear()
    yield
    for cached in (data.tsne_places, data.Data.plane, data.Data.near):
        cached.clear()


def chosen(**values) -> Projector:
    return Projector(**START | values)


def vectors_of(state: Projector) -> tuple[list[str], np.ndarray]:
    model = tlmviz.load(state.model)
    if state.of_words:
        vectors = model.context_vectors if state.side == "context words" else model.space
        return list(model.vocabulary), vectors.double().numpy()
    layer = model.network.head if state.side == "unembeddings" else model.network.token_emb
    weight = layer.weight.detach().double().numpy()
    return [readable(model.tokenizer.name(i), spaced=True) for i in range(len(weight))], weight


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def listing(names: list[str]) -> tuple[str, ...]:
    """The values of names that a sentence lists: all but the last as one, and the last."""
    *some, last = map(quoted, names)
    return (", ".join(some), last) if some else (last,)


def row_of(names: list[str], typed: str) -> int | None:
    if typed.startswith("=") and typed[1:] in names:
        return names.index(typed[1:])
    for form in (typed, typed.lower(), typed.capitalize()):
        for spelled in (f"␣{form}", form):
            if spelled in names:
                return names.index(spelled)
    return None


def per_cent(share: float) -> str:
    return f"{share:.0%}"


def on_a_plane(state: Projector, places: np.ndarray) -> dict[str, tuple | None]:
    expected: dict[str, tuple | None] = {claim.__name__: None for claim in claims.ON_A_PLANE}
    every, all_vectors = vectors_of(state)
    count = 60 if state.plane == TSNE else len(places)
    names, vectors = every[:count], all_vectors[:count]
    spaced = any(name.startswith("␣") for name in names)
    category = {word: k for k, words in enumerate(CATEGORIES.values()) for word in words}
    bare = [name.removeprefix("␣") if name.startswith("␣") == spaced else "" for name in names]
    kinds = np.array([category.get(name, -1) for name in bare])
    row, vector = row_of(every, state.word.strip()), None
    if row is not None and state.word.strip() and row < count:
        vector = vectors[row]
    elif row is None and state.model == "words-fasttext" and state.word:
        vector = tlmviz.load(state.model).vector(state.word).double().numpy()
    if vector is not None:
        cosines = unit(vectors) @ unit(vector)
        if row is not None:
            cosines[row] = -2
        near = np.argsort(-cosines)[:10]
        word = names[row] if row is not None else state.word
        nearest = listing([names[at] for at in near[:3]])
        expected["nearest_words"] = (
            f"{count:,}",
            quoted(word),
            vectors.shape[1],
            *nearest,
            number(cosines[near[0]], ".3f"),
        )
    if vector is not None and row is not None:
        same = int((kinds[near] == kinds[row]).sum()) if kinds[row] >= 0 else 0
        members = int((kinds == kinds[row]).sum())
        if state.colour == CATEGORY and same >= 4 and same / len(near) > (members - 1) / (count - 1):
            kind, alike = list(CATEGORIES)[kinds[row]], [names[at] for at in near if kinds[at] == kinds[row]]
            expected["its_kind"] = (members - 1, kind, same, len(near), quoted(names[row]), *listing(alike[:3]))
            expected["nearest_words"] = None
        plain = every[row].removeprefix("␣")
        if plain != every[row] and not state.word.startswith("␣") and plain in every:
            places_of = f"{row + 1:,}", f"{every.index(plain) + 1:,}"
            expected["other_spelling"] = (quoted(every[row]), *places_of, markdown.plain(plain))
        away = np.linalg.norm(places - places[row], axis=1)
        nearer = int((away < away[near[0]]).sum()) - 1
        if nearer > 0:
            expected["nearer_in_the_plane"] = (nearer, f"{nearer:,}", quoted(names[row]), quoted(names[near[0]]))
    coloured = np.flatnonzero(kinds >= 0)
    if len(coloured) > 1 and vector is None:
        own = kinds[coloured]
        near = unit(vectors[coloured]) @ unit(vectors[coloured]).T
        np.fill_diagonal(near, -2)
        same = int((own[near.argmax(1)] == own).sum())
        pairs = [(a == b) for a, b in itertools.combinations(own, 2)]
        chance = sum(pairs) / len(pairs)
        if round(100 * same / len(own)) > round(100 * chance):
            expected["together"] = (f"{len(own):,}", per_cent(same / len(own)), per_cent(chance))
    if expected["together"] is None and vector is None:
        expected["scattered"] = ()
    if count < len(every):
        expected["some_only"] = (f"{count:,}", f"{len(every):,}")
    if state.plane != TSNE and expected["nearer_in_the_plane"] is None:
        spread = np.linalg.eigvalsh(np.cov(all_vectors.T))[::-1]
        kept = float(spread[:2].sum() / spread.sum())
        if per_cent(kept) != "100%":
            expected["plane_keeps"] = (per_cent(kept),)
    return expected


def hold(state: Projector, expected: dict[str, tuple | None]) -> dict[str, bool]:
    return stated(claims.CLAIMS[state.view], data.Data(state), expected)


def test_every_claim_about_a_map_follows_from_the_vectors():
    found = []
    for values in PLANES:
        state = chosen(**values)
        found.append(hold(state, on_a_plane(state, data.Data(state).places[-1])))
    random = np.random.default_rng(0).standard_normal((40, 6))
    unsorted = data.Space(tuple(map(str, range(40))), data.torch.tensor(random))
    found.append({**found[0], "together": False, "scattered": _speaks_of(unsorted)})
    each_speaks_and_is_silent(found)


def _speaks_of(space: data.Space) -> bool:
    """Whether vectors without any word of a category are said to be scattered."""

    class Nobody(data.Data):
        kept_together = None

    return bool(claims.scattered(Nobody(chosen(word="")))) and not space.categories.any()


@pytest.mark.parametrize("name", ["words-negative", "words-hierarchical"])
def test_every_claim_about_the_film_follows_from_its_frames(name):
    film = tlmviz.load(name).snapshots
    for word in ("five", ""):
        state = chosen(model=name, view=FILM, word=word)
        places = film.coordinates[:, :, :2]
        expected = on_a_plane(state, places[-1])
        spread = places.std(1).max(1)
        expected["begins_small"] = (per_cent(spread[0] / spread[-1]), f"{film.words_read[-1]:,.0f}")
        hold(state, expected)
        of_the_end = ("its_kind", "nearest_words", "together", "scattered", "plane_keeps", "nearer_in_the_plane")
        hold(chosen(model=name, view=FILM, word=word, frame=3), expected | dict.fromkeys(of_the_end))


def test_a_film_that_stands_still_is_not_said_to_spread():
    class Still(data.Data):
        places = np.ones((3, 5, 2)) * np.arange(5)[:, None]

    assert claims.begins_small(Still(chosen(view=FILM))) is None


def test_every_claim_about_an_analogy_follows_from_the_vectors():
    found = []
    for (first, second, third), model in itertools.product(QUESTIONS, ("words-negative", "words-fasttext")):
        state = chosen(view=ANALOGIES, model=model, first=first, second=second, third=third)
        names, vectors = vectors_of(state)
        scaled = unit(vectors)
        a, b, c = (scaled[names.index(word)] for word in (first, second, third))
        near = scaled @ unit(b - a + c)
        order = np.argsort(-near)
        best = next(row for row in order if names[row] not in (first, second, third))
        asked = first, second, third
        expected = {"answers": (*asked, names[best], model, f"{near[best]:.3f}")}
        expected |= {"twice": None, "given_is_nearer": None, "often_fails": counted(names, scaled)}
        if names[order[0]] in asked:
            expected["given_is_nearer"] = (quoted(names[order[0]]), f"{near[order[0]]:.3f}")
        if len(set(asked)) < 3:
            one, other = (first, third) if first == second else (first, second) if first == third else (second, first)
            expected["twice"] = quoted(one), quoted(other)
        found.append(hold(state, expected))
    tokens = chosen(view=ANALOGIES, model="stories-gpt", side="unembeddings")
    none = data.Data(tokens)
    object.__setattr__(none, "tallies", lambda model="": [])
    found.append({**found[0], "often_fails": bool(claims.often_fails(none)), "answers": True})
    names = {name for name in found[0] if name != "answers"}  # an answer is always given, or a sentence says why not
    each_speaks_and_is_silent([{name: each[name] for name in names} for each in found])


COUNTED: dict[int, tuple[str, ...]] = {}


def counted(names: list[str], scaled: np.ndarray) -> tuple[str, ...]:
    """How many analogies of the table come out right, with a taken away and without, by a plain loop over matrices."""
    key = id(scaled.base) if scaled.base is not None else hash(scaled[:3].tobytes())
    if key in COUNTED:
        return COUNTED[key]
    rows = {name: row for row, name in reversed(list(enumerate(names)))}
    questions = [
        (rows[a], rows[b], rows[c], rows[d])
        for pairs in RELATIONS.values()
        for (a, b), (c, d) in itertools.permutations(pairs, 2)
        if all(word in rows for word in (a, b, c, d))
    ]
    a, b, c, d = np.array(questions).T
    right = []
    for aim in (scaled[b] - scaled[a] + scaled[c], scaled[b] + scaled[c]):
        hits = 0
        for start in range(0, len(aim), 256):
            part = slice(start, start + 256)
            near = unit(aim[part]) @ scaled.T
            for given in (a, b, c):
                near[np.arange(len(near)), given[part]] = -2
            hits += int((near.argmax(1) == d[part]).sum())
        right.append(hits)
    COUNTED[key] = (per_cent(right[0] / len(a)), f"{len(a):,}", per_cent(right[1] / len(a)))
    return COUNTED[key]


@pytest.mark.parametrize("word", ["five", "qwxz", "", "Où 🐈", "a " * 1500])
def test_the_first_claim_survives_any_word(word):
    app = open_page("words/projector", {"wpw": word})
    assert not app.exception and not app.error
    [said] = above_the_picture(app)
    assert said.startswith("Nobody told the model what words mean")


def test_a_bare_word_means_the_token_with_a_space_and_says_so():
    app = open_page("words/projector", {"wpm": "stories-rope", "wpw": "e", "wpv": MAP})
    assert_healthy(app)
    said = " ".join(part.value for part in app.markdown)
    assert "the token of a word with a space before it" in said and "type “=e”" in said
    exact = open_page("words/projector", {"wpm": "stories-rope", "wpw": "=e"})
    assert "“e”" in above_the_picture(exact)[0]
