"""
Common robust tools, and where each of them fails
=================================================

**Claim.** Huber's regression, RANSAC and Theil-Sen fit linear functions, and a linear function
cannot follow this curve however robust it is. Support vector regression can: with few wrong rows
its error is within a third of ours, and it grows with the contamination, as its loss is unbounded.
All methods are run with their defaults on the same scaled features; :doc:`/comparison` has them
tuned.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import HuberRegressor, RANSACRegressor, TheilSenRegressor
from sklearn.svm import SVR

from untaint import SubquantileRegressorCV
from untaint.datasets import contaminate, load_kiln
from untaint.preprocessing import MedianScaler

X, clean = load_kiln(return_X_y=True)
X = MedianScaler().fit_transform(X)
clean = (clean - np.median(clean)) / clean.std()
methods = {
    "Huber": HuberRegressor(max_iter=1000),
    "RANSAC": RANSACRegressor(random_state=0),
    "Theil-Sen": TheilSenRegressor(max_subpopulation=500, random_state=0),
    "SVR": SVR(),
    "untaint": SubquantileRegressorCV(),
}
shares = [0.0, 0.1, 0.2, 0.3, 0.4]
errors = {name: [] for name in methods}
for share in shares:
    _, y, _ = contaminate(X, clean, epsilon=share, kind="label", random_state=0)
    for name, method in methods.items():
        residuals = method.fit(X, y).predict(X) - clean
        errors[name].append(np.sqrt(np.mean(residuals**2)))

print(f"{'wrong rows':10}", *(f"{share:5.0%}" for share in shares))
for name, values in errors.items():
    print(f"{name:10}", *(f"{value:5.2f}" for value in values))
assert errors["SVR"][1] < 4 / 3 * errors["untaint"][1]
assert errors["SVR"][-1] > 4 / 3 * errors["untaint"][-1]
assert min(errors[name][0] for name in ("Huber", "RANSAC", "Theil-Sen")) > 0.9

# %%

figure, ax = plt.subplots(layout="constrained")
looks = {
    "Huber": ("#9aa5b1", "s"),
    "RANSAC": ("#cc79a7", "v"),
    "Theil-Sen": ("#009e73", "^"),
    "SVR": ("#d55e00", "D"),
    "untaint": ("#14213d", "o"),
}
for name, (color, marker) in looks.items():
    ax.plot(100 * np.array(shares), errors[name], color=color, marker=marker, ms=5, label=name)
ax.set(
    xlabel="wrong rows (%)",
    ylabel="error against the clean targets\n(in their deviations)",
    title="The kiln log, defaults throughout",
    ylim=(0, None),
)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, ncols=5, loc="center", bbox_to_anchor=(0.5, 0.36))
plt.show()
