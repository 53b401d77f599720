"""The public data sets of the papers, read from a directory of CSV files or from their archives.

Every ``fetch_*`` looks in ``data_home``, by default the directory in the environment variable
``UNTAINT_DATA``, for its file (plain or gzip-compressed). If it is not there, the original file is
downloaded, converted and compared with a checksum of the table; what results is kept in that
directory, or, when none is set or it cannot be written, in ``~/.cache/untaint`` (with
``XDG_CACHE_HOME`` in place of ``~/.cache`` where that is set), and found there by the next call.

What is returned is what scikit-learn's loaders return: a ``Bunch`` with ``data``, ``target``,
``frame``, ``feature_names``, ``target_names`` and ``DESCR``, or ``(X, y)``. Rows keep the file's
order and nothing is scaled.

Parameters of every function
----------------------------
data_home : path-like, default=None
    Directory that holds the files; None means ``UNTAINT_DATA``.
return_X_y : bool, default=False
    Return ``(X, y)`` in place of the bunch.
as_frame : bool, default=False
    Return pandas objects.
download_if_missing : bool, default=True
    If False, raise FileNotFoundError where the file would have to be downloaded.

Examples
--------
>>> from untaint.datasets import fetch_concrete
>>> X, y = fetch_concrete(return_X_y=True)  # doctest: +SKIP
>>> X.shape, y.shape  # doctest: +SKIP
((1030, 8), (1030,))
"""

from collections.abc import Callable
from inspect import cleandoc
from typing import Any, Protocol

from . import _sources as sources
from ._obtain import PathLike, obtain
from ._sources import DatasetSource
from ._table import bundle


class _Fetcher(Protocol):
    def __call__(
        self,
        data_home: PathLike | None = ...,
        return_X_y: bool = ...,
        as_frame: bool = ...,
        *,
        download_if_missing: bool = ...,
    ) -> Any: ...


def _fetcher_of(source: DatasetSource) -> Callable[[Callable[[], None]], _Fetcher]:
    """Return a decorator that makes the function that loads a set of a name and a description."""

    def decorate(described: Callable[[], None]) -> _Fetcher:
        def fetch(
            data_home: PathLike | None = None,
            return_X_y: bool = False,
            as_frame: bool = False,
            *,
            download_if_missing: bool = True,
        ) -> Any:
            table = obtain(source, data_home, download_if_missing=download_if_missing)
            description = f"{cleandoc(fetch.__doc__ or '')} Source: {source.origin}."
            return bundle(table, source.task, description, return_X_y=return_X_y, as_frame=as_frame)

        fetch.__name__ = fetch.__qualname__ = described.__name__
        fetch.__doc__ = described.__doc__
        return fetch

    return decorate


@_fetcher_of(sources.BOSTON)
def fetch_boston() -> None:
    """Load Boston housing: 506 x 13, the median house value of a district (regression).

    Kept because the papers report it. Its column ``b`` encodes a race-based assumption, for which
    scikit-learn dropped the set; prefer another set for teaching.
    """


@_fetcher_of(sources.CONCRETE)
def fetch_concrete() -> None:
    """Load concrete: 1030 x 8, compressive strength from mixture and age (regression)."""


@_fetcher_of(sources.WINE_QUALITY)
def fetch_wine_quality() -> None:
    """Load red wine: 1599 x 11, tasters' grade 3 to 8 (regression); 240 rows are duplicates."""


@_fetcher_of(sources.DRUG)
def fetch_drug() -> None:
    """Load drug activity: 4085 x 410 binary fingerprints (regression).

    The last 1000 rows are the authors' test part. Two columns are constant, 150 rows repeat earlier
    ones, the target has a heavy left tail.
    """


@_fetcher_of(sources.HEART_DISEASE)
def fetch_heart_disease() -> None:
    """Load Cleveland heart disease: 303 x 13, two classes; six missing cells are NaN."""


@_fetcher_of(sources.BREAST_CANCER)
def fetch_breast_cancer() -> None:
    """Load Wisconsin diagnostic breast cancer: 569 x 30, 1 is benign and 0 malignant."""


@_fetcher_of(sources.VEHICLE)
def fetch_vehicle() -> None:
    """Load vehicle silhouettes: 846 x 18, four classes named bus, opel, saab and van."""


@_fetcher_of(sources.SEGMENT)
def fetch_segment() -> None:
    """Load image segmentation: 2310 x 19, seven classes; ``region_pixel_count`` is constant."""


@_fetcher_of(sources.GLASS)
def fetch_glass() -> None:
    """Load glass identification: 214 x 9, six unbalanced classes (types 1, 2, 3, 5, 6, 7)."""
