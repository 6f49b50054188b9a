"""The survey: what every head of a model does over a whole corpus, exactly, in shards that can be resumed."""

from .corpus import Document, documents
from .finding import find
from .results import COLUMNS, Survey
from .running import survey
from .shards import STATISTICS, Shard, survey_shard

__all__ = ["COLUMNS", "STATISTICS", "Document", "Shard", "Survey", "documents", "find", "survey", "survey_shard"]
