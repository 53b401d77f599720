"""Any regressor, made robust."""

from functools import cache

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, TimeSeriesSplit
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from untaint import RobustRegressor
from untaint.meta_estimators import kernel_member

BOOSTING = HistGradientBoostingRegressor(max_iter=40, random_state=0)
# An estimator's warning that good and bad rows might change places.
pytestmark = pytest.mark.filterwarnings("ignore:.*cannot tell which rows.*:UserWarning")


def steps(rng, n=300, share=0.25):
    """Targets that jump, as trees like them; some are off by much."""
    X = rng.uniform(-1, 1, size=(n, 3))
    y = 3.0 * (X[:, 0] > 0) + 2.0 * (X[:, 1] > 0.3) + 0.2 * rng.normal(size=n)
    wrong = rng.random(n) < share
    return X, np.where(wrong, y + 6.0 * rng.normal(size=n), y), y, wrong


@cache
def fitted(learner):
    """Return a fit to the same rows for all tests that look at it."""
    X, y, _, wrong = steps(np.random.default_rng(0))
    return X, y, wrong, RobustRegressor(learner, random_state=0).fit(X, y)


@pytest.mark.parametrize(
    "learner",
    [BOOSTING, RandomForestRegressor(50, random_state=0), KNeighborsRegressor()],
    ids=lambda learner: type(learner).__name__,
)
def test_it_is_about_as_good_as_on_good_rows_alone(learner):
    X, y, wrong, model = fitted(learner)
    X_test, _, truth, _ = steps(np.random.default_rng(1), 1000, 0.0)

    def error(fitted):
        return np.sqrt(np.mean(np.square(fitted.predict(X_test) - truth)))

    good = clone(learner).fit(X[~wrong], y[~wrong])
    plain = clone(learner).fit(X, y)
    assert error(model) < 1.3 * error(good)
    assert error(model) < 0.7 * error(plain)
    assert abs(model.contamination_ - 0.25) < 0.06
    low, high = model.contamination_interval_
    assert low <= model.contamination_ <= high


def test_the_learner_is_fitted_eleven_times_at_most():
    assert fitted(BOOSTING)[-1].n_fits_ <= 11


def test_clean_rows_are_not_flagged(rng):
    X, y, _, _ = steps(rng, share=0.0)
    model = RobustRegressor(BOOSTING, random_state=0).fit(X, y)
    assert model.inlier_mask_.all()
    assert model.contamination_ == 0
    np.testing.assert_allclose(model.predict(X), clone(BOOSTING).fit(X, y).predict(X))


def test_the_stack_takes_the_learner_that_suits(rng):
    X, y, _, wrong = steps(rng)
    model = RobustRegressor(random_state=0).fit(X, y)
    assert sum(model.learners_.values()) == pytest.approx(1.0)
    assert model.learners_["kernel"] < 0.3
    assert model.n_fits_ <= 25
    line = X @ [1.0, 2.0, 3.0] + 0.1 * rng.normal(size=len(X))
    model = RobustRegressor(random_state=0).fit(X, np.where(wrong, line + 9.0, line))
    assert model.learners_["kernel"] > 0.8


def test_the_audit_lists_wrong_rows_first():
    _, y, wrong, model = fitted(BOOSTING)
    table = model.audit(fdr=0.1)
    flagged = table[table["flagged"]]
    assert wrong[flagged["row"]].mean() > 0.8
    assert len(flagged) > 0.6 * wrong.sum()
    np.testing.assert_array_equal(table["observed"], y[table["row"]])
    np.testing.assert_array_equal(table["expected"], model.oof_prediction_[table["row"]])


def test_feature_outliers_are_named(rng):
    X, y, _, _ = steps(rng, share=0.0)
    X[:60] = 30.0 + rng.normal(size=(60, 3))
    y[:60] = -20.0
    model = RobustRegressor(BOOSTING, random_state=0).fit(X, y)
    assert not model.inlier_mask_[:60].any()
    assert model.inlier_mask_[60:].mean() > 0.98
    table = model.audit()
    assert (table["kind"][table["row"] < 60] == "features").all()


