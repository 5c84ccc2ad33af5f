"""The uploaded file itself, wherever the storage keeps it."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sources.models import Version

_PIECE = 1 << 20


def remove_file(version: Version) -> None:
    """Delete the original from the storage, if there is one; the row is not asked."""
    if version.file.name:
        version.file.storage.delete(version.file.name)


@contextmanager
def on_disk(version: Version) -> Iterator[Path]:
    """Give the path of the original: where it lies, or a copy when the storage is not a local folder."""
    try:
        local = version.file.path
    except NotImplementedError:
        with tempfile.NamedTemporaryFile(prefix="citeweb-original-") as copy, version.file.open("rb") as file:
            shutil.copyfileobj(file, copy, _PIECE)
            copy.flush()
            yield Path(copy.name)
    else:
        yield Path(local)
