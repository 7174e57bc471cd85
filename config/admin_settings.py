"""How the admin looks."""

from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _

from config.admin_menu import navigation

UNFOLD = {
    "SITE_TITLE": "Fabula",
    "SITE_HEADER": "Fabula",
    "SITE_SUBHEADER": _("Studies of story understanding"),
    "SITE_ICON": lambda request: static("img/icon.svg"),
    "SITE_FAVICONS": [
        {
            "rel": "icon",
            "type": "image/svg+xml",
            "href": lambda request: static("img/icon.svg"),
        }
    ],
    "SHOW_HISTORY": True,
    "STYLES": [
        lambda request: static("css/admin.css"),
        lambda request: static("css/admin-studies.css"),
    ],
    "SCRIPTS": [lambda request: static("js/admin-local-time.js")],
    "SIDEBAR": {"navigation": navigation},
    "DASHBOARD_CALLBACK": "studies.admin.dashboard.show",
}
