"""Every page of language models opens on models with the parts of released families, and its badges stay green."""

import pytest

from pages import ALL
from tests import tiny
from tlmviz.checkpoints import native
from tlmviz.checkpoints.folders import VARIABLE, models_folder

from .helpers import anew, assert_healthy, badges, open_page

PAGES = [page for page in ALL if page.models == "language"]
NAMES = ("gemma", "deepseek")
SENTENCE = "RoPE"  # pages on RoPE refuse a model whose layers have several, in a sentence that names it


@pytest.fixture(scope="module", autouse=True)
def models(tokenizer, tmp_path_factory):
    """Small models beside the bundled ones, which some pages compare with."""
    folder = tmp_path_factory.mktemp("models")
    for model in models_folder().iterdir():
        (folder / model.name).symlink_to(model)
    for name in NAMES:
        network = tiny.network(**tiny.VARIANTS[name])
        network.config = network.config.with_(name=f"tiny-{name}")
        native.save_network(folder / f"tiny-{name}", network, tokenizer)
    with anew(), pytest.MonkeyPatch.context() as patch:  # the app remembers which models there are
        patch.setenv(VARIABLE, str(folder))
        yield


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.folder)
@pytest.mark.parametrize("name", NAMES)
def test_opens(page, name):
    app = open_page(page.folder, {"model": f"tiny-{name}"})
    assert not app.exception, app.exception
    assert all(SENTENCE in error.value for error in app.error), [error.value for error in app.error]
    assert f"tiny-{name}" in [box.value for box in app.selectbox]
    assert "red-badge" not in badges(app)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.folder)
def test_opens_on_a_model_with_parts_that_a_plain_pass_does_not_run(page):
    assert_healthy(open_page(page.folder, {"model": "stories-mtp"}))
