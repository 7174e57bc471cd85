"""Are the rows of a release what they were when it was made?"""

from dataclasses import dataclass
from typing import Any

from annotation.models import Release
from annotation.releases.identity import ReleaseHash
from annotation.releases.reading import Progress, manifest_of, read_rows
from annotation.releases.rule import ReleaseRule


@dataclass(frozen=True)
class Verification:
    rows: int
    expected: str
    found: str

    @property
    def ok(self) -> bool:
        return self.expected == self.found

    def as_dict(self) -> dict[str, Any]:
        return {"ok": self.ok, **vars(self)}


def verify_release(*, release: Release, progress: Progress | None = None) -> Verification:
    """Read every row and hash it again."""
    manifest = manifest_of(release)
    layout = ReleaseRule.from_dict(release.rule).layout
    rows = read_rows(manifest=manifest, salt=release.salt, layout=layout, progress=progress)
    sha256 = ReleaseHash()
    for _row in sha256.over(rows):
        pass
    return Verification(len(manifest), release.sha256, sha256.hexdigest())
