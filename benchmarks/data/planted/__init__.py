"""Mistakes that people and machines make, planted in known cells of a copy of a table.

====================  =============================================================================
``target_x10``        the target's decimal point slips: ten times as much
``target_tenth``      a tenth
``target_sign``       the target's sign is lost or invented
``target_other_row``  the target of another row, at least 1.5 standard deviations away
``copied_row``        the row repeats another one, but with a target far from that row's
``label_other``       another label
``feature_x1000``     a number in thousandths of its unit
``feature_sign``      a negative number in a column without any
``inches``            a number in inches instead of centimetres, or the other way round
``pounds``            the same with pounds and kilograms
``swapped``           the numbers of two columns of a row are exchanged
``category_other_row``  the category of another row
``typo``              a letter of a category is dropped, doubled, or exchanged with the next
``stuck``             eight rows in a run have one number
``century``           a date a hundred years too early
``year``              a date one to three years off
====================  =============================================================================

A row has one mistake at most. In ``mixed`` the rows are shared out among all kinds that the table
can have. The column is drawn for each row, and for each run of stuck rows.
"""

from __future__ import annotations

#: The kinds, and what the library may call each of them.
NAMES: dict[str, tuple[str, ...]] = {
    "target_x10": ("decimal",),
    "target_tenth": ("decimal",),
    "target_sign": ("sign",),
    "target_other_row": ("other", "target"),
    "copied_row": ("copy", "other", "target", "category"),
    "label_other": ("category", "target"),
    "feature_x1000": ("unit",),
    "feature_sign": ("sign",),
    "inches": ("unit",),
    "pounds": ("unit",),
    "swapped": ("swap",),
    "category_other_row": ("category",),
    "typo": ("typo",),
    "stuck": ("stuck",),
    "century": ("century", "date"),
    "year": ("date",),
}

__all__ = ["NAMES"]
