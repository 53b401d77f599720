"""
Accelerated gradient methods
============================

**Claim.** From the same start and with steps of the same length, momentum and Nesterov's steps
reach, within a tenth of the iterations, the objective at which plain gradient steps end. (The
default solver, which refits exactly, takes a handful of iterations.)
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from untaint import SubquantileRegressor
from untaint.datasets import contaminate, load_kiln
from untaint.preprocessing import MedianScaler

X, y = load_kiln(return_X_y=True)
X, y, _ = contaminate(MedianScaler().fit_transform(X), y, epsilon=0.2, random_state=0)
y = (y - np.median(y)) / 5
steps = 800
warnings.simplefilter("ignore", ConvergenceWarning)  # we stop them ourselves
paths = {}
for acceleration in (None, "momentum", "nesterov"):
    model = SubquantileRegressor(
        contamination=0.2,
        solver="gradient",
        acceleration=acceleration,
        alpha=0.1,
        tol=1e-12,
        max_iter=steps,
    ).fit(X, y)
    paths[acceleration or "plain steps"] = model.objective_path_
exact = SubquantileRegressor(contamination=0.2, alpha=0.1).fit(X, y)

# %%

goal = paths["plain steps"][-1]
for name, path in paths.items():
    reached = np.argmax(path <= goal * (1 + 1e-9))
    print(f"{name:12} reaches the plain steps' end after {reached:4d} of {steps}")
    assert name == "plain steps" or reached <= steps / 10
print(f"exact refits: {exact.n_iter_} iterations, to {exact.objective_path_[-1]:.4f}")

# %%

lowest = min(exact.objective_path_[-1], *(path.min() for path in paths.values()))
figure, ax = plt.subplots(layout="constrained")
looks = {
    "plain steps": ("#9aa5b1", "-"),
    "momentum": ("#d55e00", "-"),
    "nesterov": ("#14213d", "--"),
}
for name, (color, line) in looks.items():
    gap = paths[name] / lowest - 1
    ax.semilogy(np.arange(len(gap)), np.maximum(gap, 1e-9), color=color, ls=line, label=name)
ax.set(
    xlabel="iteration",
    ylabel="objective above the lowest seen (relative)",
    title="Gradient steps, plain and accelerated",
)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()
