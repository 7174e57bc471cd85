import logging
import os

from django.core.wsgi import get_wsgi_application

from config.loading import load_pages

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Python's warnings are lines of the log like all others.
logging.captureWarnings(True)

application = get_wsgi_application()
load_pages()
