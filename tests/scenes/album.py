"""A picture of every scene at every width, light and dark, and a page that shows them all."""

from contextlib import redirect_stdout
from html import escape
from io import StringIO
from pathlib import Path

from playwright.sync_api import Error, Page
from tqdm import tqdm

from config.demo.banner import Seeded, show
from config.demo.terminal import Terminal
from tests.scenes.axe import ALL_LOOKS, grave_findings
from tests.scenes.scene import Scene
from tests.scenes.stage import SCHEMES, WIDTHS, Stage, dress

# A long list's picture ends here.
TALLEST = 6000
CSS = """body{font:14px system-ui;margin:2rem}section{margin:3rem 0}
div{display:flex;gap:12px;align-items:start;overflow-x:auto}
figure{margin:0}figcaption{color:#666}img{height:420px;border:1px solid #ccc}"""


def fill_album(stage: Stage, scenes: list[Scene], folder: Path) -> list[str]:
    """Write the pictures and the index; what was wrong with which scene."""
    folder.mkdir(parents=True, exist_ok=True)
    wrong = []
    for scene in tqdm(scenes, unit="scenes"):
        try:
            with stage.shown(scene) as visit:
                take_pictures(visit.page, scene, folder)
                wrong += [
                    f"{scene}: {finding}" for finding in grave_findings(visit.page, ALL_LOOKS)
                ]
        except Error as error:  # one page that does not come must not cost the others
            wrong.append(f"{scene} was not shown: {error}")
    write_index(scenes, folder)
    (folder / "demo.txt").write_text(demo_output(), encoding="utf-8")
    return wrong


def demo_output() -> str:
    """What `make demo` says when all is running."""
    link = "http://localhost:8000/worker/join/H3RO9GXbq4ACQhJwbb6r9fT3tEewSFOp/"
    seeded = Seeded("admin", "3asvt-vwnjv-zsuau", link)
    with redirect_stdout(StringIO()) as out:
        show(Terminal(), port=8000, seeded=seeded, var=Path.cwd() / "var")
    return out.getvalue()


def take_pictures(page: Page, scene: Scene, folder: Path) -> None:
    for width in WIDTHS:
        for scheme in SCHEMES:
            dress(page, width=width, scheme=scheme)
            if not scene.still:
                page.evaluate("scrollTo(0, 0)")
            page.wait_for_timeout(120)
            path = folder / f"{scene.name}-{width}-{scheme}.png"
            tall = page.evaluate("document.documentElement.scrollHeight") > TALLEST
            page.screenshot(path=path, full_page=not tall and not scene.still)


def write_index(scenes: list[Scene], folder: Path) -> None:
    sections = []
    for scene in scenes:
        names = [f"{scene.name}-{w}-{s}.png" for s in SCHEMES for w in WIDTHS]
        figures = [
            f'<figure><a href="{name}"><img loading="lazy" src="{name}" alt=""></a>'
            f"<figcaption>{name.removeprefix(scene.name)[1:-4]}</figcaption></figure>"
            for name in names
        ]
        sections.append(
            f"<section><h2>{escape(scene.name)}</h2><div>{''.join(figures)}</div></section>"
        )
    page = f"<!doctype html><title>Fabula</title><style>{CSS}</style>{''.join(sections)}"
    (folder / "index.html").write_text(page, encoding="utf-8")
