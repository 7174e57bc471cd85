"""`make bench`: speed as ratios within one run, on the real processes and PostgreSQL."""
