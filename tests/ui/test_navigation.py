"""Streamlit's pages: looked for once, and a run's own, as Streamlit writes into one that it may be run, once."""

from tlmviz.ui import navigation


def test_a_run_does_not_share_its_pages_with_another(tmp_path):
    one, other = (navigation.entry(tmp_path / "page.py", "page", default=True) for _run in range(2))
    one._can_be_called = True
    assert one._default and other._default and not getattr(other, "_can_be_called", False)
