"""Every rule on a table that triggers it, and on one that does not."""

import numpy as np
import pandas as pd
import pytest

from tlmviz.monitoring import RULES
from tlmviz.monitoring.run import COLUMNS

CALM = dict(
    entropy=3.0,
    peak=0.3,
    sink=0.1,
    self=0.1,
    previous=0.1,
    distance=8.0,
    induction=0.1,
    max_logit=5.0,
    q_norm=4.0,
    k_norm=4.0,
    output_norm=1.0,
    update_ratio=0.01,
)


def table(every=200, **changed):
    """Two layers of two heads; `changed` are the columns of L1H0, a value for each measurement."""
    steps = max((len(values) for values in changed.values()), default=6)
    lines = [
        {"step": every * at, "layer": layer, "head": head} | CALM
        for at in range(steps)
        for layer in range(2)
        for head in range(2)
    ]
    found = pd.DataFrame(lines)[list(COLUMNS)]
    for name, values in changed.items():
        found.loc[(found["layer"] == 1) & (found["head"] == 0), name] = values
    return found


FIRES = {
    "entropy collapse": (
        dict(entropy=[3, 2, 0.1, 0.1, 0.05, 0.01]),
        800,
        "The entropy of L1H0 has been below 0.15 bits since step 400; it is 0.050.",
    ),
    "logits growing": (
        dict(max_logit=[5, 9, 20, 45, 60, 70]),
        800,
        "The largest score of L1H0 is 60 at step 800; at step 200 it was 9.0.",
    ),
    "sink forming": (
        dict(sink=[0.1, 0.2, 0.6, 0.7, 0.8, 0.9]),
        800,
        "L1H0 puts 80% of its mass on the first token; at step 0 it was 10%.",
    ),
    "head dead": (
        dict(output_norm=[1, 0.5, 0.001, 0.001, 0.001, 0.001]),
        800,
        "The output of L1H0 has a norm of 0.001 since step 400, 0.1% of the median head's.",
    ),
    "turned induction": (
        dict(induction=[0.1, 0.2, 0.4, 0.6, 0.7, 0.8]),
        1000,
        "L1H0 is an induction head since step 600: 80% of its mass is on tokens that followed an earlier copy.",
    ),
}
SILENT = {
    "entropy collapse": [
        dict(entropy=[3, 0.1, 0.1, 2, 0.1, 0.1]),  # not for long
        dict(entropy=[0.1] * 6, previous=[0.9] * 6),  # a head of the previous token has one key a row
        dict(entropy=[0.1] * 6, induction=[0.9] * 6),
        dict(entropy=[0.1] * 6, self=[0.9] * 6),
        dict(entropy=[np.nan] * 6),
    ],
    "logits growing": [
        dict(max_logit=[5, 9, 20, 40, 45, 49]),  # small
        dict(max_logit=[90, 91, 92, 93, 94, 95]),  # large from the beginning
    ],
    "sink forming": [dict(sink=[0.6] * 6), dict(sink=[0.1, 0.9, 0.9, 0.1, 0.9, 0.1])],
    "head dead": [dict(output_norm=[0.05] * 6), dict(output_norm=[1, 0, 0, 1, 0, 0])],
    "turned induction": [dict(induction=[0.8] * 6), dict(induction=[np.nan] * 6)],
}


@pytest.mark.parametrize("name", RULES)
def test_it_fires_once_for_the_head_that_is_meant(name):
    changed, step, sentence = FIRES[name]
    [event] = RULES[name](table(**changed))
    assert (event.rule, event.layer, event.head, event.step, event.name) == (name, 1, 0, step, "L1H0")
    assert event.sentence == sentence


@pytest.mark.parametrize("name, changed", [(name, one) for name in RULES for one in [{}, *SILENT[name]]])
def test_it_is_silent(name, changed):
    assert RULES[name](table(**changed)) == []


@pytest.mark.parametrize("name", RULES)
def test_no_other_rule_fires_on_its_example(name):
    changed, _, _ = FIRES[name]
    assert [other for other, rule in RULES.items() if rule(table(**changed))] == [name]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("steps", [1, 2])
def test_the_first_measurements_are_no_history(name, steps):
    changed = {column: values[-steps:] for column, values in FIRES[name][0].items()}
    assert RULES[name](table(**changed)) == []
