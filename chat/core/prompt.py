"""Temporary minimal version."""

from dataclasses import dataclass
from enum import StrEnum


class MarkerStyle(StrEnum):
    PRIVATE_USE = "private_use"
    ASCII = "ascii"


class Role(StrEnum):
    DEVELOPER = "developer"
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"

    @property
    def is_rules(self) -> bool:
        return self in (Role.DEVELOPER, Role.SYSTEM)


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class HistoryTurn:
    question: str
    answer: str
