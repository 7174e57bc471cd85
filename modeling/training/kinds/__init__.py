"""The kinds of models: how each takes its examples in, and gives its answers."""
