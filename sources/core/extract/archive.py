"""Reading the parts of a ZIP file (Office, OpenDocument, EPUB), counting what really comes out of it.

What an entry says about its size is not believed; nothing is ever unpacked to disk, so names lead nowhere.
"""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from sources.core.extract.types import ExtractionError, FailureReason

MEGABYTE = 1 << 20
# A part that is read as a whole, one that is read as it flows (a sheet, a text), and all together.
MOST_OF_A_PART = 48 * MEGABYTE
MOST_STREAMED = 400 * MEGABYTE
MOST_OF_A_TEXT = 120 * MEGABYTE
MOST_IN_ALL = 800 * MEGABYTE
_MOST_ENTRIES = 20_000
_ENCRYPTED_FLAG = 0x1


class Archive:
    """An open ZIP file. Every method raises ExtractionError: CORRUPT, ENCRYPTED or TOO_LARGE."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self.names = set(file.namelist())
        self.unpacked = 0
        if len(self.names) > _MOST_ENTRIES:
            raise ExtractionError(FailureReason.TOO_LARGE, f"{len(self.names)} files in the archive")

    def read(self, name: str) -> bytes:
        """Return a part that must be there."""
        with self.stream(name, most=MOST_OF_A_PART) as part:
            return part.read()

    def find(self, name: str) -> bytes | None:
        """Return a part, or None when there is no such part."""
        return self.read(name) if name in self.names else None

    @contextmanager
    def stream(self, name: str, *, most: int = MOST_STREAMED) -> Iterator[IO[bytes]]:
        """Open a part that must be there, to be read as it flows."""
        try:
            # What it says is believed only where it is too much.
            if self._file.getinfo(name).file_size > most:
                raise ExtractionError(FailureReason.TOO_LARGE, f"{name} unpacks to more than is allowed")
            with self._file.open(name) as part:
                counted = _Counted(part, self, most)
                yield io.BufferedReader(counted, 1 << 16)
        except KeyError as exc:
            raise ExtractionError(FailureReason.CORRUPT, f"the part {name!r} is missing") from exc
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as exc:
            raise ExtractionError(FailureReason.CORRUPT, str(exc)) from exc
        except RuntimeError as exc:
            if "encrypted" not in str(exc):
                raise
            raise ExtractionError(FailureReason.ENCRYPTED, str(exc)) from exc


class _Counted(io.RawIOBase):
    """Counts what comes out of a part, and stops when it is too much."""

    def __init__(self, part: IO[bytes], archive: Archive, most: int) -> None:
        self._part, self._archive, self._left = part, archive, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview[int]") -> int:  # type: ignore[override]
        data = self._part.read(len(buffer))
        self._left -= len(data)
        self._archive.unpacked += len(data)
        if self._left < 0 or self._archive.unpacked > MOST_IN_ALL:
            raise ExtractionError(FailureReason.TOO_LARGE, "the file unpacks to more than is allowed")
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open a ZIP file. Raises ExtractionError."""
    try:
        with zipfile.ZipFile(path) as file:
            yield Archive(file)
    except (zipfile.BadZipFile, EOFError, ValueError) as exc:
        raise ExtractionError(FailureReason.CORRUPT, str(exc)) from exc


def resolved(base: str, target: str) -> str:
    """Return the part that `target` means in the part `base`, as a name in the archive."""
    target = unquote(target.partition("#")[0])
    if target.startswith("/"):
        return posixpath.normpath(target[1:])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), target))