def test_a_given_share_is_trimmed(rng):
    X, y, _, wrong = steps(rng)
    model = RobustRegressor(BOOSTING, contamination=0.3, random_state=0).fit(X, y)
    assert (~model.inlier_mask_).sum() == pytest.approx(90, abs=1)
    assert (~model.inlier_mask_)[wrong].mean() > 0.85


def test_no_contamination_is_the_plain_learner(rng):
    X, y, _, _ = steps(rng)
    model = RobustRegressor(BOOSTING, contamination=0).fit(X, y)
    assert model.inlier_mask_.all()
    np.testing.assert_array_equal(model.predict(X), clone(BOOSTING).fit(X, y).predict(X))


def test_weights_are_copies_to_a_learner_that_honours_them(rng):
    X, y, _, _ = steps(rng, 80)
    counts = rng.integers(1, 3, 80)
    again = np.repeat(np.arange(80), counts)
    one = RobustRegressor(Ridge(), random_state=0).fit(X, y, sample_weight=counts.astype(float))
    other = RobustRegressor(Ridge(), random_state=0).fit(X[again], y[again])
    np.testing.assert_allclose(one.estimator_.coef_, other.estimator_.coef_, rtol=1e-6)


def test_same_seed_same_result_for_any_number_of_jobs(rng):
    X, y, _, _ = steps(rng, 120)
    one, two = (
        RobustRegressor(DecisionTreeRegressor(), cv=3, n_jobs=jobs, random_state=3).fit(X, y)
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    np.testing.assert_array_equal(one.inlier_probability_, two.inlier_probability_)


def frame_of(rng, n=200):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(
        {
            "size": rng.normal(size=n),
            "kind": pandas.Categorical(rng.choice(["a", "b", "c"], n)),
            "colour": rng.choice(["red", "green"], n),
            "day": pandas.date_range("2024-01-01", periods=n),
        }
    )
    y = 2.0 * frame["size"].to_numpy() + 3.0 * (frame["kind"] == "b") + 0.1 * rng.normal(size=n)
    wrong = rng.random(n) < 0.2
    frame.loc[rng.random(n) < 0.1, "size"] = np.nan
    return frame, np.where(wrong, y + 20.0, y), wrong


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_with_categories_dates_and_gaps(library, rng):
    frame, y, wrong = frame_of(rng)
    if library == "polars":
        frame = pytest.importorskip("polars").from_pandas(frame)
    model = RobustRegressor(random_state=0).fit(frame, y)
    assert (~model.inlier_mask_)[wrong].all()
    assert np.isfinite(model.predict(frame)).all()


def test_a_pipeline_has_the_frame_as_it_came(rng):
    frame, y, wrong = frame_of(rng)
    columns = make_column_transformer(
        (OneHotEncoder(), ["kind", "colour"]), remainder="drop", verbose_feature_names_out=False
    )
    model = RobustRegressor(make_pipeline(columns, Ridge()), random_state=0).fit(frame, y)
    assert (~model.inlier_mask_)[wrong].mean() > 0.95
    assert model.predict(frame.head(2)).shape == (2,)


def test_boosting_has_categories_of_a_frame(rng):
    frame, y, wrong = frame_of(rng)
    learner = HistGradientBoostingRegressor(categorical_features="from_dtype", max_iter=40)
    model = RobustRegressor(learner, random_state=0).fit(frame[["size", "kind"]], y)
    assert (~model.inlier_mask_)[wrong].mean() > 0.95


def test_texts_that_only_the_pipeline_understands(rng):
    words = np.array(["good", "bad", "fine", "awful", "dull"])
    texts = [" ".join(rng.choice(words, 8)) for _ in range(200)]
    y = np.array([text.count("good") - text.count("bad") for text in texts]) + rng.normal(size=200)
    wrong = rng.random(200) < 0.15
    learner = make_pipeline(TfidfVectorizer(), Ridge())
    model = RobustRegressor(learner, random_state=0).fit(texts, np.where(wrong, y + 30.0, y))
    assert (~model.inlier_mask_)[wrong].mean() > 0.9


@pytest.mark.slow
def test_groups_stay_together(rng):
    X, y, _, _ = steps(rng, 120)
    groups = np.arange(120) // 10
    model = RobustRegressor(Ridge(), cv=GroupKFold(4)).fit(X, y, groups=groups)
    assert np.isfinite(model.oof_prediction_).all()


def test_time_order_leaves_the_first_rows_unpredicted():
    found = []
    for seed in range(3):  # one draw of 60 wrong rows is off by 0.06
        X, y, _, wrong = steps(np.random.default_rng(seed), 240)
        model = RobustRegressor(BOOSTING, cv=TimeSeriesSplit(5), random_state=0).fit(X, y)
        assert np.isnan(model.oof_prediction_[:40]).all()
        assert np.isfinite(model.oof_prediction_[40:]).all()
        assert np.isfinite(model.inlier_probability_).all()
        found.append((~model.inlier_mask_)[wrong].mean())
    assert np.mean(found) > 0.7


@pytest.mark.slow
def test_several_outputs(rng):
    X, y, truth, wrong = steps(rng)
    both = np.column_stack([y, np.where(wrong, truth + 4.0, truth)])
    model = RobustRegressor(RandomForestRegressor(30, random_state=0), random_state=0).fit(X, both)
    assert model.predict(X).shape == both.shape
    assert (~model.inlier_mask_)[wrong].mean() > 0.9
    with pytest.raises(ValueError, match="y: expected one target for HistGradientBoosting"):
        RobustRegressor(BOOSTING).fit(X, both)


def test_few_rows_are_tested(rng):
    X = rng.normal(size=(25, 1))
    y = X[:, 0] + 0.1 * rng.normal(size=25)
    y[3] += 10.0
    model = RobustRegressor(LinearRegression(), random_state=0).fit(X, y)
    assert np.flatnonzero(~model.inlier_mask_).tolist() == [3]
    np.testing.assert_allclose(model.estimator_.coef_, 1.0, atol=0.1)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"estimator": "trees"}, ValueError, "estimator must be one of 'auto'"),
        ({"estimator": 3}, TypeError, "estimator: expected a learner with fit"),
        ({"contamination": 0.7}, ValueError, "contamination must be a number"),
        ({"cv": 1}, ValueError, "cv must be an integer of at least 2"),
        ({"cv": []}, ValueError, "cv: expected at least one fold"),
        ({"cv": [([0], [99])]}, ValueError, "cv: expected folds .* some beyond"),
        ({"estimator": StandardScaler()}, TypeError, "expected a learner with fit and predict"),
        ({"estimator": LogisticRegression()}, TypeError, "expected a regressor"),
    ],
)
def test_wrong_parameters_are_named(parameters, error, message, rng):
    X, y, _, _ = steps(rng, 50)
    with pytest.raises(error, match=message):
        RobustRegressor(**parameters).fit(X, y)


