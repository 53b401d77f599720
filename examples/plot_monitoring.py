"""
Monitoring: scores against the trimmed fraction
===============================================

**Claim.** A fifth of the rows share one wrong value. If too few rows are trimmed, they are masked:
their scores look like those of inliers. From the fraction at which the last of them is trimmed,
the two groups are far apart, and a kink marks this fraction.
"""

import matplotlib.pyplot as plt
import numpy as np

from untaint import SubquantileRegressorCV
from untaint.datasets import contaminate, load_kiln
from untaint.plotting import monitor, plot_monitoring
from untaint.preprocessing import MedianScaler

X, y = load_kiln(return_X_y=True)
X, y, wrong = contaminate(
    MedianScaler().fit_transform(X), y, epsilon=0.2, kind="cluster", random_state=0
)
model = SubquantileRegressorCV().fit(X, y)
monitoring = monitor(model, X, y, shares=np.arange(0, 0.49, 0.04))

# %%
# The plot draws one line per row; :doc:`/guides/monitoring` explains how to read it.

at = dict(zip(monitoring.shares.round(3), monitoring.scores, strict=True))
early, late = at[0.0], at[0.24]
print(f"estimated share: {model.contamination_:.2f}")
print(f"median score of wrong rows, nothing trimmed:  {np.median(early[wrong]):.1f}")
print(f"median score of wrong rows, 24 % trimmed:     {np.median(late[wrong]):.1f}")
assert np.median(early[wrong]) < 6 < 10 < np.median(late[wrong])

# %%

figure, ax = plt.subplots(layout="constrained")
plot_monitoring(model, monitoring=monitoring, ax=ax)
plt.show()
