from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MarketplaceConfig(AppConfig):
    name = "marketplace"
    verbose_name = _("marketplace")

    def ready(self) -> None:
        # Registers the operations of the requester protocol.
        import_module("marketplace.operations")
