"""
Learning from a table with privacy noise
========================================

**Claim.** With noise of three deviations of a feature, a plain fit is hardly better than
predicting the mean. The corrected fit, given the size of the noise, has an error of less than a
seventh of that. With still more noise the correction is shrunk, and is never much worse than the
plain fit.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import RidgeCV

from untaint.exceptions import OverstatedNoiseWarning
from untaint.online import CorrectedRidge

# Such noise exceeds the signal; its size is known here, and not overstated.
warnings.simplefilter("ignore", OverstatedNoiseWarning)
rng = np.random.default_rng(0)
X, X_new = rng.uniform(-1, 1, (40_000, 5)), rng.uniform(-1, 1, (2_000, 5))
weights = np.array([2.0, -1.0, 0.5, 0.0, 1.0])
y = X @ weights + 0.2 * rng.standard_normal(len(X))
truth = X_new @ weights

sizes = np.array([0.5, 1.0, 2.0, 3.0, 4.0, 6.0])  # in deviations of a feature
errors = {"plain": np.zeros((5, 6)), "corrected": np.zeros((5, 6))}  # five releases of each
for place in np.ndindex(5, 6):
    sigma = sizes[place[1]] * X.std()
    released = X + sigma * rng.standard_normal(X.shape)
    plain = RidgeCV(np.logspace(-3, 3, 7)).fit(released, y)
    corrected = CorrectedRidge(noise_cov=sigma**2).fit(released, y)
    for name, model in (("plain", plain), ("corrected", corrected)):
        errors[name][place] = np.sqrt(np.mean((model.predict(X_new) - truth) ** 2)) / truth.std()

print("noise     ", *(f"{size:5.1f}" for size in sizes))
for name, values in errors.items():
    print(f"{name:10}", *(f"{value:5.2f}" for value in values.mean(axis=0)))
assert errors["plain"].mean(axis=0)[3] > 0.85
assert errors["corrected"].mean(axis=0)[3] < 1 / 7
assert (errors["corrected"] <= 1.03 * errors["plain"]).all()

# %%

figure, ax = plt.subplots(layout="constrained")
ax.axhline(1, color="#9aa5b1", lw=1, ls=(0, (4, 3)))
ax.annotate("predicting the mean", (sizes[0], 1.02), color="#5c6773", fontsize="small")
looks = {
    "plain": ("#8d6b94", "--", "ridge"),
    "corrected": ("#14213d", "-", "untaint, given the noise"),
}
for name, (color, line, label) in looks.items():
    for release in errors[name]:
        ax.plot(sizes, release, color=color, ls="", marker="o", ms=3, alpha=0.4)
    ax.plot(sizes, errors[name].mean(axis=0), color=color, ls=line, label=label)
ax.set(
    xlabel="noise in deviations of a feature",
    ylabel="error on clean rows / their deviation",
    title="Features released once, with noise of a published size",
    ylim=(0, 1.25),
)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper right", ncols=2)
plt.show()
