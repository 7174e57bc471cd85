"""Figures for Prometheus at /metrics: see docs/operations.md for each one's name and unit."""
