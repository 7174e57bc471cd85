"""Pages that rooms above have for an output."""

from studies.admin.parts import Parts

_parts = Parts()
register = _parts.register
links_to_parts = _parts.links
