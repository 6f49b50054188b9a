"""Sentences lie where a translator looks, and the template of texts has them all."""

import json
import re

import pytest

from docs import texts
from pages import ALL

SAID = "What the picture shows in words"


def test_every_sentence_lies_where_a_translator_looks():
    """See docs/adding.md: move a sentence that is named here to words.py or words.js of its page, or to ui/texts.py."""
    assert [f"{file}:{line} {text!r}" for file, line, text in texts.stray()] == []


@pytest.mark.parametrize(
    ("file", "source", "line"),
    [
        ("pages/chapter/page/view.py", f'"""A page."""\nchart(alt="{SAID}")\n', 2),
        ("pages/chapter/page/compute.py", 'x = 1\n\nsaid = f"What the {name} shows in {x:.2f} words"\n', 3),
        ("pages/chapter/page/part/view_map.py", f'raise BadText("{SAID}")\n', 1),
        ("pages/main.py", f'st.info("{SAID}")\n', 1),
        ("tlmviz/ui/frame.py", f'st.caption("{SAID}")\n', 1),
        ("pages/chapter/page/component/view.js", f'// A view.\nconst said = "{SAID}";\n', 2),
        ("pages/chapter/page/component/view.js", "const said = `What ${a ? `a` : 'b'} shows in words`;\n", 1),
        ("pages/chapter/page/component/view.js", "f(`${a}: ${`what it ${b} shows in words`}`);\n", 1),
    ],
)
def test_a_sentence_elsewhere_is_named(tmp_path, file, source, line):
    """The rule above can turn red: for each kind of string, with the line it stands on."""
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert [(found.file, found.line) for found in texts.stray(tmp_path)] == [(file, line)]


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("pages/chapter/page/words.py", f'ALT = "{SAID}"\n'),
        ("pages/chapter/page/words_part.py", f'ALT = "{SAID}"\n'),
        ("pages/chapter/page/part/controls.py", f'HELP = "{SAID}"\n'),
        ("tlmviz/ui/tours/bounded.py", f'TOUR = "{SAID}"\n'),
        ("pages/chapter/page/component/words.js", f'export const TEXTS = {{ said: "{SAID}" }};\n'),
        ("pages/chapter/page/view.py", f'"""{SAID}."""\nraise ValueError("{SAID}")\n'),
        ("pages/chapter/page/view.py", 'def f(a: Float[np.ndarray, "rows heads depth tokens"]): ...\n'),
        ("pages/chapter/page/view.py", 'style = "<style>.card > div span { margin: 0 auto; }</style>"\n'),
        ("pages/chapter/page/view.py", 'code = f"for row in rows:\\n    print(row, {name})\\n"\n'),
        ("pages/chapter/page/view.py", f'frame.heading("{ALL[0].title}")\n'),
        (
            "pages/chapter/page/component/view.js",
            f"// {SAID}\n/** {SAID} */\nconst at = /what it shows in words/;\n",
        ),
    ],
)
def test_what_is_no_stray_sentence_is_passed_over(tmp_path, file, source):
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert texts.stray(tmp_path) == []


def test_the_template_has_every_page_and_each_text_once():
    written = texts.template(texts.listed())
    entries = re.findall(r'^msgctxt (".*")\nmsgid (".*")\nmsgstr ""$', written, re.MULTILINE)
    read = [(json.loads(page), json.loads(text)) for page, text in entries]
    assert len(read) == len(set(read)) == written.count("msgid ") - 1  # the first is the header
    assert {page for page, _ in read} == {page.folder for page in ALL} | {"pages", "ui"}


def test_a_text_keeps_its_place_and_its_signs():
    found = [
        texts.Text("pages/a/b/words.py", 3, 'Say "so",\nthen go'),
        texts.Text("pages/a/b/view.py", 7, 'Say "so",\nthen go'),
    ]
    assert texts.template(found).endswith(
        '#: pages/a/b/words.py:3\n#: pages/a/b/view.py:7\nmsgctxt "a/b"\nmsgid "Say \\"so\\",\\nthen go"\nmsgstr ""\n'
    )
