"""
Robust gradient boosting with unknown contamination
===================================================

**Claim.** With four tenths of the targets wrong, robust gradient boosting follows the truth: its
mean error is less than twice that of the oracle, a fit to the clean rows alone. Boosting of
absolute errors, the robust loss of the learner itself, follows the wrong rows, with an error more
than twice as large.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from untaint import RobustRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 1000))
truth = np.select([x < 2, x < 5, x < 7], [1.0, 3.0, 0.0], 2.0) + 0.3 * np.sin(3 * x)
y = truth + 0.15 * rng.standard_normal(1000)
wrong = rng.random(1000) < 0.4
y[wrong] = rng.normal(6, 2, wrong.sum())
X = x[:, None]

# %%
# Any learner may stand here. The share of wrong rows is estimated.

boosting = HistGradientBoostingRegressor(max_iter=60, random_state=0)
robust = RobustRegressor(boosting, random_state=0).fit(X, y)
absolute = HistGradientBoostingRegressor(loss="absolute_error", max_iter=60, random_state=0)
fits = {
    "oracle": boosting.fit(X[~wrong], y[~wrong]).predict(X),
    "robust": robust.predict(X),
    "absolute error": absolute.fit(X, y).predict(X),
}
errors = {name: np.mean(np.abs(fit - truth)) for name, fit in fits.items()}
print(f"share of wrong rows: {robust.contamination_:.2f}, fits of boosting: {robust.n_fits_}")
print({name: round(float(error), 3) for name, error in errors.items()})
assert errors["robust"] < 2 * errors["oracle"]
assert errors["absolute error"] > 2 * errors["robust"]

# %%

kept = robust.inlier_mask_
figure, ax = plt.subplots(layout="constrained")
ax.scatter(x[kept], y[kept], s=14, color="#7f9bb3", linewidths=0, label="kept")
ax.scatter(x[~kept], y[~kept], s=22, marker="x", color="#d55e00", linewidths=1, label="flagged")
ax.plot(x, truth, color="#9aa5b1", lw=4, label="truth")
ax.plot(x, fits["absolute error"], color="#8d6b94", lw=1.5, ls="--", label="absolute error")
ax.plot(x, fits["robust"], color="#14213d", lw=1.8, label="robust")
ax.set(xlabel="x", ylabel="y", title="Steps, and four tenths of the targets wrong")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.13))
plt.show()
