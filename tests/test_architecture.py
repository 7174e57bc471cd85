"""Holds the house to its plan: which room may import which, how large a piece may grow."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import hypothesis
import pytest

from config.embedded.layout import BASE_DIR

ROOMS = (
    "config",
    "evaluation",
    "modeling",
    "annotation",
    "studies",
    "stats",
    "marketplace",
    "database",
)
# A room may import those to its right, `stats` and `database`; the marketplace is reached over HTTP
# alone.
ARROWS = ("config", "evaluation", "modeling", "annotation", "studies")
MAY_IMPORT: dict[str, set[str]] = {
    **{room: {*ARROWS[i + 1 :], "stats", "database"} for i, room in enumerate(ARROWS)},
    "stats": set(),
    "marketplace": {"database"},
    "database": set(),
}
# Heavy or far-reaching libraries, and the only places that may import them.
FENCES = {
    "boto3": r"studies/mturk\.py",
    "botocore": r"studies/mturk\.py|marketplace/protocol/\w+\.py",
    "celery": r"config/celery\.py|[\w/]+/tasks\.py",
    "kombu": r"config/celery\.py|[\w/]+/tasks\.py",
    "torch": r"modeling/training/.+",
    "transformers": r"modeling/training/.+",
    "bert_score": r"modeling/training/.+",
    "krippendorff": r"stats/.+",
    "choix": r"stats/.+",
}
FENCED_OFF_IN_STATS = {"django", "rest_framework", "environ"}
MOST_MODULE_LINES = 300
MOST_FUNCTION_LINES = 40
MACHINE_PATH = re.compile(r"(?<![\w./)}*-])/(?:home/\w|root\b|work\b)")
BINARY = {".woff2", ".png", ".ico", ".jpg", ".gz"}


def modules(*, migrations: bool = False) -> list[Path]:
    """The Python files of the rooms, tests left out."""
    found = [path for room in ROOMS for path in sorted((BASE_DIR / room).rglob("*.py"))]
    return [path for path in found if migrations or "migrations" not in path.parts]


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=BASE_DIR, capture_output=True, check=True, text=True
    )
    paths = [BASE_DIR / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def name_of(path: Path) -> str:
    return path.relative_to(BASE_DIR).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every imported module, wherever in the file: also inside functions and for types alone."""
    package = path.relative_to(BASE_DIR).with_suffix("").parts[:-1]
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            above = package[: len(package) - node.level + 1]
            yield node.lineno, ".".join((*above, node.module or ""))
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or ""


def test_there_is_something_to_look_at() -> None:
    """The tests below say nothing about an empty list."""
    assert len(modules()) > 100
    assert {path.relative_to(BASE_DIR).parts[0] for path in modules()} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_in_one_direction(room: str) -> None:
    against = [
        f"{name_of(path)}:{line} imports {imported}"
        for path in (BASE_DIR / room).rglob("*.py")
        for line, imported in imports(path)
        if imported.split(".")[0] in set(ROOMS) - MAY_IMPORT[room] - {room}
    ]

    assert not against, "\n".join(against)


def test_no_room_imports_the_tests() -> None:
    against = [
        f"{name_of(path)}:{line}"
        for path in modules(migrations=True)
        for line, imported in imports(path)
        if imported.split(".")[0] == "tests"
    ]

    assert not against, "\n".join(against)


@pytest.mark.parametrize("library", FENCES)
def test_a_fenced_library_is_imported_in_its_place_only(library: str) -> None:
    against = [
        f"{name_of(path)}:{line} imports {imported}"
        for path in modules(migrations=True)
        for line, imported in imports(path)
        if imported.split(".")[0] == library and not re.fullmatch(FENCES[library], name_of(path))
    ]

    assert not against, "\n".join(against)


