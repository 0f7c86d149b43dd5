"""Where known cases are answered: by tests that bear their ids, or by lines of a document."""

import re
from pathlib import Path

from django.conf import settings

TEST = re.compile(r"^ *def (test_\w+)\(", re.MULTILINE)


def names_of_tests() -> list[str]:
    """The names of all tests."""
    files = Path(settings.BASE_DIR, "tests").rglob("test_*.py")
    return [name for file in files for name in TEST.findall(file.read_text())]


def lines_of(document: str, ids: str) -> set[str]:
    """The ids, matched by this pattern, that a document of docs/ gives a line."""
    line = re.compile(rf"^- \*\*({ids})\*\* ", re.MULTILINE)
    return set(line.findall(Path(settings.BASE_DIR, "docs", document).read_text()))
