"""
A robust curve next to kernel ridge
===================================

**Claim.** With three tenths of the targets wrong and the contamination unknown, the fit stays
within the noise of the truth. Kernel ridge with the same kernel and ridge parameter does not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.kernel_ridge import KernelRidge

from untaint import SubquantileRegressorCV

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-3, 3, 300))
truth = np.sin(2 * x) + 0.4 * x
y = truth + 0.15 * rng.standard_normal(300)
wrong = rng.permutation(300) < 90
y[wrong] = rng.uniform(-2, 6, 90)

# %%
# No parameter is set: contamination, kernel scale and ridge parameter are estimated.

X = x[:, None]
robust = SubquantileRegressorCV().fit(X, y)
plain = KernelRidge(kernel="rbf", gamma=robust.gamma_, alpha=robust.alpha_)
plain_fit = plain.fit(X, y - y.mean()).predict(X) + y.mean()


def error(fitted):
    return np.sqrt(np.mean((fitted - truth) ** 2))


print(f"share of wrong rows: {robust.contamination_:.2f} (true: 0.30)")
print(f"distance to the truth: untaint {error(robust.predict(X)):.3f}", end=", ")
print(f"kernel ridge {error(plain_fit):.3f}, noise 0.150")
assert error(robust.predict(X)) < 0.1
assert error(plain_fit) > 0.5

# %%

kept = robust.inlier_mask_
figure, ax = plt.subplots(layout="constrained")
ax.scatter(x[kept], y[kept], s=14, color="#7f9bb3", linewidths=0, label="kept")
ax.scatter(x[~kept], y[~kept], s=22, marker="x", color="#d55e00", linewidths=1, label="trimmed")
ax.plot(x, truth, color="#9aa5b1", lw=4, label="truth")
ax.plot(x, plain_fit, color="#8d6b94", lw=1.8, ls="--", label="kernel ridge")
ax.plot(x, robust.predict(X), color="#14213d", lw=1.8, label="untaint")
ax.set(xlabel="x", ylabel="y", title="Three tenths of the targets are wrong")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.13))
plt.show()
