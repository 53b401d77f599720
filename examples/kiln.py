"""A fifth of a kiln log is wrong, and the robust fit estimates how many rows and which."""

import sys
from pathlib import Path

import numpy as np
from sklearn.kernel_ridge import KernelRidge

from untaint import SubquantileRegressorCV
from untaint.datasets import contaminate, load_kiln
from untaint.preprocessing import MedianScaler


def main(picture: Path) -> None:
    X, y_true = load_kiln(return_X_y=True)
    scaler = MedianScaler()
    X = scaler.fit_transform(X)
    X, y, wrong = contaminate(X, y_true, epsilon=0.2, kind="label", random_state=0)

    robust = SubquantileRegressorCV().fit(X, y)
    plain = KernelRidge(kernel="rbf", gamma=robust.gamma_, alpha=robust.alpha_)
    plain.fit(X, y - y.mean())
    plain_fit = plain.predict(X) + y.mean()

    def error(fitted: np.ndarray) -> float:
        return float(np.sqrt(np.mean((fitted - y_true)[~wrong] ** 2)))

    caught = ~robust.inlier_mask_
    low, high = robust.contamination_interval_
    print(f"{len(y)} firings of a kiln, {wrong.sum()} with a wrong strength")
    share = f"{robust.contamination_:.0%} (between {low:.0%} and {high:.0%})"
    print(f"share of wrong rows      {share}")
    print(f"error on correct rows    plain kernel ridge {error(plain_fit):6.2f} MPa")
    print(f"                         untaint            {error(robust.predict(X)):6.2f} MPa")
    print(f"wrong rows caught        {(caught & wrong).sum()} of {wrong.sum()}")
    print(f"correct rows trimmed     {(caught & ~wrong).sum()} of {(~wrong).sum()}")
    audit = robust.audit()
    print("most suspicious rows     row  strength  expected  deviations")
    columns = (audit[name][:5] for name in ("row", "observed", "expected", "score"))
    for row, observed, expected, score in zip(*columns, strict=True):
        print(f"{'':25}{row:3d}  {observed:8.1f}  {expected:8.1f}  {score:10.1f}")
    draw(picture, y, robust, plain, y.mean(), wrong, scaler)
    print(f"picture                  {picture}")


def draw(picture, y, robust, plain, mean, wrong, scaler) -> None:
    """Strength over temperature, the other two features held at their medians."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    kiln = load_kiln()
    celsius = kiln.data[:, 0]
    grid = np.linspace(celsius.min(), celsius.max(), 300)
    scaled = np.zeros((300, 3))
    scaled[:, 0] = (grid - scaler.center_[0]) / scaler.scale_[0]

    figure, axes = plt.subplots(figsize=(8.4, 4.4), dpi=150, layout="constrained")
    kept = robust.inlier_mask_
    axes.scatter(celsius[kept], y[kept], s=14, color="#7f9bb3", label="kept", linewidths=0)
    axes.scatter(
        celsius[~kept],
        y[~kept],
        s=26,
        marker="x",
        color="#d1495b",
        label="trimmed",
        linewidths=1.3,
    )
    missed = kept & wrong
    axes.scatter(
        celsius[missed],
        y[missed],
        s=50,
        facecolors="none",
        edgecolors="#edae49",
        linewidths=1.4,
        label="wrong, but on the curve",
    )
    axes.plot(grid, robust.predict(scaled), color="#14213d", lw=2.4, label="untaint")
    axes.plot(
        grid, plain.predict(scaled) + mean, color="#8d6b94", lw=1.8, ls="--", label="kernel ridge"
    )
    low, high = np.percentile(y[kept], [0, 100])
    axes.set_ylim(low - 0.9 * (high - low), high + 1.6 * (high - low))
    axes.set(xlabel="firing temperature (°C)", ylabel="strength of the brick (MPa)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncols=5, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    figure.savefig(picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("untaint-demo.png"))
