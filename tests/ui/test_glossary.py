"""The words that pages explain: each is used, each has one meaning, and the meaning is a sentence."""

from pathlib import Path

from tlmviz.ui import glossary

ROOT = Path(__file__).resolve().parents[2]


def test_every_form_has_one_meaning():
    forms = [form for each in glossary.TERMS.values() for form in each]
    assert len(forms) == len(set(forms)) == len(glossary.definitions()) - len(glossary.OTHER_MEANINGS)


def test_meanings_are_short_sentences():
    for text in glossary.TERMS:
        assert len(text) < 230 and text[-1] in ".)" and "<" not in text, text


def test_every_word_is_used_on_a_page():
    files = [*(ROOT / "pages").rglob("*.py"), *(ROOT / "tlmviz").rglob("*.py"), *(ROOT / "tlmviz").rglob("*.js")]
    told = " ".join(
        path.read_text(encoding="utf-8") for path in files if path.name not in ("glossary.py", "explained.py")
    )
    unused = {forms[0] for forms in glossary.TERMS.values() if not any(form in told for form in forms)}
    assert unused <= glossary.SEARCHED


def test_words_are_counted_by_their_names_as_the_browser_finds_them():
    told = (
        "Keys, keys and values, a KV cache; two caches, press an arrow key. A one-hot softmaxed key-value, mask_2, "
        "RoPE's key."
    )
    assert glossary.count_in(told) == {"keys and values": 1, "KV cache": 2, "one-hot": 1, "RoPE": 1, "key": 1}


def test_a_word_is_found_by_any_of_its_forms():
    assert glossary.named("tokens") == glossary.named("TOKEN") == "token"
    assert glossary.named("caches") == "KV cache" and glossary.named("mhc") == "mHC"
    assert glossary.named("") is None and glossary.named("arrow key") is None
