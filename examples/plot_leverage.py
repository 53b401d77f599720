"""
Leverage points do not tilt the fit
===================================

**Claim.** A tenth of the rows are bad leverage points: outlying features with wrong targets. They
pull least squares and Huber's regression to a slope of the wrong sign. The trimmed fit keeps the
slope.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import HuberRegressor, LinearRegression

from untaint import SubquantileRegressor

rng = np.random.default_rng(0)
x = rng.normal(0, 1, 200)
y = 1.0 + 0.8 * x + 0.3 * rng.standard_normal(200)
far = np.arange(200) < 20
x[far], y[far] = rng.normal(8, 0.4, 20), rng.normal(-6, 0.6, 20)

X = x[:, None]
models = {
    "least squares": LinearRegression().fit(X, y),
    "Huber": HuberRegressor(max_iter=1000).fit(X, y),
    "untaint": SubquantileRegressor(kernel="linear").fit(X, y),
}
slopes = {name: float(np.ravel(model.coef_)[0]) for name, model in models.items()}
print("slopes (true: 0.8):", ", ".join(f"{name} {slope:.2f}" for name, slope in slopes.items()))
assert abs(slopes["untaint"] - 0.8) < 0.1
assert max(slopes["least squares"], slopes["Huber"]) < 0

# %%

figure, ax = plt.subplots(layout="constrained")
ax.scatter(x[~far], y[~far], s=12, color="#7f9bb3", linewidths=0)
ax.scatter(x[far], y[far], s=22, marker="x", color="#d55e00", linewidths=1)
ends = np.array([[-3.0], [10.0]])
looks = {"least squares": ("#9aa5b1", "-"), "Huber": ("#8d6b94", "--"), "untaint": ("#14213d", "-")}
for name, (color, line) in looks.items():
    label = f"{name}, slope {slopes[name]:.2f}".replace("-", "−")
    ax.plot(ends, models[name].predict(ends), color=color, ls=line, lw=1.8, label=label)
ax.set(xlabel="x", ylabel="y", title="A tenth of the rows are bad leverage points")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper left")
plt.show()
