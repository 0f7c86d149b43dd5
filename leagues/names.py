"""Names: cleaning, Latin letters, addresses, and the keys by which names are found, sorted and matched."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import count, islice

from anyascii import anyascii
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from pyuca import Collator

NAME_LENGTH = 100
SLUG_LENGTH = 60
SORT_KEY_LENGTH = 500

# A letter of its own comes after all that begins with the one before it: "ç" is "c" and a last sign.
_AFTER_ALL = "\U0010fffd"
_OWN_LETTERS = zip("çğıöşüÇĞIÖŞÜ", "cghosuCGHOSU", strict=True)
_TURKISH = str.maketrans({letter: before + _AFTER_ALL for letter, before in _OWN_LETTERS} | {"İ": "I"})

# Controls that are no white space, lone surrogates, and what Unicode calls default ignorable:
# zero-width and bidirectional signs, fillers, variation selectors, tags.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

# The table of the Bulgarian transliteration law (2009), which no library follows.
_BULGARIAN = dict(zip("абвгдезийклмнопрстуфхъь", "abvgdeziyklmnoprstufhay", strict=True)) | {
    "ж": "zh",
    "ц": "ts",
    "ч": "ch",
    "ш": "sh",
    "щ": "sht",
    "ю": "yu",
    "я": "ya",
}
_LATIN = str.maketrans(_BULGARIAN | {letter.upper(): latin.title() for letter, latin in _BULGARIAN.items()})
_FINAL_IYA = re.compile(r"(?<=[иИ])[яЯ]\b")


def tidy(name: str) -> str:
    """The name as it is stored: composed (NFC), nothing invisible in it, single spaces, none at the ends."""
    if not (name.isascii() and name.isprintable()):
        name = unicodedata.normalize("NFC", _INVISIBLE.sub("", name))
    return " ".join(name.split())


def name_problem(name: str) -> Promise | None:
    """The sentence that says why nobody can be called this, or None."""
    name = tidy(name)
    if not name:
        return _("A name is needed: it has no visible character.")
    if len(name) > NAME_LENGTH:
        return _("A name has at most 100 characters.")
    if "+" in name.split():
        return _("A + between spaces joins the members of a team in game files: it cannot be part of a name.")
    return None


def check_player_name(name: str) -> None:
    """Validator of the names of players. Raises ValidationError with a sentence."""
    if problem := name_problem(name):
        raise ValidationError(str(problem), code="name")


def transliterate(text: str) -> str:
    """The text in ASCII: Bulgarian letters by the law's table, all others by anyascii."""
    text = _FINAL_IYA.sub(lambda ya: "а" if ya[0] == "я" else "А", unicodedata.normalize("NFC", text))
    return anyascii(re.sub(r"\w+", _latin_word, text))


def slugify(text: str, *, fallback: str) -> str:
    """A readable address: lower-case ASCII words and hyphens, at most 60 characters; else the fallback."""
    letters = transliterate(tidy(text)).lower().replace("'", "")
    return _cut(re.sub(r"[^a-z0-9]+", "-", letters).strip("-"), SLUG_LENGTH) or fallback


def unique_slug(text: str, *, fallback: str, taken: Callable[[str], bool]) -> str:
    """The first of slug, slug-2, slug-3 ... that is not taken."""
    slug = slugify(text, fallback=fallback)
    if not taken(slug):
        return slug
    numbered = (f"{_cut(slug, SLUG_LENGTH - len(f'-{n}'))}-{n}" for n in count(2))
    return next(candidate for candidate in numbered if not taken(candidate))


def fold(text: str) -> str:
    """The key by which names are searched; fold the query alike.

    Forgives script, accents, case and the Turkish i's. Runs of i and y count as one i, so that "Мария" is
    found by "maria" and "mariya", and "Николай" by "nikolai" and "nikolay".
    """
    return re.sub("[iy]+", "i", transliterate(tidy(text)).lower().replace("'", ""))


def sort_key(text: str, language: str = "en") -> str:
    """A text whose plain order is that of names in a language, on every database.

    It is the order of Unicode's collation algorithm with what the language has otherwise: in Turkish
    ç, ğ, ı, ö, ş and ü are letters of their own, and Bulgarian puts Cyrillic before Latin.
    """
    text = tidy(text)
    weights = _collator().sort_key(text.translate(_TURKISH) if language == "tr" else text)
    if language == "bg":
        weights = map(_cyrillic_first, weights)
    return "".join(f"{weight:04X}" for weight in islice(weights, SORT_KEY_LENGTH // 4))


def _cyrillic_first(weight: int) -> int:
    """The weight of a letter with the whole of Cyrillic moved down before all other letters."""
    letters, cyrillic, after = _collator_blocks()
    if cyrillic <= weight < after:
        return weight - (cyrillic - letters)
    return weight + (after - cyrillic) if letters <= weight < cyrillic else weight


@cache
def _collator_blocks() -> tuple[int, int, int]:
    """Where in the collation order letters begin, where Cyrillic does, and what comes after it."""
    letters, cyrillic, after = (_collator().sort_key(letter)[0] for letter in ("a", "\u0430", "\u10a0"))
    return letters, cyrillic, after


@lru_cache(maxsize=10_000)
def same_name(text: str) -> str:
    """The key by which a name in a file is matched with a player: case, composition and width do not count.

    All Turkish i's are one letter: the capital of "ı" is "I", whose case fold is "i", and the case fold of
    "İ" is two code points.
    """
    folded = tidy(unicodedata.normalize("NFKC", tidy(text)).casefold())
    return folded.replace("i\u0307", "i").replace("ı", "i")


def _latin_word(word: re.Match[str]) -> str:
    latin = word[0].translate(_LATIN)
    return latin.upper() if len(word[0]) > 1 and word[0].isupper() else latin


def _cut(slug: str, length: int) -> str:
    """The slug's first whole words that fit; a single longer word is cut."""
    if len(slug) <= length:
        return slug
    return slug[: length + 1].rpartition("-")[0] or slug[:length]


@cache
def _collator() -> Collator:
    """Loaded at the first use: reading the table takes 0.2 s."""
    return Collator()
