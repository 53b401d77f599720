"""Signs, codes, units, ranges and swapped numbers."""

import numpy as np
import pytest

from untaint.cells.checks.ranges import find_out_of_range, range_of
from untaint.cells.checks.sentinel import find_sentinels
from untaint.cells.checks.sign import find_signs
from untaint.cells.checks.swap import find_swaps
from untaint.cells.checks.unit import find_units


def cells_of(findings):
    return [(f.row, f.column) for f in findings]


@pytest.fixture
def weights(rng):
    return rng.normal(70, 8, 300).round(1)


class TestSign:
    def test_sign_of_an_ordinary_value(self, columns, weights):
        weights[5] *= -1
        (found,) = find_signs(columns({"x": weights}))
        assert (found.row, found.expected) == (5, -weights[5])
        assert found.reason == (
            f"{weights[5]:.6g} is the only negative value among 300; "
            "without the sign it is an ordinary one."
        )

    def test_signs_in_skewed_amounts(self, columns, rng):
        x = rng.lognormal(3, 0.8, 500)
        wrong = [3, 50, 400]
        x[wrong] = [-20, -35, -60]
        assert cells_of(find_signs(columns({"x": x}))) == [(i, 0) for i in wrong]

    def test_too_large_without_the_sign(self, columns, weights):
        weights[5] = -500
        assert find_signs(columns({"x": weights})) == []

    def test_many_negative_values(self, columns, weights):
        weights[:30] *= -1
        assert find_signs(columns({"x": weights})) == []

    @pytest.mark.parametrize("name", ["latitude", "price_change", "temp", "net"])
    def test_names_of_signed_quantities(self, name, columns, weights):
        weights[5] *= -1
        assert find_signs(columns({name: weights})) == []


class TestSentinel:
    def test_codes_are_seen_beside_other_large_mistakes(self, columns, rng):
        areas = rng.lognormal(8.5, 0.3, 500).round()
        areas[:4], areas[4:10] = 99999, 10 * np.sort(areas)[245:251]
        found = find_sentinels(columns({"x": areas}))
        assert cells_of(found) == [(i, 0) for i in range(4)]

    @pytest.mark.parametrize("code", [-999, 9999, 99999, -9999, -888])
    @pytest.mark.parametrize("times", [1, 4])
    def test_codes(self, code, times, columns, weights):
        weights[:times] = code
        found = find_sentinels(columns({"x": weights}))
        assert cells_of(found) == [(i, 0) for i in range(times)]
        assert "looks like a code for a missing value" in found[0].reason
        assert found[0].expected is None

    @pytest.mark.parametrize("code", [-1, -9, -99])
    def test_short_codes_only_if_repeated(self, code, columns, rng):
        x = rng.gamma(4, 50, 300)
        x[0] = code
        assert find_sentinels(columns({"x": x})) == []
        x[1] = code
        assert len(find_sentinels(columns({"x": x}))) == 2

    def test_zeros_among_pressures(self, columns, weights):
        weights[[3, 9]] = 0
        assert cells_of(find_sentinels(columns({"x": weights}))) == [(3, 0), (9, 0)]

    @pytest.mark.parametrize("code", [999, 99999])
    def test_within_reach_of_the_others(self, code, columns, rng):
        assert find_sentinels(columns({"x": np.append(rng.uniform(0, code, 300), code)})) == []

    def test_the_only_negative_number_that_skips_zero_again_and_again(self, columns, rng):
        rooms = rng.integers(1, 10, 300).astype(float)
        rooms[:7] = -1
        found = find_sentinels(columns({"x": rooms}))
        assert cells_of(found) == [(i, 0) for i in range(7)]
        assert all(f.probability > 0.9 for f in found)

    @pytest.mark.parametrize(
        ("code", "count", "low"),
        [(-1, 7, 0), (-1, 3, 1), (-4, 1, 1)],
        ids=["nothing skipped", "by chance", "once"],
    )
    def test_other_negative_numbers(self, code, count, low, columns, rng):
        rooms = rng.integers(low, 10, 300).astype(float)
        rooms[:count], rooms[count] = code, low
        assert find_sentinels(columns({"x": rooms})) == []

    def test_minus_one_among_values_of_both_signs(self, columns, rng):
        x = np.append(rng.normal(0, 1, 300), [-1, -1, -1])
        assert find_sentinels(columns({"x": x})) == []

    def test_no_dose(self, columns, rng):
        x = rng.choice([0, 50, 100, 200.0], 300)
        assert find_sentinels(columns({"x": x})) == []


