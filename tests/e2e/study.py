"""A study on a running stack, made as a researcher makes it: by commands."""

import csv
import json
from pathlib import Path
from typing import Any

from django.conf import settings

from tests.stack import Stack

STUDY = "harbour"
STORIES = [
    [
        "Ilse left the office without her umbrella.",
        "Halfway to the bridge it began to pour.",
        "She stopped under the awning of a bakery.",
        "The baker waved her in and put a bun on a plate.",
        "Ilse stayed until the street was dry.",
    ],
    [
        "The lift in the tower was out of order again.",
        "Bruno looked at the eleven bags at his feet.",
        "A boy from the third floor sat on the steps.",
        "Without a word the boy took two of the bags.",
        "They counted the floors aloud together.",
    ],
    [
        "Noor opened the letter at the kitchen table.",
        "She read the first line and put it down.",
        "Then she called her mother.",
        "Neither of them said anything for a while.",
        "At last both of them began to laugh.",
    ],
    [
        "Tomasz planted a row of beans in the spring.",
        "Every morning he measured them with a ruler.",
        "In June the neighbour's goat got through the fence.",
        "Tomasz stood in front of the bare row with his ruler.",
        "The next day he built a taller fence.",
    ],
]


def make_requester(stack: Stack) -> None:
    stack.call(
        "create_requester",
        "Harbour lab",
        f"--access-key-id={settings.MTURK_ACCESS_KEY_ID}",
        f"--secret-access-key={settings.MTURK_SECRET_ACCESS_KEY}",
        f"--signing-secret={settings.MTURK_SIGNING_SECRET}",
        "--balance=100000",
    )


def make_study(stack: Stack, folder: Path, stories: list[list[str]] = STORIES) -> None:
    file = folder / "stories.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["story_id", "title", *(f"line{n}" for n in range(1, 6))])
        for number, sentences in enumerate(stories, 1):
            writer.writerow([f"h-{number:03}", f"Harbour {number}", *sentences])
    stack.call("create_study", STUDY, "--title", "Harbour stories")
    stack.call("import_stories", STUDY, str(file))


def launch_round(stack: Stack, *, overlap: int, **options: str) -> dict[str, Any]:
    extra = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    said = stack.call(
        "launch_round",
        STUDY,
        "--task=state_annotation",
        f"--overlap={overlap}",
        "--reward=0.35",
        "--format=json",
        *extra,
    )
    facts: dict[str, Any] = json.loads(said)
    return facts


def invitation(stack: Stack, label: str) -> str:
    return stack.call("create_invitation", label).strip()


def exported(stack: Stack, folder: Path, fmt: str = "jsonl") -> list[dict[str, Any]]:
    file = folder / f"export.{fmt}"
    file.unlink(missing_ok=True)
    stack.call("export_responses", STUDY, f"--format={fmt}", f"--output={file}")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
