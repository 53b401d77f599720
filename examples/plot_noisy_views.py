"""
Correcting attenuation from measurement error
=============================================

**Claim.** The noisier the features, the flatter a naive fit, however many rows there are. With a
known noise variance, or with two measurements of each row, the corrected fit estimates the slope
to within 5 %.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LinearRegression

from untaint.datasets import make_noisy_views
from untaint.online import CorrectedRidge

rng = np.random.default_rng(0)
X = rng.standard_normal((20_000, 3))
y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.standard_normal(20_000)
deviations = np.linspace(0.1, 1.0, 10)
slopes = {"naive": [], "noise known": [], "measured twice": []}
for deviation in deviations:
    noisy, again = make_noisy_views(X, noise_cov=deviation**2, random_state=0)
    slopes["naive"].append(LinearRegression().fit(noisy, y).coef_[1])
    known = CorrectedRidge(noise_cov=deviation**2).fit(noisy, y)
    slopes["noise known"].append(known.coef_[1])
    slopes["measured twice"].append(CorrectedRidge().fit(noisy, y, X_copy=again).coef_[1])

for name, values in slopes.items():
    print(f"{name:14}", *(f"{value:5.2f}" for value in values))
assert abs(slopes["naive"][-1] + 1.0) < 0.05  # half of it is gone
for name in ("noise known", "measured twice"):
    assert np.abs(np.array(slopes[name]) + 2.0).max() < 0.1

# %%

figure, ax = plt.subplots(layout="constrained")
ax.axhline(-2, color="#9aa5b1", lw=4, label="truth")
looks = {
    "naive": ("#8d6b94", "--", "s"),
    "noise known": ("#14213d", "-", "o"),
    "measured twice": ("#d55e00", ":", "^"),
}
for name, (color, line, marker) in looks.items():
    ax.plot(deviations, slopes[name], color=color, ls=line, marker=marker, ms=5, label=name)
ax.set(
    xlabel="noise in deviations of a feature",
    ylabel="estimated slope",
    title="Features with noise of a known size",
)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()
