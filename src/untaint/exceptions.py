"""What untaint raises and warns with, beyond scikit-learn's own."""


class MemoryLimitError(MemoryError, ValueError):
    """The kernel matrix would not fit in ``memory_limit``; raised before anything is built."""


class AmbiguousContaminationWarning(UserWarning):
    """Two explanations of which rows are wrong are about equally likely; the message names both."""


class FeatureScaleWarning(UserWarning):
    """Columns of X have no influence on the fit because of their scale; the message names them."""


class OverstatedNoiseWarning(UserWarning):
    """The declared noise explains nearly all of the variance of the rows in some direction."""


class UnidentifiedNoiseWarning(UserWarning):
    """The noise is to be estimated, and no row has a second measurement or true features."""
