"""Checks that every text of the site is translated: `python -m tests.translations`, a part of `make lint`.

Prints each entry that is missing, fuzzy, untranslated or stale, or whose placeholders differ from the English
text, and exits 1 if there is one. What the source says is collected anew with xgettext; without that program
only the catalogues themselves are checked.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("bg", "tr")
SOURCES = ("wsd_site", "leagues", "ratings", "templates")

Key = tuple[str | None, str]


def catalogue_path(root: Path, language: str) -> Path:
    return root / "locale" / language / "LC_MESSAGES" / "django.po"


def read_catalogue(path: Path, language: str) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=language)


def entries(catalogue: Catalog) -> dict[Key, Message]:
    """The entries in use by context and English text (its singular), without the header."""
    texts = [(message.id if isinstance(message.id, str) else message.id[0], message) for message in catalogue]
    return {(message.context, text): message for text, message in texts if text}


def texts_of_source() -> set[Key]:
    """What makemessages finds in the source now; it works on a copy, so the catalogues stay as they are."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in SOURCES:
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        path = catalogue_path(copy, LANGUAGES[0])
        path.parent.mkdir(parents=True)
        # Without settings it needs no working site, only the files.
        environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        command = [
            sys.executable,
            "-m",
            "django",
            "makemessages",
            "--locale",
            LANGUAGES[0],
            "--verbosity",
            "0",
        ]
        subprocess.run(command, cwd=copy, env=environment, check=True)
        return set(entries(read_catalogue(path, LANGUAGES[0])))


def faults_of_entry(message: Message) -> Iterator[str]:
    translations = message.string if isinstance(message.string, tuple | list) else [message.string]
    if message.fuzzy:
        yield "fuzzy"
    elif not all(translations):
        yield "untranslated"
    else:
        yield from (str(error) for error in message.check())


def faults(language: str, source: set[Key] | None) -> Iterator[tuple[str, str]]:
    """Pairs of fault and English text of one language; `source` is None where it could not be collected."""
    path = catalogue_path(ROOT, language)
    if not path.exists():
        yield "no catalogue", str(path.relative_to(ROOT))
        return
    catalogue = read_catalogue(path, language)
    if catalogue.fuzzy:
        yield "fuzzy header, so that nothing of it is compiled", str(path.relative_to(ROOT))
    translated = entries(catalogue)
    for (_, text), message in translated.items():
        yield from ((fault, text) for fault in faults_of_entry(message))
    if source is not None:
        yield from (("missing", text) for _, text in sorted(source - set(translated), key=str))
        yield from (("stale", text) for _, text in sorted(set(translated) - source, key=str))


def main() -> int:
    source = texts_of_source() if shutil.which("xgettext") else None
    if source is None:
        print("xgettext is not installed (apt-get install gettext): new and stale texts are not looked for.")
    count = 0
    for language in LANGUAGES:
        for fault, text in faults(language, source):
            print(f"{language}: {fault}: {text!r}")
            count += 1
    print(f"Translations: {count} faults" if count else "Translations: complete")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
