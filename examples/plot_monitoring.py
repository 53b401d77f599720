"""
The monitoring picture shows where the wrong rows let go
========================================================

**Claim.** A fifth of the rows share one wrong value. Too small a share hides them: their scores
look like everyone's. From the share at which the last of them is trimmed, the two parties are
far apart, and a kink says which share that is.
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
# The picture draws one line a row. Reading it takes four looks: :doc:`/guides/monitoring`.

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
