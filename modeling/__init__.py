"""Models: a release becomes task instances, runs, generations and automatic metrics.

It may use `annotation` and `studies`. PyTorch and transformers are imported in `modeling/training/`
alone, so that the web site runs without them.
"""
