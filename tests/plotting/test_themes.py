"""Text and marks can be read on the user's theme, light or dark."""

import numpy as np
import pytest

from untaint.plotting import AuditDisplay, LeverageDisplay, MonitoringDisplay, NoiseMatrixDisplay

plt = pytest.importorskip("matplotlib.pyplot")
to_rgb = pytest.importorskip("matplotlib.colors").to_rgb

SHARES = [0.0, 0.1]
DISPLAYS = {
    "audit": lambda case: AuditDisplay.from_estimator(case.model),
    "leverage": lambda case: LeverageDisplay.from_estimator(case.model),
    "monitoring": lambda case: MonitoringDisplay.from_estimator(case.model, shares=SHARES),
}
THEMES = ["default", "dark_background", "ggplot", "Solarize_Light2"]
GROUNDS = {"default": "white", "dark_background": "black"}


def contrast(first, second):
    """Contrast ratio of WCAG 2, written down a second time."""
    rgb = np.array([to_rgb(first), to_rgb(second)])
    linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    low, high = sorted(linear @ [0.2126, 0.7152, 0.0722])
    return (high + 0.05) / (low + 0.05)


def words(axes):
    """All text of a picture that shows something."""
    legend = axes.get_legend()
    found = [*axes.texts, axes.xaxis.label, axes.yaxis.label, axes.title, axes._left_title]
    found += [*axes.get_xticklabels(), *axes.get_yticklabels()]
    found += [] if legend is None else legend.get_texts()
    return [text for text in found if text.get_text()]


@pytest.mark.parametrize("draw", DISPLAYS.values(), ids=DISPLAYS)
@pytest.mark.parametrize("theme", ["default", "dark_background"])
def test_all_text_can_be_read(theme, draw, regression):
    with plt.style.context(theme):
        axes = draw(regression).ax_
        ratios = [contrast(text.get_color(), GROUNDS[theme]) for text in words(axes)]
    assert min(ratios) >= 4.5


@pytest.mark.parametrize("theme", ["default", "dark_background"])
def test_flagged_and_kept_differ_in_luminance_and_marker(theme, regression):
    with plt.style.context(theme):
        axes = AuditDisplay.from_estimator(regression.model, fdr=None).ax_
    marks = {found.get_label().split()[0]: found for found in axes.collections}
    flagged, kept = marks["flagged:"], marks["kept"]
    inks = [found.get_facecolor()[0][:3] for found in (flagged, kept)]
    assert contrast(*inks) >= 2
    assert min(contrast(ink, GROUNDS[theme]) for ink in inks) >= 3
    outlines = [found.get_paths()[0].vertices for found in (flagged, kept)]
    assert outlines[0].shape != outlines[1].shape


@pytest.mark.parametrize("theme", THEMES)
def test_annotations_can_be_read_on_axes_of_any_theme(theme, regression):
    with plt.style.context(theme):
        axes = plt.figure().add_subplot()
    LeverageDisplay.from_estimator(regression.model, ax=axes)  # drawn outside of the theme
    ground = axes.get_facecolor()[:3]
    assert min(contrast(text.get_color(), ground) for text in axes.texts) >= 4.5


@pytest.mark.parametrize("theme", ["default", "dark_background"])
@pytest.mark.parametrize("kind", ["matrix", "counts"])
def test_numbers_can_be_read_in_their_cells(theme, kind, labels):
    with plt.style.context(theme):
        axes = NoiseMatrixDisplay.from_estimator(labels.model, kind=kind).ax_
    (image,) = axes.images
    cells = np.asarray(image.get_array())
    assert len(axes.texts) == 9
    for text in axes.texts:
        column, row = (round(place) for place in text.xy)
        assert contrast(text.get_color(), cells[row, column][:3]) >= 4.5