def test_statistics_know_nothing_of_django() -> None:
    against = [
        f"{name_of(path)}:{line} imports {imported}"
        for path in (BASE_DIR / "stats").rglob("*.py")
        for line, imported in imports(path)
        if imported.split(".")[0] in FENCED_OFF_IN_STATS
    ]

    assert not against, "\n".join(against)


def test_modules_stay_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    against = [
        f"{name_of(path)} has {length} lines; split it at {MOST_MODULE_LINES}"
        for path, length in lengths.items()
        if length > MOST_MODULE_LINES
    ]

    assert not against, "\n".join(against)


def test_functions_stay_short() -> None:
    against = [
        f"{name_of(path)}:{node.lineno} {node.name} has {length} lines; "
        f"split it at {MOST_FUNCTION_LINES}"
        for path in modules()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > MOST_FUNCTION_LINES
    ]

    assert not against, "\n".join(against)


def test_every_folder_of_tests_is_a_package() -> None:
    """Without it pytest takes tests/annotation for the room `annotation`."""
    folders = {parent for path in (BASE_DIR / "tests").rglob("*.py") for parent in path.parents}
    against = [
        name_of(folder)
        for folder in sorted(folders)
        if folder.is_relative_to(BASE_DIR / "tests") and not (folder / "__init__.py").exists()
    ]

    assert not against, "\n".join(against)


def test_no_file_names_a_place_of_one_machine() -> None:
    against = []
    for path in tracked_files():
        if path.suffix in BINARY or path.name == Path(__file__).name:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if MACHINE_PATH.search(line):
                against.append(f"{name_of(path)}:{number}: {line.strip()[:100]}")

    assert not against, "\n".join(against)


@pytest.mark.parametrize("text", ["open /home/ann/x", '"/root/.cache"', "in /root."])
def test_a_place_of_one_machine_is_recognised(text: str) -> None:
    assert MACHINE_PATH.search(text)


@pytest.mark.parametrize(
    "text", ["worker/work.html", "https://a.example/home/", "https://work.example.org"]
)
def test_an_address_is_no_place_of_one_machine(text: str) -> None:
    assert not MACHINE_PATH.search(text)


class InlineCode(HTMLParser):
    """Finds what the content security policy of our own pages would not run or apply."""

    DATA_TYPES = {"application/json", "importmap"}

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        given = dict(attrs)
        if tag == "style":
            self.found.append(f"{line}: <style>")
        if tag == "script" and "src" not in given and given.get("type") not in self.DATA_TYPES:
            self.found.append(f"{line}: <script> without src")
        for name, value in attrs:
            if name == "style" or name.startswith(("on", "hx-on")):
                self.found.append(f"{line}: attribute {name}")
            if (value or "").strip().lower().startswith("javascript:"):
                self.found.append(f"{line}: a javascript: address")


def inline_code(html: str) -> list[str]:
    parser = InlineCode()
    parser.feed(html)
    parser.close()
    return parser.found


def test_pages_outside_the_admin_carry_no_inline_code() -> None:
    templates = [
        path
        for path in tracked_files()
        if path.suffix == ".html" and "templates" in path.parts and "admin" not in path.parts
    ]
    assert len(templates) > 20

    against = [
        f"{name_of(path)}:{found}"
        for path in templates
        for found in inline_code(path.read_text(encoding="utf-8"))
    ]

    assert not against, "\n".join(against)


@pytest.mark.parametrize(
    "html",
    [
        "<p style='color: red'>",
        "<button onclick='go()'>",
        "<script>go()</script>",
        "<style>p {}</style>",
        "<a href='javascript:go()'>",
        "<p hx-on:click='go()'>",
    ],
)
def test_inline_code_is_recognised(html: str) -> None:
    assert inline_code(html)


def test_no_property_fails_by_the_clock() -> None:
    assert hypothesis.settings().deadline is None


def test_scripts_from_files_and_data_are_allowed() -> None:
    assert not inline_code(
        "<script src='a.js' type='module'></script><script type='application/json'>{}</script>"
    )
