"""Features released once with privacy noise: the errors of a plain fit and of a corrected one.

The Gaussian mechanism adds noise of deviation sigma to every feature of every row; sigma follows
from the privacy budget and is published with the table. The correction needs nothing else.
"""

import warnings

import numpy as np
from sklearn.linear_model import RidgeCV

from untaint.exceptions import OverstatedNoiseWarning
from untaint.online import CorrectedRidge


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (20_000, 5))  # bounded: replacing a row moves it by at most 2 sqrt(5)
    weights = np.array([2.0, -1.0, 0.5, 0.0, 1.0])
    y = X @ weights + 0.2 * rng.standard_normal(len(X))
    X_new = rng.uniform(-1, 1, (2_000, 5))

    # Such noise exceeds the signal; its size is known here, and not overstated.
    warnings.simplefilter("ignore", OverstatedNoiseWarning)
    # The mechanism's classical formula, which is proved for epsilon up to 1; beyond, sigma stands
    # for itself.
    reach = 2 * np.sqrt(X.shape[1])
    print(
        "deviation of a feature: 0.58, of the new targets:",
        round(float(np.std(X_new @ weights)), 2),
    )
    print("sigma   plain fit's error   corrected fit's error")
    for epsilon in (20.0, 10.0, 5.0):
        sigma = reach * np.sqrt(2 * np.log(1.25 / 1e-5)) / epsilon
        released = X + sigma * rng.standard_normal(X.shape)
        plain = RidgeCV(np.logspace(-3, 3, 13)).fit(released, y)
        corrected = CorrectedRidge(noise_cov=sigma**2).fit(released, y)
        errors = [
            float(np.sqrt(np.mean((model.predict(X_new) - X_new @ weights) ** 2)))
            for model in (plain, corrected)
        ]
        print(f"{sigma:5.2f}   {errors[0]:17.2f}   {errors[1]:21.2f}")


if __name__ == "__main__":
    main()
