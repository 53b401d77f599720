import json

import numpy as np
import pytest
from report_samples import HOSTILE

from untaint.report.embedding import embed


@pytest.mark.parametrize("text", HOSTILE)
def test_text_comes_back_as_it_was(text):
    assert json.loads(embed([text])) == [text]


@pytest.mark.parametrize("text", [*HOSTILE, "\u2028\u2029", "<!--", "&lt;"])
def test_nothing_can_end_a_script_or_start_markup(text):
    embedded = embed({text: text})
    assert embedded.isascii()
    assert not set("<>&\n\r") & set(embedded)


def test_what_json_has_no_word_for_becomes_null():
    values = {"a": [np.nan, np.inf, (-np.inf, 1.0)]}
    assert json.loads(embed(values)) == {"a": [None, None, [None, 1.0]]}
