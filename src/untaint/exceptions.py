"""What untaint raises and warns with, beyond scikit-learn's own."""

from warnings import warn


class MemoryLimitError(MemoryError, ValueError):
    """The kernel matrix would not fit in ``memory_limit``; raised before anything is built."""


class AmbiguousContaminationWarning(UserWarning):
    """Two explanations of which rows are wrong are about equally likely; the message names both."""


def warn_if_ambiguous(message: str, stacklevel: int) -> None:
    """Warn that the contamination could not be told, if a message says of what kinds it may be."""
    if message:
        warn(
            f'contamination="auto" cannot tell which rows are wrong: {message}. '
            "Pass contamination, or look at the rows that audit() lists.",
            AmbiguousContaminationWarning,
            stacklevel=stacklevel,
        )


class FeatureScaleWarning(UserWarning):
    """Columns of X have no influence on the fit because of their scale; the message names them."""


class OverstatedNoiseWarning(UserWarning):
    """The declared noise explains nearly all of the variance of the rows in some direction."""


class UnidentifiedNoiseWarning(UserWarning):
    """The noise is to be estimated, and no row has a second measurement or true features."""
