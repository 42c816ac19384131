"""What can go wrong in the library; each message is a sentence for the person who asked."""


class LibraryError(Exception):
    """Root of the library's errors."""


class EmbeddingUnavailable(LibraryError):
    """Sentences cannot be turned into vectors here; the message says why."""


class WrongDimensions(EmbeddingUnavailable):
    """A sentence model makes vectors that the tables cannot hold; the message says what to do."""


class EntailmentUnavailable(LibraryError):
    """Whether one sentence follows from another cannot be judged by a model here; the message says why."""


class LibraryRefused(LibraryError):
    """That person may not do this, or the row is not in a state that allows it. `field` names what was wrong."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field
