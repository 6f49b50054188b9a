"""transformers says much that these tests do not need."""

import pytest
import transformers


@pytest.fixture(autouse=True)
def quiet():
    transformers.logging.set_verbosity_error()
