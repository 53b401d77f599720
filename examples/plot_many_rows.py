"""
Large data: robust fits on few landmarks
========================================

**Claim.** A fifth of 40,000 rows is wrong, and their kernel matrix would take 13 GB. On 100
Nystroem features the robust fit takes seconds, and its error is close to that of the oracle, a
fit to the clean rows alone.
"""

import matplotlib.pyplot as plt
import numpy as np

from untaint import SubquantileRegressor

rng = np.random.default_rng(0)
X, X_new = rng.normal(size=(40_000, 4)), rng.normal(size=(2_000, 4))


def function(X):
    return np.sin(X[:, 0]) + X[:, 1] * np.cos(X[:, 2])


y = function(X) + 0.3 * rng.normal(size=len(X))
wrong = rng.permutation(len(X)) < 8_000
y[wrong] = rng.normal(5, 5, 8_000)


def error(model):
    return np.sqrt(np.mean((model.predict(X_new) - function(X_new)) ** 2))


landmarks = [25, 50, 100]
errors = {"plain": [], "untaint": [], "oracle": []}
for number in landmarks:
    settings = {"approximation": "nystroem", "n_components": number, "random_state": 0}
    robust = SubquantileRegressor(**settings).fit(X, y)
    plain = SubquantileRegressor(contamination=0, **settings)
    errors["untaint"].append(error(robust))
    errors["plain"].append(error(plain.fit(X, y)))
    errors["oracle"].append(error(plain.fit(X[~wrong], y[~wrong])))

print("landmarks     ", *(f"{number:5d}" for number in landmarks))
for name, values in errors.items():
    print(f"{name:14}", *(f"{value:5.3f}" for value in values))
print(f"share of wrong rows: {robust.contamination_:.3f}")
assert abs(robust.contamination_ - 0.2) < 0.01
assert errors["untaint"][-1] < 1.1 * errors["oracle"][-1]

# %%

figure, ax = plt.subplots(layout="constrained")
looks = {
    "plain": ("#8d6b94", "--", "plain fit"),
    "oracle": ("#9aa5b1", "-", "oracle: plain fit to the clean rows"),
    "untaint": ("#14213d", ":", "untaint, contamination estimated"),
}
for name, (color, line, words) in looks.items():
    ax.loglog(landmarks, errors[name], color=color, ls=line, marker="o", lw=2, label=words)
ax.set_xticks(landmarks, [str(number) for number in landmarks])
ax.set_yticks([0.02, 0.05, 0.1, 0.2, 0.5, 1.0], ["0.02", "0.05", "0.1", "0.2", "0.5", "1"])
ax.minorticks_off()
ax.set(xlabel="landmarks", ylabel="error to the truth", title="40,000 rows, a fifth of them wrong")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()
