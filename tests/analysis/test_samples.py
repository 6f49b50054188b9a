"""The bundled long text."""

import pytest

from tests import tiny
from tlmviz.analysis import samples
from tlmviz.analysis.samples import sample_text
from tlmviz.errors import UnknownName


def test_the_sample_is_four_times_as_long_as_its_writer_was_trained_on(stories):
    text = sample_text()
    assert 4 * stories.config.context <= len(stories.tokenizer.encode(text)) + 1 < 4400
    assert text.isascii() and "\n\n" in text and "<|" not in text
    assert stories.bits_per_byte(text[:3000]) < 0.9  # its own words are easier than the 1.05 of real stories


def test_a_missing_sample_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(samples, "checkpoint_folder", lambda name: tmp_path)
    with pytest.raises(UnknownName) as error:
        sample_text()
    assert "sample.txt" in tiny.sentence(error)
