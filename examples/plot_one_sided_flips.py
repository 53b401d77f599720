"""
One-sided label noise
=====================

**Claim.** If all wrong labels come from one class, a plain fit loses that class: at 30 % its
recall is below one half. The robust classifier keeps both classes, with a recall of at least 0.85.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.metrics import recall_score

from untaint import SubquantileClassifier, SubquantileClassifierCV
from untaint.datasets import contaminate

X, truth = make_moons(400, noise=0.2, random_state=0)
shares = [0.0, 0.15, 0.3]
recalls = {"plain": [], "untaint": []}
for share in shares:
    _, y, _ = contaminate(X, truth, epsilon=share, kind="flip-one-sided", random_state=0)
    robust = SubquantileClassifierCV().fit(X, y)
    same = {"gamma": robust.gamma_, "alpha": robust.alpha_}
    plain = SubquantileClassifier(contamination=0, **same).fit(X, y)
    for name, model in (("plain", plain), ("untaint", robust)):
        recalls[name].append(recall_score(truth, model.predict(X), average=None).min())

for name, values in recalls.items():
    print(f"{name:8}", *(f"{value:.2f}" for value in values))
assert min(recalls["untaint"]) > 0.85
assert recalls["plain"][-1] < 0.5

# %%

figure, ax = plt.subplots(layout="constrained")
looks = {"plain": ("#8d6b94", "--", "kernel logistic"), "untaint": ("#14213d", "-", "untaint")}
for name, (color, line, words) in looks.items():
    ax.plot(100 * np.array(shares), recalls[name], ls=line, marker="o", color=color, label=words)
ax.set(
    xlabel="wrong labels, all of one class (%)",
    ylabel="smaller recall of the two classes",
    title="Wrong labels that all go one way",
    ylim=(0, 1.03),
)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="lower left")
plt.show()
