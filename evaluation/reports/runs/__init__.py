"""Tables of runs by automatic metrics: pure functions over runs and what they answered."""
