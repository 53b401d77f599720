"""
Flipped labels and the decision boundary
========================================

**Claim.** With 30 % of the labels flipped, the robust classifier agrees with more than 94 % of
the true labels. Kernel logistic regression with the same kernel and ridge parameter agrees with
92.5 %.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from untaint import SubquantileClassifier, SubquantileClassifierCV
from untaint.datasets import contaminate

X, truth = make_moons(400, noise=0.15, random_state=0)
X, y, flipped = contaminate(X, truth, epsilon=0.3, kind="flip", random_state=0)

robust = SubquantileClassifierCV().fit(X, y)
plain = SubquantileClassifier(contamination=0, gamma=robust.gamma_, alpha=robust.alpha_).fit(X, y)


def accuracy(model):
    return np.mean(model.predict(X) == truth)


print(f"share of wrong labels: {robust.contamination_:.2f} (true: 0.30)")
print(f"agreement with the true labels: untaint {accuracy(robust):.3f}", end=", ")
print(f"plain {accuracy(plain):.3f}")
assert accuracy(robust) > 0.94
assert accuracy(robust) > accuracy(plain)

# %%

xx, yy = np.meshgrid(np.linspace(-1.7, 2.7, 160), np.linspace(-1.2, 1.7, 160))
grid = np.column_stack([xx.ravel(), yy.ravel()])
figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.6), sharey=True, layout="constrained")
for ax, model, name in zip(axes, (plain, robust), ("kernel logistic", "untaint"), strict=True):
    side = model.decision_function(grid).reshape(xx.shape)
    ax.contour(xx, yy, side, levels=[0], colors="#14213d", linewidths=1.8)
    for label, color in ((0, "#0072b2"), (1, "#d55e00")):
        rows = y == label
        ax.scatter(*X[rows].T, s=11, color=color, linewidths=0, label=f"label {label}")
    ax.set_title(f"{name}: {accuracy(model):.1%} of the true labels", loc="left", fontsize="medium")
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_xlabel("first feature")
axes[0].set_ylabel("second feature")
axes[0].legend(frameon=False, loc="lower left", fontsize="small", handletextpad=0.2)
plt.show()
