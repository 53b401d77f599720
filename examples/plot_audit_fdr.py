"""
Audits control the false discovery rate
=======================================

**Claim.** ``audit(fdr=q)`` flags as many rows as possible while the expected fraction of false
discoveries among them is at most q. Over eight draws of wrong targets, the mean fraction of false
discoveries is the nominal rate, to two hundredths, and nine in ten of the wrong rows are found.
"""

import matplotlib.pyplot as plt
import numpy as np

from untaint import SubquantileRegressor
from untaint.datasets import contaminate, load_kiln
from untaint.preprocessing import MedianScaler

X, clean = load_kiln(return_X_y=True)
X = MedianScaler().fit_transform(X)
asked = np.array([0.02, 0.05, 0.1, 0.2, 0.3])
mistaken, caught = np.zeros((8, len(asked))), np.zeros((8, len(asked)))
for seed in range(8):
    _, y, wrong = contaminate(X, clean, epsilon=0.2, kind="label", random_state=seed)
    model = SubquantileRegressor(alpha=0.1).fit(X, y)
    for place, fdr in enumerate(asked):
        audit = model.audit(fdr=fdr)
        flagged = np.asarray(audit["row"])[np.asarray(audit["flagged"])]
        mistaken[seed, place] = np.mean(~wrong[flagged])
        caught[seed, place] = wrong[flagged].sum() / wrong.sum()

print("nominal     ", *(f"{fdr:.2f}" for fdr in asked))
print("actual      ", *(f"{share:.2f}" for share in mistaken.mean(axis=0)))
print("wrong found ", *(f"{share:.2f}" for share in caught.mean(axis=0)))
assert np.abs(mistaken.mean(axis=0) - asked).max() < 0.02
assert (caught.mean(axis=0) > 0.9).all()

# %%

figure, ax = plt.subplots(layout="constrained")
ax.plot([0, 32], [0, 32], color="#9aa5b1", lw=1, ls=(0, (4, 3)), label="the nominal rate")
for draw in mistaken:
    ax.plot(100 * asked, 100 * draw, ls="", marker="o", ms=4, color="#7f9bb3", alpha=0.6)
ax.plot(
    100 * asked, 100 * mistaken.mean(axis=0), color="#14213d", marker="o", label="mean of 8 draws"
)
ax.set(
    xlabel="nominal false discovery rate (%)",
    ylabel="false discoveries among the flagged rows (%)",
    title="Nominal and actual false discovery rate",
)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper left")
plt.show()
