"""Every page in every state. The bare ones come first, so that a site is filled once."""

from tests.scenes import admin_marketplace, admin_studies, errors, task_page, worker_site
from tests.scenes.scene import Scene

_EVERYTHING = [
    *worker_site.SCENES,
    *task_page.SCENES,
    *errors.SCENES,
    *admin_studies.SCENES,
    *admin_marketplace.SCENES,
]
SCENES: list[Scene] = sorted(_EVERYTHING, key=lambda scene: not scene.bare)
