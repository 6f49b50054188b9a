"""Compute anew what is shipped beside the models: `python -m docs.ship_defaults` (a minute; needs the app).

The pages themselves are opened at their defaults, and what they compute is kept: nothing here knows what they ask.
Run it when a bundled model, a sample text or an example text changed.
"""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from tlmviz.analysis import precomputed
from tlmviz.checkpoints.folders import models_folder
from tlmviz.ui import compute
from tlmviz.ui.components.below import PAINTED

ROOT = Path(__file__).resolve().parents[1]
PAGES: tuple[tuple[str, dict[str, str]], ...] = (  # folder of a page, and its link
    ("positions/position_schemes", {"ppart": "extension", "xs": "Position interpolation,NTK-aware,Dynamic NTK,YaRN"}),
    ("caches/attention_family", {"fview": "Redundancy"}),
)


def main() -> None:
    """Open the pages and write what they computed beside the default model."""
    lm = compute.model(compute.DEFAULT_MODEL)
    with precomputed.collection() as answers:
        for page, link in PAGES:
            app = AppTest.from_file(ROOT / "pages" / "main.py", default_timeout=600)
            app.run().switch_page(f"{page}/page.py")
            app.query_params.update(link)
            app.session_state[PAINTED] = True  # no browser will say so: what is below a picture is computed too
            app.run()
            if app.exception or app.error:
                raise SystemExit(f"{page}: {[each.value for each in (*app.exception, *app.error)]}")
    path = precomputed.write(models_folder() / lm.name, lm, answers)
    print(f"{path}: {len(answers)} answers, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
