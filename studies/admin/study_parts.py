"""Pages that rooms above have for a study."""

from studies.admin.parts import Part as StudyPart
from studies.admin.parts import Parts

__all__ = ["StudyPart", "links_to_parts", "register"]

_parts = Parts()
register = _parts.register
links_to_parts = _parts.links
