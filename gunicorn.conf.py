"""Read by gunicorn by itself: its own lines in the log look like the site's."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from config.logs import logging_settings  # noqa: E402

_settings = logging_settings(format=os.environ.get("FABULA_LOG_FORMAT") or "text", level="INFO")
logconfig_dict = _settings | {
    "loggers": {
        "gunicorn.error": {"level": "INFO", "handlers": ["console"], "propagate": False},
        # Its lines hold addresses with their queries: the site logs requests itself.
        "gunicorn.access": {"level": "CRITICAL", "handlers": [], "propagate": False},
    }
}
