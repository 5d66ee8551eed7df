"""The attributes of arrays that are no numbers to differentiate: ``shape``, ``ndim`` and others."""

from __future__ import annotations


class Metadata:
    """The function object behind a metadata attribute such as ``.shape``."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __repr__(self) -> str:
        return f".{self.__name__}"


METADATA = {
    name: Metadata(name) for name in ("shape", "ndim", "size", "dtype", "itemsize", "nbytes")
}
