"""What every room may use to speak with PostgreSQL. Knows nothing of the rooms."""
