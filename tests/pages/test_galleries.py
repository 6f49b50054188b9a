"""Every gallery: its cards have pictures, and their links open what they say."""

import pytest
from PIL import Image

from docs.galleries import FOLDER, GALLERIES, picture_of
from docs.take_thumbnails import HEAVIEST, SIZE
from tlmviz.hosting.pictures import FOLDER as GALLERY

from .helpers import assert_healthy, follow_link

CARDS = [  # but for the first of every gallery, which names nothing: test_parts opens pages as they are
    pytest.param(page, card, id=f"{page.path}-{card.file.removesuffix('.webp')}")
    for page, cards in GALLERIES.items()
    for card in cards
    if card.link
]


@pytest.mark.parametrize("page", GALLERIES, ids=lambda page: page.path)
def test_a_gallery_has_its_pictures_and_no_other(page):
    cards = GALLERIES[page]
    assert 3 <= len(cards) <= 6 and not cards[0].link  # the best of them is what the page opens on
    assert len({tuple(card.link.items()) for card in cards}) == len(cards)
    files = {picture_of(page, card) for card in cards}
    assert files == set((FOLDER / page.folder / GALLERY).iterdir()) and len(files) == len(cards)
    for file in files:
        assert file.stat().st_size <= HEAVIEST and Image.open(file).size == SIZE


@pytest.mark.parametrize("page", GALLERIES, ids=lambda page: page.path)
def test_a_card_says_what_is_seen_and_shown(page):
    for card in GALLERIES[page]:
        assert card.says.endswith((".", "”")) and len(card.says) < 130
        assert len(card.alt) > 20 and card.alt not in (card.says, card.title)


@pytest.mark.slow
@pytest.mark.parametrize("page, card", CARDS)
def test_a_card_opens_what_its_link_names(page, card):
    query = {key: list(value) if isinstance(value, tuple) else [value] for key, value in card.link.items()}
    app = follow_link(page.folder, query, from_the_start=True)  # again: the first page may not know the model
    assert_healthy(app)
    # What a page cannot read, or opens on anyway, it takes out of the link.
    assert {key: app.query_params.get(key) for key in query} == {
        key: values if len(values) > 1 else values[0] for key, values in query.items()
    }
