"""What the environment says wrongly is told in a sentence, and never with a password in it."""

import os
import runpy
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

SETTINGS = str(settings.BASE_DIR / "wsd_site" / "settings.py")


def read_settings() -> dict[str, Any]:
    return runpy.run_path(SETTINGS)


WRONG = [
    ("VAR_DIR", "", "VAR_DIR is empty: name a folder"),
    ("VAR_DIR", f"{__file__}/var", "no folder that can be used"),
    ("DEBUG", "maybe", "DEBUG is “maybe”, and has to be 1 or 0."),
    ("HTTPS", "", "HTTPS is “”, and has to be 1 or 0."),
    ("DATABASE_URL", "", "DATABASE_URL begins with none of sqlite, postgres, postgresql."),
    ("DATABASE_URL", "mysql://site:opensesame@host/site", "DATABASE_URL begins with none of"),
    ("DATABASE_URL", "postgres://site:open[sesame@host/site", "DATABASE_URL cannot be read"),
    ("REDIS_URL", "localhost:6379", "REDIS_URL begins with none of redis, rediss, unix."),
    ("EMAIL_URL", "", "EMAIL_URL begins with none of"),
    ("SWEEP_SECONDS", "soon", "SWEEP_SECONDS is “soon”, and has to be a number of seconds above 0."),
    ("SWEEP_SECONDS", "nan", "has to be a number of seconds above 0"),
    ("CHANGES_PER_MINUTE", "0", "CHANGES_PER_MINUTE is “0”, and has to be a whole number above 0."),
    ("LOG_LEVEL", "LOUD", "LOG_LEVEL is “LOUD”, and has to be one of CRITICAL"),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG)
def test_what_cannot_be_read_is_a_sentence(monkeypatch, name, value, said):
    monkeypatch.setenv("SECRET_KEY", "x" * 50)
    monkeypatch.setenv("DEBUG", "0")
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured) as refused:
        read_settings()
    assert said in str(refused.value)
    assert "sesame" not in str(refused.value)


def test_blanks_and_empty_names_among_the_hosts_are_none(monkeypatch):
    monkeypatch.setenv("ALLOWED_HOSTS", ".example.org,, standings.example.org,")
    monkeypatch.setenv("MAIN_HOST", "")
    read = read_settings()
    assert read["ALLOWED_HOSTS"] == [".example.org", "standings.example.org"]
    assert read["MAIN_HOST"] == "standings.example.org"


def test_a_command_ends_with_the_sentence_alone():
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "VAR_DIR": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("The settings cannot be used. VAR_DIR is empty: name a folder")
    assert len(done.stderr.splitlines()) == 1
