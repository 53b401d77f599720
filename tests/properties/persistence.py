"""A model that was stored and read predicts the same bits."""

from __future__ import annotations

import copy
import pickle

import skops.io

from properties.comparing import assert_same_bits


def copies_predict_the_same_bits(subject, table):
    """Through pickle, and through ``copy.deepcopy``."""
    model = subject.fit(table.rows)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_same_bits(subject, again, model, table)
        assert repr(again.get_params()) == repr(model.get_params())


def skops_files_predict_the_same_bits(subject, table):
    """A file needs no types but those of this package."""
    model = subject.fit(table.rows)
    stored = skops.io.dumps(model)
    types = skops.io.get_untrusted_types(data=stored)
    strange = [name for name in types if not name.startswith("untaint.")]
    assert not strange, f"the file needs the types {strange}"
    assert_same_bits(subject, skops.io.loads(stored, trusted=types), model, table)
