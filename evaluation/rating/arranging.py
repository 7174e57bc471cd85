"""The order in which one rater meets the items of a task, and the sides on which pairs stand."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.instruments.parts import FIRST, SECOND, Kind

# The fields of an item that are the two outputs of a pair, and what a choice of one is turned into.
OTHER = {FIRST: SECOND, SECOND: FIRST}


@dataclass(frozen=True)
class Placed:
    """An item of the task by its key. `swapped` says whether the pair's first output stands on the
    right; None where the item is no pair."""

    key: str
    swapped: bool | None


def arrangement(item: Mapping[str, Any], draw: random.Random) -> list[Placed]:
    """Each order and each side as likely as any other."""
    keys = [one["key"] for one in item["items"]]
    draw.shuffle(keys)
    pairs = compares(item["instrument"])
    return [Placed(key, draw.random() < 0.5 if pairs else None) for key in keys]


def arranged(item: Mapping[str, Any], placed: list[Placed]) -> dict[str, Any]:
    """The task's item with its items in that order, on these sides."""
    by_key = {one["key"]: one for one in item["items"]}
    shown = [_turned(by_key[one.key]) if one.swapped else by_key[one.key] for one in placed]
    return {**item, "items": shown}


def compares(declaration: Mapping[str, Any]) -> bool:
    """Whether the instrument asks about two outputs side by side."""
    return any(question["kind"] == Kind.PAIRWISE for question in declaration["questions"])


def _turned(item: Mapping[str, Any]) -> dict[str, Any]:
    fields = item["fields"]
    return {**item, "fields": {name: fields[OTHER.get(name, name)] for name in fields}}
