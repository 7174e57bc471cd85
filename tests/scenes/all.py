"""Every page in every state. The bare ones come first, so that a site is filled once."""

from tests.scenes import (
    admin_marketplace,
    admin_release,
    admin_review,
    admin_runs,
    admin_studies,
    api,
    compared,
    errors,
    evaluation,
    rating_page,
    standing,
    task_page,
    worker_site,
)
from tests.scenes.scene import Scene

_EVERYTHING = [
    *worker_site.SCENES,
    *task_page.SCENES,
    *rating_page.SCENES,
    *errors.SCENES,
    *admin_studies.SCENES,
    *standing.SCENES,
    *admin_marketplace.SCENES,
    *admin_release.SCENES,
    *admin_review.SCENES,
    *admin_runs.SCENES,
    *evaluation.SCENES,
    *compared.SCENES,
    *api.SCENES,
]
SCENES: list[Scene] = sorted(_EVERYTHING, key=lambda scene: not scene.bare)
