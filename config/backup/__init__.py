"""One file that holds a whole site: the database and the uploaded files, each with its hash.

`manage.py backup FILE` and `manage.py restore FILE`; docs/operations.md says when.
"""
