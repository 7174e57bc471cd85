"""The Chromium that the browser tests drive. `python -m tests.browser` sees that there is one."""

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, Playwright, sync_playwright

# The same Chromium without windows: a page takes it a quarter less.
WITHOUT_WINDOWS = "chromium-headless-shell"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Chromium heeds the last list of these alone, so Playwright's own comes first. The others are
# pages of the address bar, made for each window, and a process for the page that may come next.
FEATURES = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "SpareRendererForSitePerProcess",
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(FEATURES)}",
    # A page of the tests lives for a second: what its scripts gain from being optimized is less
    # than what optimizing them takes.
    "--js-flags=--no-opt,--no-maglev,--always-sparkplug",
]
MISSING = (
    "No Chromium was found for the browser tests, and Playwright could not download one. Install "
    "one (on Debian or Ubuntu: sudo apt install chromium) and try again."
)


def chromium_path() -> Path | None:
    """Return a Chromium of this machine, else Playwright's own, else None."""
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    return own if own.exists() else None


def launch(playwright: Playwright, *, windows: bool = False) -> Browser:
    """Start one, with windows for what is about them: which has the focus, which is seen."""
    path = None if windows else shutil.which(WITHOUT_WINDOWS)
    return playwright.chromium.launch(executable_path=path or chromium_path(), args=FLAGS)


def main() -> int:
    if chromium_path() is not None:
        return 0
    print("  Fetching Chromium for the browser tests", flush=True)
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    subprocess.run(command, stdin=subprocess.DEVNULL)
    if chromium_path() is not None:
        return 0
    print(MISSING, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
