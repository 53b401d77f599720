"""
What cannot be detected: a region without a single correct row
==============================================================

**Claim.** If half of the rows of a region are correct, the fit finds them. If every row at the end
of the range is shifted alike, there is no data beyond the shifted region, so the fit follows it,
and no method that uses the rows alone could do better.
"""

import matplotlib.pyplot as plt
import numpy as np

from untaint import SubquantileRegressorCV

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-3, 3, 300))
truth = np.sin(1.5 * x)
X, y_clean = x[:, None], truth + 0.15 * rng.standard_normal(300)
region = x > 1.6

fits = {}
for part in (0.5, 1.0):
    wrong = region & (rng.random(300) < part)
    y = y_clean + 2.0 * wrong
    model = SubquantileRegressorCV().fit(X, y)
    error = np.abs(model.predict(X) - truth)[region].mean()
    fits[part] = (y, wrong, model)
    print(f"{part:.0%} of the region is wrong: off by {error:.2f} there")
    assert error < 0.1 if part == 0.5 else error > 1.5

# %%

figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.6), sharey=True, layout="constrained")
titles = ("half of the region is wrong: detected", "all of it is wrong: not detected")
for ax, title, (y, wrong, model) in zip(axes, titles, fits.values(), strict=True):
    ax.scatter(x[~wrong], y[~wrong], s=10, color="#7f9bb3", linewidths=0, label="right")
    ax.scatter(x[wrong], y[wrong], s=18, marker="x", color="#d55e00", linewidths=1, label="wrong")
    ax.plot(x, truth, color="#9aa5b1", lw=4, label="truth")
    ax.plot(x, model.predict(X), color="#14213d", lw=1.8, label="untaint")
    ax.set_title(title, loc="left", fontsize="medium")
    ax.set_xlabel("x")
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("y")
axes[0].legend(frameon=False, fontsize="small", loc="upper left")
plt.show()
