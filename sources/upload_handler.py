"""Receiving files: each is written to disk and closed at once, so that a thousand need no thousand open files."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler

_PIECE = 1 << 16


class ReceivedFile(UploadedFile):  # type: ignore[type-arg]  # not subscriptable at run time
    """An upload that lies on disk and is opened only while it is read; closing it at the request's end removes it."""

    def __init__(self, path: Path, name: str, size: int, content_type: str) -> None:
        self._path = path
        self._open: IO[bytes] | None = None
        super().__init__(None, name, content_type, size, None)

    @property
    def file(self) -> IO[bytes]:
        """The open file; opened when first asked for."""
        if self._open is None or self._open.closed:
            self._open = self._path.open("rb")
        return self._open

    @file.setter
    def file(self, value: object) -> None:
        """Django's base class sets None."""

    def temporary_file_path(self) -> str:
        """Say where it lies: the local storage moves it instead of copying."""
        return str(self._path)

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        """Yield the content piece by piece, with the file open only meanwhile."""
        with self._path.open("rb") as file:
            while piece := file.read(chunk_size or _PIECE):
                yield piece

    def close(self) -> None:
        """Close and remove it, unless the storage has taken it."""
        if self._open is not None:
            self._open.close()
        self._path.unlink(missing_ok=True)


class DiskUploadHandler(FileUploadHandler):
    """Writes each file to a temporary one, up to a byte more than is allowed: enough to see that it is too large."""

    _writing: IO[bytes] | None = None
    _path = ""

    def new_file(self, *args: object, **kwargs: object) -> None:
        """Begin with the next file."""
        super().new_file(*args, **kwargs)  # type: ignore[arg-type]  # passed through as Django gave them
        handle, self._path = tempfile.mkstemp(prefix="citeweb-upload-", dir=settings.FILE_UPLOAD_TEMP_DIR)
        self._writing = os.fdopen(handle, "wb")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a piece, as far as it is wanted."""
        room = settings.MAX_FILE_BYTES + 1 - start
        if self._writing is not None and room > 0:
            self._writing.write(raw_data[:room])

    def file_complete(self, file_size: int) -> ReceivedFile | None:
        """Close the file and hand it over."""
        if self._writing is None:
            return None
        self._writing.close()
        self._writing = None
        return ReceivedFile(Path(self._path), self.file_name or "", file_size, self.content_type or "")

    def upload_interrupted(self) -> None:
        """Remove what was written of a file that never came whole."""
        if self._writing is not None:
            self._writing.close()
            self._writing = None
            Path(self._path).unlink(missing_ok=True)
