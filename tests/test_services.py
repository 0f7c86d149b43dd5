"""The services plugin itself, seen from outside: a pytest of its own on a few tests that want services."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

TESTS = """
import pytest

@pytest.mark.pg
def test_database(): pass

@pytest.mark.redis
def test_queue(): pass

@pytest.mark.browser
def test_page(): pass

def test_calm(): pytest.skip({reason!r})
"""
INSTALLED = {
    "DATABASE_URL": "postgres://somewhere/else",
    "TEST_REDIS_URL": "redis://elsewhere",
    "CHROMIUM": sys.executable,
}
NOT_INSTALLED = {"PG_BIN": "/nonexistent", "REDIS_SERVER": "/nonexistent", "CHROMIUM": "/nonexistent"}


def run_pytest(
    folder: Path, environment: dict[str, str], reason: str = "allowed: a calm day"
) -> subprocess.CompletedProcess[str]:
    """Runs TESTS with the plugin, as if started from a shell that knows nothing of the present run."""
    (folder / "test_wishes.py").write_text(TESTS.format(reason=reason))
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  pg\n  redis\n  browser\n")
    ours = {"DATABASE_URL", "TEST_REDIS_URL", "CHROMIUM", "REQUIRE_SERVICES", "WSD_TEST_SERVICES"}
    shell = {
        name: value
        for name, value in os.environ.items()
        if name not in ours and not name.startswith(("PYTEST_", "DJANGO_"))
    }
    command = [sys.executable, "-m", "pytest", "-ra", "-p", "tests.services"]
    return subprocess.run(
        [*command, "-c", str(folder / "pytest.ini"), str(folder)],
        cwd=settings.BASE_DIR,
        env=shell | environment | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_missing_programs_are_skips_with_the_command_that_installs_them(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, NOT_INSTALLED)
    assert run.returncode == 0, run.stdout
    for command in (
        "apt-get install postgresql",
        "apt-get install redis-server",
        "apt-get install chromium",
    ):
        assert command in run.stdout
    assert "services: pg=MISSING redis=MISSING browser=MISSING" in run.stdout
    assert "4 skipped" in run.stdout


def test_missing_programs_are_errors_where_services_are_required(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, NOT_INSTALLED | {"REQUIRE_SERVICES": "1"})
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert "apt-get install redis-server" in run.stderr


def test_services_of_the_caller_are_used(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, INSTALLED | {"REQUIRE_SERVICES": "1"})
    assert run.returncode == 0, run.stdout
    assert "3 passed, 1 skipped" in run.stdout


def test_a_skip_without_permission_fails_where_services_are_required(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, INSTALLED | {"REQUIRE_SERVICES": "1"}, reason="because")
    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    assert "test_calm: skipped under REQUIRE_SERVICES=1" in run.stdout


def test_services_can_be_switched_off(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, INSTALLED | {"WSD_TEST_SERVICES": "0"})
    assert run.returncode == 0, run.stdout
    assert "4 skipped" in run.stdout
