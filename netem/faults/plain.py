"""Frozen values to and from plain dictionaries (what JSON can hold), and the checks they share."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from netem.quantities import MAX_QUANTITY

T = TypeVar("T")


def build(cls: type[T], data: Mapping[str, Any]) -> T:
    """Construct a dataclass from its fields; a missing or unknown field is a ValueError."""
    check_mapping(cls.__name__, data)
    known = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]
    unknown = [name for name in data if name not in known]
    missing = [
        name
        for name, field in known.items()
        if name not in data and field.default is MISSING and field.default_factory is MISSING
    ]
    if unknown:
        raise ValueError(f"{cls.__name__} has no field {unknown[0]!r}; expected {list(known)}")
    if missing:
        raise ValueError(f"{cls.__name__} lacks the field {missing[0]!r}")
    return cls(**data)


def check_mapping(what: str, value: object) -> None:
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {value!r}; expected a mapping")


def check_int(what: str, value: object, minimum: int, maximum: int = MAX_QUANTITY) -> None:
    """A whole number within bounds; True and 1.0 are not."""
    if type(value) is not int or not minimum <= value <= maximum:
        upper = "" if maximum == MAX_QUANTITY else f" to {maximum}"
        bounds = f"from {minimum}{upper}" if upper else f"of at least {minimum}"
        raise ValueError(f"{what} is {value!r}; expected a whole number {bounds}")


def check_text(what: str, value: object) -> None:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{what} is {value!r}; expected a name")
