"""The bundled long text."""

import pytest

from tests import tiny
from tlmviz.analysis import samples
from tlmviz.analysis.kernels import long_context
from tlmviz.analysis.samples import long_sample_text, sample_text
from tlmviz.errors import UnknownName


def test_the_sample_is_four_times_as_long_as_its_writer_was_trained_on(stories):
    text = sample_text()
    assert 4 * stories.config.context <= len(stories.tokenizer.encode(text)) + 1 < 4400
    assert text.isascii() and "\n\n" in text and "<|" not in text
    assert stories.bits_per_byte(text[:3000]) < 0.9  # its own words are easier than the 1.05 of real stories


def test_the_long_sample_fills_the_longest_page(stories):
    text = long_sample_text()
    assert text.startswith(sample_text()) and text.isascii() and "<|" not in text
    assert long_context.LONGEST <= len(stories.tokenizer.encode(text)) + 1 < 17_000
    assert stories.bits_per_byte(text[-3000:]) < 0.9


def test_a_missing_part_of_the_long_sample_is_a_sentence(monkeypatch, tmp_path):
    (tmp_path / "sample.txt").write_text("Once", encoding="utf-8")
    monkeypatch.setattr(samples, "checkpoint_folder", lambda name: tmp_path)
    with pytest.raises(UnknownName) as error:
        long_sample_text()
    assert "sample-more.txt" in tiny.sentence(error)


def test_a_missing_sample_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(samples, "checkpoint_folder", lambda name: tmp_path)
    with pytest.raises(UnknownName) as error:
        sample_text()
    assert "sample.txt" in tiny.sentence(error)
