"""
Displays: leverage map, Q-Q plot and noise matrix
=================================================

**Claim.** The leverage map separates wrong targets from bad leverage points, and both from good
leverage points, which are kept. Without the flagged rows the residuals are normal: they lie in the
envelope of the Q-Q plot. For labels, the noise matrix recovers how often each class is mistaken for
which other.

All displays of ``untaint.plotting`` have the form of scikit-learn's:
``from_estimator(model, X, y)`` draws, and returns an object that holds the data, ``ax_`` and
``figure_``.
"""

import matplotlib.pyplot as plt
import numpy as np

from untaint import SubquantileClassifier, SubquantileRegressor
from untaint.plotting import AuditDisplay, LeverageDisplay, NoiseMatrixDisplay, ResidualsDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2))
X[20:50] += 7
y = X @ [1.0, 2.0] + 0.5 * rng.normal(size=300)
y[:20] += rng.choice([-8, 8], size=20)  # vertical outliers
y[35:50] -= 40  # bad leverage points; rows 20 to 34 are good ones
model = SubquantileRegressor(kernel="linear").fit(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
leverage = LeverageDisplay.from_estimator(model, X, y, ax=left)
residuals = ResidualsDisplay.from_estimator(model, X, y, kind="qq", ax=right)
plt.show()

# %%
# The display holds what it draws.

far = leverage.distances > leverage.cutoff
rows = {"vertical outliers": slice(20), "good": slice(20, 35), "bad": slice(35, 50)}
for name, part in rows.items():
    flagged = f"{leverage.flagged[part].mean():.0%} flagged"
    print(f"{name:17}  {far[part].mean():4.0%} beyond the distance, {flagged}")
assert leverage.flagged[:20].all() and not far[:20].any()
assert far[20:50].all()
assert not leverage.flagged[20:35].any()
assert leverage.flagged[35:50].all()

# %%
# The scores of the audit, most suspicious first, and observed against expected targets.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
AuditDisplay.from_estimator(model, ax=left)
residuals.plot(ax=right, kind="observed_vs_expected")
plt.show()

# %%
# Of three classes, one in four of the first is labelled as the second. The matrix has true labels
# in its rows; the counts have the labels that the audit suggests.

codes = np.repeat([0, 1, 2], 150)
X = rng.normal(size=(450, 2)) + 4.0 * np.array([[0, 0], [1, 0], [0, 1]])[codes]
mistaken = (codes == 0) & (rng.random(450) < 0.25)
labels = np.array(["beech", "elm", "oak"])[np.where(mistaken, 1, codes)]
classifier = SubquantileClassifier(alpha=0.1).fit(X, labels)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
noise = NoiseMatrixDisplay.from_estimator(classifier, ax=left)
counts = NoiseMatrixDisplay.from_estimator(classifier, kind="counts", ax=right)
plt.show()

print(f"beech as elm: {noise.matrix[0, 1]:.0%} estimated, {mistaken[:150].mean():.0%} true")
assert abs(noise.matrix[0, 1] - mistaken[:150].mean()) < 0.08
assert counts.matrix[0, 1] > 0.7 * mistaken.sum()
