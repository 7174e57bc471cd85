"""What the documents and the files for production name is there, and says what the code says."""

import ast
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands, load_command_class

from config.demo import programs
from config.embedded.layout import BASE_DIR

DOCUMENTS = sorted([*BASE_DIR.glob("*.md"), *(BASE_DIR / "docs").glob("*.md")])
NAMES = [path.relative_to(BASE_DIR).as_posix() for path in DOCUMENTS]
# Read elsewhere than in the settings: by the demo, by boto3, by the image of the database.
READ_ELSEWHERE = {
    "FABULA_ENDPOINT_LAB_KEY",
    "FABULA_ENDPOINT_LAB_URL",
    "FABULA_PORT",
    "MTURK_…",
    "POSTGRES_PASSWORD",
}
ADDRESS = "0.0.0.0:8000"


def text_of(name: str) -> str:
    return (BASE_DIR / name).read_text(encoding="utf-8")


def code_in(text: str) -> list[str]:
    """The pieces in backticks, a line break in one taken for a space."""
    without_blocks = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return [" ".join(piece.split()) for piece in re.findall(r"`([^`]+)`", without_blocks)]


# --- Settings ---------------------------------------------------------------------------------


def variables_of_settings() -> set[str]:
    """First arguments of env.str("NAME"), env.bool("NAME") and the like."""
    return {
        node.args[0].value
        for node in ast.walk(ast.parse(text_of("config/settings.py")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "env"
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


def variables_of_compose() -> set[str]:
    return set(re.findall(r"\$\{(\w+)", text_of("docker-compose.yml")))


def example_lines() -> list[tuple[str, str, bool]]:
    """Name, value, whether it is set (or only shown as the default)."""
    found = re.findall(r"^(# )?([A-Z][A-Z0-9_]+)=(.*)$", text_of(".env.example"), flags=re.M)
    return [(name, value, not commented) for commented, name, value in found]


def set_in_example() -> dict[str, str]:
    return {name: value for name, value, is_set in example_lines() if is_set}


def test_the_example_describes_every_variable_and_no_other() -> None:
    names = [name for name, _, _ in example_lines()]

    assert len(variables_of_settings()) > 20
    assert sorted(names) == sorted(variables_of_settings() | variables_of_compose())


def test_every_variable_of_the_example_has_a_comment_above_it() -> None:
    lines = text_of(".env.example").splitlines()
    bare = []
    for before, line in zip(lines, lines[1:], strict=False):
        name = re.match(r"(?:# )?([A-Z][A-Z0-9_]+)=", line)
        above = before.startswith("# ") and not before.startswith("# ---")
        # Settings that belong together share a comment.
        if name and not above and not re.match(r"[A-Z][A-Z0-9_]+=", before):
            bare.append(name[1])

    assert not bare


def check_deploy(**changes: str) -> "subprocess.CompletedProcess[str]":
    """`manage.py check --deploy` with the example as the environment."""
    services = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL")}
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        cwd=BASE_DIR,
        env={"PATH": os.environ["PATH"]} | set_in_example() | services | changes,
        capture_output=True,
        text=True,
    )


def test_the_example_as_it_is_must_not_go_into_production() -> None:
    done = check_deploy()

    assert done.returncode == 1
    assert "fabula.E001" in done.stderr
    assert "fabula.W001" in done.stderr


def test_the_example_with_secrets_of_its_own_passes() -> None:
    done = check_deploy(
        FABULA_SECRET_KEY="k3y-" * 20,
        MTURK_ACCESS_KEY_ID="a",
        MTURK_SECRET_ACCESS_KEY="b",
        MTURK_SIGNING_SECRET="c",
    )

    assert done.returncode == 0, done.stderr
    assert "fabula." not in done.stderr


PRODUCTION = {
    "FABULA_SECRET_KEY": "k3y-abcdefghij-" * 5,
    "MTURK_ACCESS_KEY_ID": "a",
    "MTURK_SECRET_ACCESS_KEY": "b",
    "MTURK_SIGNING_SECRET": "c",
}


def test_a_site_set_up_as_the_document_says_has_nothing_left_to_say() -> None:
    """The lines under "To the world", word for word."""
    lines = re.findall(r"^    ([A-Z_]+)=(.+)$", text_of("docs/operations.md"), flags=re.M)
    assert ("FABULA_HTTPS", "True") in lines

    done = check_deploy(**PRODUCTION, **dict(lines))

    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout + done.stderr


# --- Images and processes -----------------------------------------------------------------------


@cache
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(text_of("docker-compose.yml"))
    return loaded


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = compose()["services"]
    return found


def in_an_image(command: list[str]) -> list[str]:
    """The command as an image has it: with its scripts on the path."""
    assert command[:2] == [sys.executable, "-m"]
    return command[2:]


@pytest.mark.parametrize(
    ("service", "command"),
    [
        ("web", programs.web_command([ADDRESS])),
        ("worker", programs.worker_command()),
        ("gpu-worker", programs.worker_command(queue="gpu,cpu", concurrency=1)),
        ("beat", programs.beat_command()),
    ],
)
def test_production_runs_the_commands_of_the_demo(service: str, command: list[str]) -> None:
    assert services()[service]["command"] == in_an_image(command)


def test_production_checks_and_migrates_before_anything_starts() -> None:
    prepare = services()["prepare"]
    migrate = shlex.join(programs.manage_command("migrate", "--noinput")[1:])

    assert prepare["command"][2] == f"python manage.py check --deploy && python {migrate}"
    assert services()["web"]["depends_on"]["prepare"] == {
        "condition": "service_completed_successfully"
    }


def instructions(stage: str | None = None) -> list[tuple[str, str]]:
    """The Dockerfile's instructions, of one stage or of all."""
    joined = re.sub(r"\\\n\s*", "", text_of("Dockerfile"))
    lines = [line for line in joined.splitlines() if line and line[0] != "#"]
    found: list[tuple[str, str]] = []
    current = ""
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "FROM":
            current = rest.split(" AS ")[1]
        if stage in (None, current):
            found.append((word, rest))
    return found


def test_images_run_the_commands_of_the_demo() -> None:
    commands = {
        "web": programs.web_command([ADDRESS]),
        "gpu": programs.worker_command(queue="gpu,cpu", concurrency=1),
    }
    for stage, command in commands.items():
        [given] = [yaml.safe_load(rest) for word, rest in instructions(stage) if word == "CMD"]
        assert given == in_an_image(command)


@pytest.mark.parametrize("stage", ["web", "gpu"])
def test_images_run_as_nobody_special(stage: str) -> None:
    users = [rest for word, rest in instructions(stage) if word == "USER"]

    assert users == ["fabula"]
    assert any("useradd" in rest for word, rest in instructions("base") if word == "RUN")


def test_the_image_of_the_site_is_built_without_torch() -> None:
    web = " ".join(rest for _, rest in instructions("web") + instructions("packages-web"))

    assert "requirements.txt" in web
    assert "gpu" not in web
    assert "collectstatic" in web


def test_files_that_the_images_copy_are_there() -> None:
    copied = [rest.split() for word, rest in instructions() if word == "COPY"]
    here = [
        source for *sources, _ in copied for source in sources if not sources[0].startswith("--")
    ]

    assert {"requirements.txt", "requirements-gpu.txt", "."} == set(here)
    for source in here:
        assert (BASE_DIR / source).exists()


def test_images_use_a_python_that_the_project_allows() -> None:
    [version] = re.findall(r"^FROM python:([\d.]+)-slim", text_of("Dockerfile"), flags=re.M)

    assert f'requires-python = ">={version}"' in text_of("pyproject.toml")


def test_one_port_from_the_process_to_the_host() -> None:
    port = ADDRESS.rpartition(":")[2]
    exposed = [rest for word, rest in instructions("web") if word == "EXPOSE"]

    assert exposed == [port]
    assert services()["web"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert f"answers({port})" in " ".join(services()["web"]["healthcheck"]["test"])
    for name in ("FABULA_TASK_SITE_URL", "FABULA_WORKER_SITE_URL"):
        assert set_in_example()[name].endswith(f":{port}")


def test_what_the_processes_wait_for_tells_its_health() -> None:
    waited_for = {
        (name, condition["condition"])
        for service in services().values()
        for name, condition in service.get("depends_on", {}).items()
    }

    assert {"postgres", "redis", "web"} <= {name for name, _ in waited_for}
    for name, condition in waited_for:
        assert name in services()
        assert condition != "service_healthy" or "healthcheck" in services()[name]


def test_volumes_networks_and_build_targets_are_declared() -> None:
    stages = re.findall(r" AS ([\w-]+)", text_of("Dockerfile"))
    for service in services().values():
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in compose()["volumes"]
        if "build" in service:
            assert service["build"]["target"] in stages
        if "network_mode" in service:
            assert service["network_mode"].removeprefix("service:") in services()


def test_the_processes_share_one_folder_and_one_environment() -> None:
    for name in ("prepare", "web", "worker", "gpu-worker", "beat"):
        service = services()[name]
        [volume] = service["volumes"]
        assert volume.split(":")[1] == service["environment"]["FABULA_VAR"]
        assert service["env_file"] == ".env"


def test_the_database_of_production_sorts_like_the_embedded_one() -> None:
    arguments = services()["postgres"]["environment"]["POSTGRES_INITDB_ARGS"].split()

    assert set(arguments) <= set(
        re.findall(r'"(--[\w=.-]+)"', text_of("config/embedded/postgres.py"))
    )
    assert len(arguments) == 4


# --- Documents --------------------------------------------------------------------------------


def test_there_are_documents() -> None:
    assert {"README.md", "CONTRIBUTING.md", "docs/glossary.md"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    here = (BASE_DIR / name).parent
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text_of(name))
    lost = [t for t in targets if "://" not in t and not (here / t).exists()]

    assert not lost


@pytest.mark.parametrize("name", NAMES)
def test_files_that_are_named_exist(name: str) -> None:
    """Pieces in backticks that look like a path of the repository."""
    tops = {path.name for path in BASE_DIR.iterdir()}
    paths = [piece for piece in code_in(text_of(name)) if re.fullmatch(r"[\w./-]+", piece)]
    lost = [
        path
        for path in paths
        if "/" in path and path.split("/")[0] in tops and not (BASE_DIR / path).exists()
        # Rooms still empty, and the data folder, which is made when it is needed.
        if not path.startswith(("modeling/", "evaluation/", "var/")) and "NAME" not in path
    ]

    assert not lost


@pytest.mark.parametrize("name", NAMES)
def test_make_targets_that_are_named_exist(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), flags=re.M))
    named = set(re.findall(r"(?:`|^ +|\d )make ([a-z-]+)", text_of(name), flags=re.M))

    assert named <= targets


def commands_in(name: str) -> list[list[str]]:
    """What follows manage.py, also over lines that end in a backslash."""
    text = re.sub(r"\\\n\s*", "", text_of(name))
    lines = re.findall(r"(?:^ +.*|`)manage\.py ([a-z_]+\b[^`\n]*)", text, flags=re.M)
    return [line.split() for line in lines]


@pytest.mark.parametrize("name", NAMES)
def test_commands_that_are_named_exist_with_their_options(name: str) -> None:
    known = get_commands()
    lost = []
    for command, *words in commands_in(name):
        if command not in known:
            lost.append(command)
            continue
        loaded = load_command_class(known[command], command)
        options = loaded.create_parser("manage.py", command)._option_string_actions
        given = [
            word.strip("[]").split("=")[0] for word in words if word.strip("[").startswith("--")
        ]
        lost += [f"{command} {option}" for option in given if option not in options]

    assert not lost


def test_commands_are_found_in_the_documents() -> None:
    found = {command for name in NAMES for command, *_ in commands_in(name)}

    assert {"create_study", "import_stories", "launch_round", "export_responses"} <= found


@pytest.mark.parametrize("name", NAMES)
def test_variables_that_are_named_exist(name: str) -> None:
    known = variables_of_settings() | variables_of_compose() | READ_ELSEWHERE
    named = set(
        re.findall(r"\b(?:FABULA|MTURK|MARKETPLACE|DATABASE|REDIS)_[A-Z…_]+", text_of(name))
    )

    assert named <= known


def test_the_licence_is_the_one_that_the_project_names() -> None:
    assert "Version 3, 29 June 2007" in text_of("LICENSE")
    assert 'license = "GPL-3.0-or-later"' in text_of("pyproject.toml")
    assert "[LICENSE](LICENSE)" in text_of("README.md")


def test_vendored_files_are_listed_with_their_licence() -> None:
    folders = {path.name for path in Path(BASE_DIR / "static/vendor").iterdir() if path.is_dir()}
    listed = re.findall(
        r"^\| `([\w-]+)/` \| `[^`]+` \| \d[\d.]* \| [\w.-]+ \|",
        text_of("static/vendor/README.md"),
        flags=re.M,
    )

    assert sorted(listed) == sorted(folders)
    for folder in folders:
        assert list((BASE_DIR / "static/vendor" / folder).glob("LICENSE*"))
