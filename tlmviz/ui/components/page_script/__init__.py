"""What every page needs in the browser: the theme told to the server, fingers that scroll, figures that play whole."""

from __future__ import annotations

from pathlib import Path

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_page_script", Path(__file__).parent, html="<i hidden></i>")


def page_script(theme: str) -> None:
    """Run the script. When the browser's theme is not `theme`, "light" or "dark", the page is drawn again in its colours."""
    _component(key="page-script", data={"theme": theme}, on_theme_change=lambda: None)
