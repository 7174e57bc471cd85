"""Django's PostgreSQL backend, with connections that know what is prepared on them."""
