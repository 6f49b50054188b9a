"""The one family of errors a user may see.

Every message is one sentence or two: what was given, what is allowed, what to do.
Pages show the message; nothing else reaches the user.
"""


class Error(Exception):
    """Base of every error tlmviz raises on purpose."""


class UnknownName(Error):
    """A model, tensor, layer, head or option that does not exist."""


class BadText(Error):
    """A text that is empty or longer than the model reads."""


class BadConfig(Error):
    """A model configuration that describes no possible model."""


class BadCheckpoint(Error):
    """A checkpoint folder that is incomplete, damaged or not ours."""


class BadShape(Error):
    """Tensors whose shapes or values do not fit together."""


class BadBackend(Error):
    """A kernel backend that does not exist or cannot run here."""


class OutOfPages(Error):
    """A paged cache with no free page left for what it is asked to hold."""


class BadSearch(Error):
    """A setting of a search that no search can follow: a beam of width 0, a token that does not exist."""
