"""The description of a release's files as Croissant, a vocabulary in JSON-LD for datasets."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from annotation.models import Release
from annotation.releases.columns import Column, Kind, columns_of
from annotation.releases.rule import ReleaseRule

SCHEMA = "https://schema.org/"
CROISSANT = "http://mlcommons.org/croissant/"
# The terms that the vocabulary asks of every file of its version.
_TERMS = (
    *("column", "data", "dataType", "equivalentProperty", "examples", "extract", "field"),
    *("fileObject", "fileProperty", "fileSet", "format", "includes", "isLiveDataset", "jsonPath"),
    *("key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated"),
    *("replace", "samplingRate", "separator", "source", "subField", "transform"),
)
_OF_JSON = {"data", "examples"}
_FORMATS = {".jsonl": "application/jsonlines", ".parquet": "application/x-parquet"}
_TYPES = {
    Kind.TEXT: "sc:Text",
    Kind.BOOLEAN: "sc:Boolean",
    Kind.TEXTS: "sc:Text",
    Kind.NUMBERS: "sc:Integer",
}
_LISTS = (Kind.TEXTS, Kind.NUMBERS)


def context() -> dict[str, Any]:
    terms: dict[str, Any] = {name: f"cr:{name}" for name in _TERMS}
    terms["dataType"] = {"@id": "cr:dataType", "@type": "@vocab"}
    for name in _OF_JSON:
        terms[name] = {"@id": f"cr:{name}", "@type": "@json"}
    return {
        "@language": "en",
        "@vocab": SCHEMA,
        "sc": SCHEMA,
        "cr": CROISSANT,
        "rai": f"{CROISSANT}RAI/",
        "dct": "http://purl.org/dc/terms/",
        "citeAs": "cr:citeAs",
        "conformsTo": "dct:conformsTo",
        **dict(sorted(terms.items())),
    }


def describe(*, release: Release, description: str, files: Iterable[Path]) -> dict[str, Any]:
    """`files` are whole by now: their hashes stand in the description."""
    columns = columns_of(ReleaseRule.from_dict(release.rule).layout)
    given = sorted(files)
    splits = [file.stem for file in given if file.suffix == ".parquet"]
    return {
        "@context": context(),
        "@type": "sc:Dataset",
        "name": release.study.slug,
        "description": description,
        "conformsTo": f"{CROISSANT}1.0",
        "version": f"1.0.0+{release.sha256[:12]}",
        "distribution": [_file(file) for file in given if file.suffix in _FORMATS],
        "recordSet": [_records(split, columns) for split in splits],
    }


def _file(file: Path) -> dict[str, Any]:
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "contentUrl": file.name,
        "contentSize": f"{file.stat().st_size} B",
        "encodingFormat": _FORMATS[file.suffix],
        "sha256": digest,
    }


def _records(split: str, columns: list[Column]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": split,
        "name": split,
        "key": {"@id": f"{split}/{columns[0].name}"},
        "field": [_field(split, column) for column in columns],
    }


def _field(split: str, column: Column) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{split}/{column.name}",
        "name": column.name,
        "description": column.meaning,
        "dataType": _TYPES[column.kind],
        **({"repeated": True} if column.kind in _LISTS else {}),
        "source": {
            "fileObject": {"@id": f"{split}.parquet"},
            "extract": {"column": column.name},
        },
    }
