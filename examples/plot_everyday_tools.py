"""
Common robust tools on the same kernel features
===============================================

**Claim.** With a tenth of the targets wrong, Huber's loss on kernel features and gradient boosting
of absolute errors are as accurate as the trimmed fit. With four tenths wrong, every other method
has at least one and a half times its error.

All methods see the same scaled features, and those with a kernel have the same one. They are not
tuned alike: ``SubquantileRegressorCV`` selects its ridge parameter from the corrupted rows, while
the others have fixed settings, namely defaults, except for RANSAC (kernel ridge with ``alpha=0.1``,
a fifth of the rows in each trial) and Huber's loss (the same penalty; it does not converge with its
own). The selection matters as much as the trimming. With the default
ridge parameter, the error of the trimmed fit hardly grows with the share of wrong rows, but it is
larger than that of support vector regression up to three tenths. :doc:`/comparison` has all methods
tuned.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import pdist
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import HuberRegressor, RANSACRegressor
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVR

from untaint import SubquantileRegressor, SubquantileRegressorCV
from untaint.datasets import contaminate, load_kiln
from untaint.preprocessing import MedianScaler

X, clean = load_kiln(return_X_y=True)
X = MedianScaler().fit_transform(X)
clean = (clean - np.median(clean)) / clean.std()
gamma = 1 / np.median(pdist(X) ** 2)
ridge = KernelRidge(kernel="rbf", gamma=gamma, alpha=0.1)
features = Nystroem(gamma=gamma, n_components=100, random_state=0)
methods = {
    "Huber": make_pipeline(features, HuberRegressor(alpha=0.1, max_iter=1000)),
    "RANSAC": RANSACRegressor(ridge, min_samples=0.2, random_state=0),
    "SVR": SVR(gamma=gamma),
    "boosting": HistGradientBoostingRegressor(loss="absolute_error", random_state=0),
    "untaint, fixed ridge": SubquantileRegressor(gamma=gamma),
    "untaint": SubquantileRegressorCV(gammas=[gamma]),
}
shares = [0.0, 0.1, 0.2, 0.3, 0.4]
errors = {name: np.zeros(len(shares)) for name in methods}
for place, share in enumerate(shares):
    for seed in range(3):
        _, y, _ = contaminate(X, clean, epsilon=share, kind="label", random_state=seed)
        for name, method in methods.items():
            residuals = method.fit(X, y).predict(X) - clean
            errors[name][place] += np.sqrt(np.mean(residuals**2)) / 3

print(f"{'wrong rows':20}", *(f"{share:5.0%}" for share in shares))
for name, values in errors.items():
    print(f"{name:20}", *(f"{value:5.2f}" for value in values))
assert max(errors["Huber"][1], errors["boosting"][1]) < 1.1 * errors["untaint"][1]
others = [errors[name][-1] for name in ("Huber", "RANSAC", "SVR", "boosting")]
assert min(others) > 1.5 * errors["untaint"][-1]
fixed = errors["untaint, fixed ridge"]
assert (fixed[:4] > errors["SVR"][:4]).all() and fixed[-1] < 1.5 * fixed[0]

# %%

figure, ax = plt.subplots(layout="constrained")
looks = {
    "Huber": ("#737f8c", "s"),
    "RANSAC": ("#cc79a7", "v"),
    "SVR": ("#d55e00", "D"),
    "boosting": ("#009e73", "^"),
    "untaint, fixed ridge": ("#56b4e9", "P"),
    "untaint": ("#14213d", "o"),
}
for name, (color, marker) in looks.items():
    width = 2.4 if name == "untaint" else 1.4
    ax.plot(100 * np.array(shares), errors[name], color=color, marker=marker, lw=width, label=name)
ax.set(
    xlabel="wrong rows (%)",
    ylabel="error against the clean targets\n(in their deviations)",
    title="The same features for all, mean of three draws",
    ylim=(0, None),
)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper left")
plt.show()
