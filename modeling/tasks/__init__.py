"""The tasks that models do: how an output is read back, and what it scores."""
