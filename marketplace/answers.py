"""A submitted form as the QuestionFormAnswers document that requesters' scripts parse."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/"
    "AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
)
# Characters that an XML 1.0 document cannot carry, even escaped.
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REPLACEMENT = "\ufffd"


def answer_xml(fields: Iterable[tuple[str, str]]) -> str:
    """One Answer for each field, in the order sent; fields of one name are joined with "|"."""
    joined: dict[str, list[str]] = {}
    for name, value in fields:
        joined.setdefault(name, []).append(value)
    root = ElementTree.Element("QuestionFormAnswers", xmlns=NAMESPACE)
    for name, values in joined.items():
        answer = ElementTree.SubElement(root, "Answer")
        ElementTree.SubElement(answer, "QuestionIdentifier").text = clean(name)
        ElementTree.SubElement(answer, "FreeText").text = clean("|".join(values))
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n{body}'


def clean(text: str) -> str:
    return NOT_XML.sub(REPLACEMENT, text)
