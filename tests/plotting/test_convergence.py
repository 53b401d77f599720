import numpy as np

from untaint.plotting import plot_convergence


def drawn(model, axes, path, **attributes):
    model.objective_path_ = np.array(path)
    model.n_iter_ = len(path)
    for name, value in attributes.items():
        setattr(model, name, value)
    plot_convergence(model, axes)
    (line,) = axes.lines
    return line.get_xydata()


def test_a_long_path_is_drawn_relative_to_its_end(regression, axes):
    found = drawn(regression.model, axes, [18.0, 4.0, 2.2, 2.02, 2.0])
    assert np.allclose(found, [[1, 8], [2, 1], [3, 0.1], [4, 0.01]])
    assert axes.get_yscale() == "log"


def test_a_short_path_needs_no_logarithm(regression, axes):
    found = drawn(regression.model, axes, [3.0, 2.0])
    assert np.allclose(found, [[1, 0.5], [2, 0]])
    assert axes.get_yscale() == "linear"


def test_a_single_value_is_drawn_as_it_is(regression, axes):
    assert np.allclose(drawn(regression.model, axes, [3.0]), [[1, 3]])
    assert axes.get_ylabel() == "objective"


def test_an_objective_of_zero_is_no_unit(regression, axes):
    assert np.allclose(drawn(regression.model, axes, [3.0, 0.0]), [[1, 3], [2, 0]])
    assert axes.get_ylabel() == "objective"


def test_the_start_is_iteration_zero(regression, axes):
    regression.model.set_params(solver="gradient", max_iter=5000).fit(regression.X, regression.y)
    plot_convergence(regression.model, axes)
    assert axes.lines[0].get_xdata()[0] == 0
    assert len(regression.model.objective_path_) == regression.model.n_iter_ + 1


def test_says_whether_it_converged(regression, axes):
    drawn(regression.model, axes, [3.0, 2.0], converged_=False)
    assert axes.get_title(loc="left") == "not converged after 2 iterations"
