"""The one family of errors a user may see.

Every message is one sentence or two: what was given, what is allowed, what to do.
Pages show the message; nothing else reaches the user.
"""


class Error(Exception):
    """Base of every error tlmviz raises on purpose: `message`, and the `values` that stand in its `{holes}`.

    A page looks the message up in its visitor's language and fills it then; `str` of the error is the filled message.
    """

    def __init__(self, message: str = "", **values: object):
        super().__init__(message.format(**values) if values else message)
        self.message, self.values = message, values


class UnknownName(Error):
    """A model, tensor, layer, head or option that does not exist."""


class BadText(Error):
    """A text that is empty or longer than the model reads."""


class BadConfig(Error):
    """A model configuration that describes no possible model."""


class BadCheckpoint(Error):
    """A checkpoint folder that is incomplete, damaged or not ours."""


class NoNetwork(UnknownName):
    """Something that only a network can answer, asked of a trace that came from a file."""


class BadFile(BadCheckpoint):
    """A file of a trace that is missing, damaged, of another format, or cannot be written."""


class BadModel(Error):
    """A model of another library whose attention cannot be watched."""


class BadMonitor(Error):
    """A monitor of a training that cannot be set up: every=0, no probes, a folder of another run or none to write
    to."""


class CannotExport(Error):
    """A model that the format asked for has no words for, or a folder that it cannot be written to."""


class BadShape(Error):
    """Tensors whose shapes or values do not fit together."""


class BadBackend(Error):
    """A kernel backend that does not exist or cannot run here."""


class OutOfPages(Error):
    """A paged cache with no free page left for what it is asked to hold."""


class MissingExtra(Error, ImportError):
    """Something that needs a package which an extra brings, and which is not installed."""


class BadQuery(Error):
    """A query to the finder of heads that it does not understand."""


class BadSearch(Error):
    """A setting of a search that no search can follow: a beam of width 0, a token that does not exist."""


class BadDownload(Error):
    """A model that cannot be fetched, is not what was asked for, or cannot be kept."""


class BadShot(Error):
    """A picture that cannot be taken: a wrong link, size or path, or no browser."""


class BadSchedule(Error):
    """A pipeline that cannot be run with so many stages, micro-batches, chunks or layers."""