def test_missing_targets_are_named(rng):
    X, y, _, _ = steps(rng, 50)
    y[7] = np.nan
    with pytest.raises(ValueError, match="y must hold finite numbers, got none in row 7"):
        RobustRegressor().fit(X, y)


def test_column_names_that_repeat_are_named(rng):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"X must have column names .* got 'a' more than once"):
        RobustRegressor(LinearRegression()).fit(X, np.arange(50.0))


def test_weights_of_parts_need_a_learner_that_takes_them(rng):
    X, y, _, _ = steps(rng, 60)
    with pytest.raises(ValueError, match="sample_weight must hold whole numbers"):
        RobustRegressor(KNeighborsRegressor()).fit(X, y, sample_weight=rng.random(60))


def test_verbose_says_how_far_it_is(rng, capsys):
    X, y, _, _ = steps(rng, 60)
    RobustRegressor(Ridge(), verbose=1, random_state=0).fit(X, y)
    assert "fit" in capsys.readouterr().err


def test_a_forest_of_few_trees_predicts_by_folds(rng):
    X, _, truth, _ = steps(rng, share=0.0)
    model = RobustRegressor(RandomForestRegressor(8, random_state=0), random_state=0)
    assert model.fit(X, 1000.0 + truth).inlier_mask_.all()


