"""What every page needs in the browser: its theme told to the server, fingers that scroll, figures that play, words
explained."""

from __future__ import annotations

from pathlib import Path

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_page_script", Path(__file__).parent, html="<i hidden></i>")


def page_script(theme: str, words: dict[str, str], lang: str) -> None:
    """Run the script, which explains `words` (form -> meaning) where the page has them, in the language `lang`.

    When the browser's theme is not `theme`, "light" or "dark", the page is drawn again in its colours.
    """
    _component(key="page-script", data={"theme": theme, "words": words, "lang": lang}, on_theme_change=lambda: None)
