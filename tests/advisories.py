"""`make audit`: known weaknesses of the installed packages, as the package index knows them."""

import json
import subprocess
import sys
from typing import Any

# Findings that do not concern us: the advisory's id, and why.
EXPLAINED: dict[str, str] = {}
COMMAND = [sys.executable, "-m", "pip_audit", "--local", "--format", "json", "--timeout", "15"]
NOT_REACHED = (
    "The package index's advisories cannot be reached from here: {why}. Nothing was checked. Run "
    "make audit on a machine with access to https://pypi.org."
)


def main() -> int:
    """Print what was found; 0 when nothing is left to explain, 1 for findings, 2 unchecked."""
    done = subprocess.run(
        [*COMMAND, "--progress-spinner", "off"], capture_output=True, text=True, check=False
    )
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        why = (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
        print(NOT_REACHED.format(why=why[:200]), file=sys.stderr)
        return 2
    return report(packages)


def report(packages: list[dict[str, Any]]) -> int:
    checked = [package for package in packages if "vulns" in package]
    # An index without advisories answers that it knows no package at all.
    if not any(package["name"] == "django" for package in checked):
        print(NOT_REACHED.format(why="it knows none of the packages"), file=sys.stderr)
        return 2
    findings = [(package, found) for package in checked for found in package["vulns"]]
    open_findings = 0
    for package, found in findings:
        reason = EXPLAINED.get(found["id"])
        open_findings += reason is None
        fixed = ", ".join(found["fix_versions"]) or "no version yet"
        print(
            f"{package['name']} {package['version']}  {found['id']}  {reason or 'fixed: ' + fixed}"
        )
    unknown = len(packages) - len(checked)
    print(
        f"{len(checked)} packages checked, {unknown} not known to the index, "
        f"{open_findings} findings to act on."
    )
    return 1 if open_findings else 0


if __name__ == "__main__":
    sys.exit(main())
