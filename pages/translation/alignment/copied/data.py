"""Everything that the part Write or copy shows: what a model with a pointer writes, what of it is copied, and its
twin's text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlmviz.analysis.translation import copying
from tlmviz.analysis.translation.copying import Copied
from tlmviz.checks import Check, measure, translation_copying
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.records import Candidate
from tlmviz.ui import compute as shared
from tlmviz.ui import translation
from tlmviz.ui.cached import cached
from tlmviz.ui.translation import SentencePair

from .state import Pointing


@dataclass(frozen=True)
class Data:
    """A model with a pointer and its twin without one, on one sentence."""

    chosen: Pointing

    @cached_property
    def both(self) -> tuple[str, str] | None:
        """A model with a pointer and one without that has the same score, its own twin if there is one; None without
        either."""
        found = {name: translation.model(name) for name in translation.models()}
        pointing = [name for name, mt in found.items() if mt.has_pointer]
        if not pointing:
            return None
        score = found[pointing[0]].config.score
        without = [
            name for name, mt in found.items() if not mt.has_pointer and getattr(mt.config, "score", None) == score
        ]
        if not without:
            return None
        return pointing[0], min(without, key=lambda name: not name.startswith(pointing[0]))

    @property
    def model(self) -> str:
        """The model with a pointer."""
        return self.both[0]

    @property
    def twin(self) -> str:
        """The one without."""
        return self.both[1]

    @cached_property
    def pair(self) -> SentencePair:
        """The sentence and what the model with the pointer writes."""
        return SentencePair(self.model, self.chosen.read, best(self.model, self.chosen).tokens)

    @cached(64)
    def copied(pair: SentencePair) -> Copied:
        """What of it is written and what copied."""
        return shared.run_in_worker(
            lambda: copying.read(pair.mt, pair.text, list(pair.translation)), shared.about(pair.text)
        )

    def text(self, name: str) -> str:
        """What a model writes."""
        return translation.model(name).text(best(name, self.chosen).tokens)

    @property
    def name_steps(self) -> list[int]:
        """The steps that write the name's tokens; none where the translation lacks it."""
        name = self.chosen.name.strip()
        return copying.tokens_of(name, self.pair.targets) if name and name in self.chosen.read else []

    @property
    def looks(self) -> list[int]:
        """The source token that each step looks at most."""
        return [int(at) for at in self.copied.a.argmax(1)]

    @property
    def words(self) -> np.ndarray:
        """Whether each token is of letters alone: marks and the end say little of copying."""
        return np.array([token.strip().isalpha() for token in self.pair.targets])

    @cached(64)
    def checks(pair: SentencePair) -> list[Check]:
        """The identities behind this picture."""
        read = Data.copied(pair)
        return shared.run_in_worker(lambda: measure(translation_copying, pair.mt, read), shared.about(pair.text))


def best(model: str, chosen: Pointing) -> Candidate:
    """A model's best text under the usual penalties. Raises BadText and BadSearch."""
    options = translation.without_ranking(BeamOptions(width=chosen.width))
    return translation.search(model, chosen.read, options).hypotheses()[0]
