#!/usr/bin/env python
"""Run Citeweb's commands. Without DATABASE_URL an embedded PostgreSQL runs for as long as the command does."""

import os
import sys
from pathlib import Path

# Commands that are useful without any database.
WITHOUT_DATABASE = {
    "help",
    "--help",
    "version",
    "--version",
    "makemessages",
    "compilemessages",
    "collectstatic",
}


def provide_database() -> None:
    """Start or join the embedded server unless the environment names a database."""
    from dotenv import load_dotenv

    load_dotenv(Path(__file__).resolve().parent / ".env")
    if os.environ.get("DATABASE_URL") or (len(sys.argv) > 1 and sys.argv[1] in WITHOUT_DATABASE):
        return
    from citeweb.embedded_postgres import EmbeddedPostgres

    data = Path(os.environ.get("CITEWEB_DATA_DIR") or Path(__file__).resolve().parent / "var").resolve()
    os.environ["DATABASE_URL"] = EmbeddedPostgres(data / "postgres").database_url("citeweb")
    os.environ["CITEWEB_DATABASE_IS_EMBEDDED"] = "1"


def main() -> None:
    """Provide what the settings need, then hand over to Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "citeweb.settings")
    provide_database()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
