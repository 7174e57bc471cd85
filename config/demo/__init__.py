"""`make demo`: one command that brings everything up, and takes everything down."""
