"""Frozen values to and from plain dictionaries (what JSON can hold), and the checks they share."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from netem.quantities import MAX_QUANTITY

T = TypeVar("T")
Read = Callable[[Any], Any]


def _as_it_is(value: Any) -> Any:
    return value


def build(cls: type[T], data: Mapping[str, Any], **readers: Read) -> T:
    """Construct a dataclass from its fields; a missing or unknown field is a ValueError.

    `readers` make values of those fields that are not plain.
    """
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
    return cls(**{name: readers.get(name, _as_it_is)(value) for name, value in data.items()})


def each(read: Read = _as_it_is) -> Read:
    """A reader of lists, from a reader of what is in them."""

    def read_all(values: Any) -> tuple[Any, ...]:
        if not isinstance(values, list | tuple):
            raise ValueError(f"found {values!r}; expected a list")
        return tuple(read(value) for value in values)

    return read_all


def check_mapping(what: str, value: object) -> None:
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {value!r}; expected a mapping")


def check_int(what: str, value: object, minimum: int, maximum: int = MAX_QUANTITY) -> None:
    """A whole number within bounds; True and 1.0 are not."""
    if type(value) is not int or not minimum <= value <= maximum:
        bounds = f"from {minimum} to {maximum}"
        if maximum == MAX_QUANTITY and not (type(value) is int and value > maximum):
            bounds = f"of at least {minimum}"
        raise ValueError(f"{what} is {value!r}; expected a whole number {bounds}")


def check_text(what: str, value: object) -> None:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{what} is {value!r}; expected a name")
