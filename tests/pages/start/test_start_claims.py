"""What the page Start claims, held against the model's own weights."""

import tlmviz
from pages.start.start import claims, data
from pages.start.start.state import Start
from tests.pages.states import each_speaks_and_is_silent, left_without
from tlmviz.figures import readable
from tlmviz.ui.inputs import DEFAULT_TEXT, EXAMPLES

FRENCH, LONG = "Le chat 😀 voit le chat. Le chien voit le", "The cat sat on the mat. " * 20
TEXTS = [DEFAULT_TEXT, *EXAMPLES.values(), "Hi", "cat", "a b c d", FRENCH, LONG]


def test_every_claim_is_what_the_model_says_and_silent_elsewhere(stories):
    found = []
    for text in TEXTS:
        shown = data.compute(Start(text=text))
        said = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
        trace, head = stories.trace(text), shown.heads[data.FINDER]
        row = trace.attention(head.layer, head.head)[head.row, : data.MOST]
        key, percent = int(row.argmax()), f"{100 * float(row.max()):.0f}%"
        looks_back = key != head.row and float(row.max()) >= 0.5
        likely = trace.probabilities(head.row)
        again = looks_back and int(likely.argmax()) == trace.ids[key]
        first = ("expects" if again else "finds") if looks_back else "spreads"
        assert [name for name in ("expects", "finds", "spreads") if said[name]] == [first]
        if again:
            left, still = left_without(stories, text, (head.layer, head.head), head.row)
            assert f"with {100 * float(likely.max()):.0f}%," in said["expects"]
            assert left in (end := said["expects"].rpartition("ithout")[2]) and ("expects" in end) != still
        first = said[first].replace("\\", "")
        for position in (head.row, key):
            assert f"“{readable(trace.tokens[position]).lstrip('␣') or '␣'}”" in first
        assert percent in first
        assert bool(said["shortened"]) == (len(trace) > data.MOST)
        if said["shortened"]:
            assert f"first {data.MOST} of {len(trace)} tokens" in said["shortened"]
        found.append({name: sentence is not None for name, sentence in said.items()})
    each_speaks_and_is_silent(found)
    assert tlmviz.load(data.MODEL).config.n_heads == 6
