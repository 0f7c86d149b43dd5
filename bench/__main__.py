"""`python -m bench`: prints a table and writes $VAR_DIR/bench.json. QUICK=1 takes small sizes."""

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import engine
from tests.servers import new_folder, postgres_programs, start_postgres

SITE = "import django; django.setup(); from bench.site import main; main()"
ROOT = Path(__file__).resolve().parent.parent


def all_measures() -> Iterator[dict[str, Any]]:
    for measure in engine.measures():
        yield asdict(measure) | {"met": measure.met, "database": "none"}
    folder = new_folder("bench")
    (folder / "static").mkdir()  # where the site looks for collected files
    addresses = {"sqlite": f"sqlite:///{folder / 'bench.sqlite3'}"}
    if programs := postgres_programs():
        addresses["postgresql"] = start_postgres(programs, durable=True)
    else:
        print("PostgreSQL is missing: apt-get install postgresql")
    for database, address in addresses.items():
        for line in _site_measures(folder, address):
            yield json.loads(line) | {"database": database}


def _site_measures(folder: Path, address: str) -> Iterator[str]:
    """What bench/site.py prints, in a process whose settings know nothing of the caller's installation."""
    environment = {name: value for name, value in os.environ.items() if name != "REDIS_URL"} | {
        "DATABASE_URL": address,
        "VAR_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "wsd_site.settings",
        "DEBUG": "0",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "*",
        "HTTPS": "0",
    }
    command = [sys.executable, "-c", SITE]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as site:
        assert site.stdout is not None
        yield from site.stdout
    if site.returncode:
        raise SystemExit("The measures ended with an error.")


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started ends with us
    results = []
    print(f"{'measure':<70} {'database':<10} {'value':>8}  {'goal':<8} met")
    for row in all_measures():
        row = {name: row[name] for name in ("measure", "database", "value", "unit", "goal", "met")}
        met = {True: "yes", False: "NO", None: ""}[row["met"]]
        print(
            f"{row['measure']:<70} {row['database']:<10} {row['value']:>8.3g}  {row['goal'] or '':<8} {met}",
            flush=True,
        )
        results.append(row)
    file = Path(os.environ.get("VAR_DIR", ROOT / "var")) / "bench.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(results, indent=2) + "\n")
    print(f"Written to {file}")


if __name__ == "__main__":
    main()
