"""Tables of ratings drawn for tests."""

from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

SCALE = (1, 2, 3)
# (n_items, n_raters), with ratings missing.
tables = arrays(
    dtype=float,
    shape=st.tuples(st.integers(2, 12), st.integers(2, 5)),
    elements=st.sampled_from([1.0, 2.0, 3.0, float("nan")]),
)
