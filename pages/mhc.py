"""A door for deep links, not a page: the page is in pages/streams/.

On a server's first visit Streamlit looks for pages as `pages/*.py`, before app.py has named
them, and greets a link to any other name with "Page not found". This file is found, and hands
over to app.py, which opens the page that the link asks for.
"""

import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).resolve().parents[1] / "app.py"))
