"""Reading the environment: what cannot be read is a sentence that names its variable."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from environs import Env, EnvError

env = Env()
Value = TypeVar("Value")
DATABASES = ("sqlite", "postgres", "postgresql")
CACHES = ("redis", "rediss", "unix")


def flag(name: str, default: bool) -> bool:
    return _read(env.bool, name, default, "1 or 0")


def count(name: str, default: int) -> int:
    """A whole number above 0."""
    return _above_zero(env.int, name, default, "a whole number above 0")


def seconds(name: str, default: float) -> float:
    return _above_zero(env.float, name, default, "a number of seconds above 0")


def names(name: str, default: list[str]) -> list[str]:
    """Texts between commas; blanks around them and empty ones count for nothing."""
    return [text.strip() for text in env.list(name, default) if text.strip()]


def one_of(name: str, default: str, allowed: Collection[str]) -> str:
    value: str = env.str(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is “{value}”, and has to be one of {', '.join(allowed)}.")
    return value


def folder(name: str, default: Path) -> Path:
    """A folder, made where there is none yet."""
    path = env.str(name, str(default))
    if not path.strip():
        raise ImproperlyConfigured(f"{name} is empty: name a folder, or leave it out for {default}.")
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"{name} is “{path}”, no folder that can be used: {error}.") from error
    return Path(path).absolute()


def kept_key(file: Path) -> str:
    """The key of a trial installation, made once."""
    try:
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_urlsafe(50))
        return file.read_text()
    except OSError as error:
        raise ImproperlyConfigured(
            f"Without a SECRET_KEY one is kept in {file}, which cannot be used: {error}."
        ) from error


def address(name: str, default: str, schemes: Collection[str]) -> str:
    """An address of a service. What is wrong with it is told without it: it may hold a password."""
    value: str = env.str(name, default)
    if value.partition(":")[0] not in schemes:
        raise ImproperlyConfigured(f"{name} begins with none of {', '.join(schemes)}.")
    return value


def database(name: str, default: str) -> dict[str, Any]:
    try:
        return {**dj_database_url.parse(address(name, default, DATABASES))}
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} cannot be read: write signs like @ / : # of a password as %40 %2F %3A %23."
        ) from error


def _above_zero(reader: Callable[..., Any], name: str, default: Any, what: str) -> Any:
    value = _read(reader, name, default, what)
    if not 0 < value < float("inf"):
        raise _unread(name, what)
    return value


def _read(reader: Callable[[str, Value], Value], name: str, default: Value, what: str) -> Value:
    try:
        return reader(name, default)
    except EnvError as error:
        raise _unread(name, what) from error


def _unread(name: str, what: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} is “{os.environ.get(name, '')}”, and has to be {what}.")
