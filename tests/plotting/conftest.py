"""Models to draw, and axes that no window and no current figure knows of."""

from types import SimpleNamespace

import numpy as np
import pytest

from untaint import SubquantileClassifier, SubquantileRegressor


@pytest.fixture
def axes():
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    from matplotlib.figure import Figure

    return Figure(layout="constrained").subplots()


@pytest.fixture(autouse=True)
def _no_window():
    matplotlib = pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def _regression(size):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (80, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=80)
    y[:8] = size * np.array([1, -1, 1, -1, 1, -1, 1, -1])
    model = SubquantileRegressor(contamination=0.1, alpha=0.1).fit(X, y)
    return SimpleNamespace(model=model, X=X, y=y, wrong=np.arange(80) < 8)


@pytest.fixture
def regression():
    """Eight of eighty targets are wrong."""
    return _regression(20.0)


@pytest.fixture
def huge():
    """Eight of eighty targets are astronomical."""
    return _regression(1e12)


@pytest.fixture
def labels():
    """Six of ninety labels are wrong."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 2)) + 5.0 * np.array([[0, 0], [1, 0], [0, 1]])[codes]
    y = np.array(["ash", "oak", "yew"])[codes]
    y[:6] = "yew"
    model = SubquantileClassifier(alpha=0.1, contamination=6 / 90).fit(X, y)
    return SimpleNamespace(model=model, X=X, y=y, wrong=np.arange(90) < 6)
