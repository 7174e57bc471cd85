"""Human evaluation: instruments, evaluation rounds, ratings, and reports on them.

The top room: it may use `modeling`, `annotation` and `studies`; none of them knows it.
"""
