"""A pytest plugin, loaded before Django's settings: the tests' PostgreSQL and their data folder."""

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def provide() -> None:
    """Point the settings at a real PostgreSQL and at folders of the tests' own."""
    os.environ["CITEWEB_DATA_DIR"] = tempfile.mkdtemp(prefix="citeweb-tests-")
    os.environ.setdefault("CITEWEB_EMBEDDINGS", "none")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "CITEWEB_MODEL", "REDIS_URL", "SECRET_KEY"):
        os.environ.pop(name, None)
    if not os.environ.get("DATABASE_URL"):
        from citeweb.embedded_postgres import EmbeddedPostgres

        os.environ["DATABASE_URL"] = EmbeddedPostgres(ROOT / "var" / "test-postgres").database_url("citeweb")


provide()