class TestUnit:
    @pytest.mark.parametrize("factor", [1000, 100, 10, 1 / 1000, 1 / 100, 0.1])
    def test_powers_of_ten(self, factor, columns, weights):
        right = weights.copy()
        weights[[4, 70]] *= factor
        found = find_units(columns({"x": weights}))
        assert cells_of(found) == [(4, 0), (70, 0)]
        assert [f.expected for f in found] == pytest.approx(right[[4, 70]])

    def test_large_factor_in_a_skewed_column(self, columns, rng):
        x = rng.lognormal(2, 0.6, 500)
        x[[1, 2, 3]] = [9000, 5000, 12000]
        found = find_units(columns({"x": x}))
        assert cells_of(found) == [(1, 0), (2, 0), (3, 0)]
        assert all(f.probability >= 0.9 for f in found)

    def test_inches_among_centimetres(self, columns, rng):
        x = rng.normal(172, 8, 300)
        right = x.copy()
        x[:5] /= 2.54
        found = find_units(columns({"height": x}))
        assert sorted(cells_of(found)) == [(i, 0) for i in range(5)]
        assert sorted(f.expected for f in found) == pytest.approx(sorted(right[:5]))
        assert find_units(columns({"x": x})) == []  # nothing says that these are lengths

    def test_fahrenheit_among_celsius(self, columns, rng):
        x = rng.normal(15, 4, 300)
        x[:3] = [68.0, 59, 62]
        found = find_units(columns({"temperature": x}))
        assert {f.row for f in found} == {0, 1, 2}
        assert "Fahrenheit" in found[0].reason

    def test_one_place_that_is_always_larger(self, columns, rng):
        x = rng.lognormal(2, 0.6, 500)
        x[:20] = rng.normal(9000, 50, 20)
        assert find_units(columns({"x": x})) == []

    def test_names_are_not_sizes(self, columns, weights):
        weights[4] *= 1000
        assert find_units(columns({"zip_code": weights})) == []


class TestRange:
    @pytest.mark.parametrize(
        ("name", "value", "usual"),
        [
            ("percent", 140, (20, 90)),
            ("latitude", 95, (-50, 60)),
            ("lon", -200, (-170, 170)),
            ("Age", 180, (20, 80)),
            ("age", -3, (20, 80)),
            ("probability", 1.7, (0, 1)),
            ("month", 13, (1, 12)),
            ("hour", 25, (0, 23)),
        ],
    )
    def test_impossible_value(self, name, value, usual, columns, rng):
        x = rng.integers(*usual, 100) if usual[1] > 1 else rng.random(100)
        x = np.append(x, value)
        assert cells_of(find_out_of_range(columns({name: x}))) == [(100, 0)]

    @pytest.mark.parametrize("name", ["age", "percent", "hour"])
    def test_column_that_is_not_what_its_name_says(self, name, columns, rng):
        assert find_out_of_range(columns({name: rng.integers(0, 400, 100)})) == []

    @pytest.mark.parametrize("name", ["percent change", "building_age", "months", "stage", "plate"])
    def test_names_without_a_range(self, name):
        assert range_of(name) is None


class TestSwap:
    def test_two_columns_swapped(self, columns, rng, weights):
        height = rng.normal(172, 7, 300)
        weights[9], height[9] = height[9], weights[9]
        found = find_swaps(columns({"weight": weights, "height": height}))
        assert cells_of(found) == [(9, 0), (9, 1)]
        assert [f.expected for f in found] == [height[9], weights[9]]

    def test_one_row_in_twenty_swapped(self, columns, rng):
        income, balance = rng.lognormal(10.4, 0.4, 400), np.abs(rng.normal(900, 400, 400)) + 50
        rows = rng.choice(400, 20, replace=False)
        income[rows], balance[rows] = balance[rows], income[rows]
        found = find_swaps(columns({"income": income, "balance": balance}))
        assert {finding.row for finding in found} <= set(rows.tolist())
        assert len(found) >= 2 * 15

    def test_shapes_that_lie_across(self, columns, rng):
        across = rng.random(400) < 0.04
        long, wide = rng.normal(190, 15, 400), rng.normal(80, 10, 400)
        long[across], wide[across] = (
            rng.normal(120, 15, across.sum()),
            rng.normal(130, 10, across.sum()),
        )
        assert find_swaps(columns({"long": long, "wide": wide})) == []

    def test_columns_of_similar_range(self, columns, rng):
        x, y = rng.normal(50, 5, 300), rng.normal(60, 8, 300)
        x[9], y[9] = y[9], x[9]
        assert find_swaps(columns({"x": x, "y": y})) == []

    def test_one_value_far_out(self, columns, rng, weights):
        weights[9] = 172
        assert find_swaps(columns({"x": weights, "y": rng.normal(172, 7, 300)})) == []


class TestBeyondFewValues:
    @pytest.mark.parametrize(
        ("values", "wrong", "kind", "expected"),
        [
            ([1, 2, 3, 4, 5, 6], 3000, "decimal", 3.0),
            ([1, 2, 3, 4, 5, 6], 33, "digits", 3.0),
            ([1, 2, 3, 4, 5, 6], 333, "digits", 3.0),
            ([2007, 2008, 2009], 20008, "digits", 2008.0),
            ([3, 4, 5, 6, 8], 80, "decimal", 8.0),
            ([0, 1, 2, 3], 40, "range", None),
        ],
    )
    def test_a_gross_error_among_few_values(self, values, wrong, kind, expected, columns, rng):
        x = rng.choice(values, 300)
        x[7] = wrong
        (found,) = find_out_of_range(columns({"x": x}))
        assert (found.row, found.kind, found.expected) == (7, kind, expected)

    @pytest.mark.parametrize(
        ("values", "honest"),
        [([1, 2, 3, 4, 5, 6], 7), ([0, 1, 2, 3, 4, 5], 9), ([0, 1], 8), ([1, 10, 100], 1000)],
    )
    def test_a_rare_value_may_be_right(self, values, honest, columns, rng):
        x = rng.choice(values, 300)
        x[7] = honest
        assert find_out_of_range(columns({"x": x})) == []

    def test_the_tail_of_counts_may_be_long(self, columns, rng):
        x = np.repeat([0, 1, 2, 3, 4, 10, 26, 368], [300, 40, 15, 8, 4, 2, 2, 1])
        assert find_out_of_range(columns({"x": x})) == []