@pytest.mark.slow
def test_copies_of_rows_do_not_hide_wrong_ones(rng):
    X, y, _, wrong = steps(rng, 150)
    again = np.repeat(np.arange(150), 3)
    model = RobustRegressor(RandomForestRegressor(60, random_state=0), random_state=0)
    assert (~model.fit(X[again], y[again]).inlier_mask_)[wrong[again]].mean() > 0.8


def test_a_pipeline_knows_what_to_do_with_missing_cells(rng):
    X, y, _, wrong = steps(rng)
    X[rng.random(X.shape) < 0.05] = np.nan
    model = RobustRegressor(make_pipeline(SimpleImputer(), BOOSTING), random_state=0).fit(X, y)
    assert (~model.inlier_mask_)[wrong].mean() > 0.8


@pytest.mark.parametrize(
    "settings", [{"enable_metadata_routing": True}, {"transform_output": "pandas"}]
)
def test_settings_of_sklearn_are_no_obstacle(settings, rng):
    pytest.importorskip("pandas")
    X, y, _, _ = steps(rng, 100)
    model = RobustRegressor(make_pipeline(StandardScaler(), Ridge()), random_state=0)
    expected = model.fit(X, y).inlier_probability_
    with config_context(**settings):
        found = model.fit(X, y).inlier_probability_
    np.testing.assert_array_equal(found, expected)


def test_groups_are_kept_together_by_a_number_of_folds(rng):
    groups = np.arange(100) // 10
    X = np.column_stack([groups, rng.normal(size=100) / 100])
    model = RobustRegressor(KNeighborsRegressor(1), contamination=0)
    model.fit(X, 50.0 * groups, groups=groups)
    assert np.abs(model.oof_prediction_ - 50.0 * groups).min() >= 50.0


class NoNumbers(RegressorMixin, BaseEstimator):
    """A learner that predicts nothing."""

    def fit(self, X, y):
        """Do nothing."""
        return self

    def predict(self, X):
        """Return no numbers."""
        return np.full(len(X), np.nan)


def test_predictions_that_are_none_are_refused(rng):
    X, y, _, _ = steps(rng, 60)
    with pytest.raises(ValueError, match="estimator: expected predict of NoNumbers"):
        RobustRegressor(NoNumbers()).fit(X, y)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (np.r_[1e200, np.zeros(59)], "y must hold numbers of at most"),
        (np.full(60, 1e200), "y must hold numbers between 1e-150 and"),
        (np.arange(60).astype("datetime64[D]"), "y must hold numbers, got the type"),
        (np.zeros(3), "y must have 60 rows like X, got 3"),
    ],
)
def test_wrong_targets_are_named(targets, message, rng):
    with pytest.raises(ValueError, match=message):
        RobustRegressor().fit(rng.normal(size=(60, 2)), targets)


def test_rows_that_the_kernel_was_not_fitted_to_are_judged_all_the_same(rng, monkeypatch):
    monkeypatch.setattr(kernel_member, "MAX_ROWS", 150)
    X = rng.uniform(-1, 1, size=(500, 3))
    y = np.sin(3.0 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=500)
    wrong = rng.random(500) < 0.4
    y[wrong] = rng.normal(5, 5, size=wrong.sum())
    kernel = kernel_member.KernelRegression(X, y[:, None], np.ones(500), 0)
    unseen = np.setdiff1d(np.arange(500), kernel.rows)
    assert len(unseen) == 350
    assert kernel.inlier_probability[unseen][wrong[unseen]].mean() < 0.2
    assert kernel.inlier_probability[unseen][~wrong[unseen]].mean() > 0.9
