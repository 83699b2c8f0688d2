"""The price table: what a million tokens cost, by model, and how each provider caches prompts.

The table ships as `resources/prices.json` and carries its date, for prices change. Whoever knows
better writes a file of the same form: a file named by the environment variable
`CONTEXT_INSPECTOR_PRICES`, or one given to `load_prices`, needs to hold only what differs, and what
it holds wins. A model that the table does not know gets the table's default model, by its name, so
that a reader sees whose prices were taken.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.resources import resource_path
from inspector.sources.fault import first_fault
from inspector.sources.regular_file import read_regular

OWN_PRICES: Final = "CONTEXT_INSPECTOR_PRICES"
"""Environment variable that names the user's own table."""

_DATE = re.compile(r"[-@]\d{4}-?\d{2}-?\d{2}$")


class PricesError(ValueError):
    """A price table cannot be read; the text says which, what is wrong, and what to do."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class CacheRule(_Frozen):
    """How a provider reuses what it has read before."""

    minimum: int = Field(ge=0)
    """Tokens that a prefix must have to be kept or found."""
    step: int = Field(default=1, ge=1)
    """Tokens by which a hit grows: a shared prefix is cut down to a whole number of them."""
    found: Literal["anywhere", "at_ends"] = "anywhere"
    """Where a hit may end: anywhere in the shared prefix, or only where an earlier request ended
    or its tools and system messages did."""
    note: str = ""
    """What is known, and from where."""


class Rates(_Frozen):
    """Prices of one request, in the table's currency per million tokens."""

    above: int = Field(default=0, ge=0)
    """These apply to requests of more than so many input tokens."""
    input: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    """None: nothing is read from a cache."""
    cache_write: float | None = Field(default=None, ge=0)
    """None: what enters the cache costs no more than other input."""
    output: float = Field(ge=0)


class ModelPrice(_Frozen):
    """What one model costs."""

    rates: tuple[Rates, ...] = Field(min_length=1)
    """By length of the request, shortest first; the first applies from 0 on."""
    cache: str | None = None
    """Name of the cache rule; None: nothing is cached."""
    source: str = ""
    checked: str = ""
    """Date of the copy or listing of the source that the figures were taken from."""

    @model_validator(mode="after")
    def _rates_rise(self) -> Self:
        starts = [rates.above for rates in self.rates]
        if starts[0] != 0 or starts != sorted(set(starts)):
            raise ValueError("rates must begin with above = 0 and rise")
        return self

    def rates_for(self, tokens: int) -> Rates:
        """Return the rates of a request with so many input tokens."""
        return [rates for rates in self.rates if not rates.above or tokens > rates.above][-1]


class Price(NamedTuple):
    """A model's prices and how its provider caches."""

    model: str
    """The model whose prices these are."""
    rates: ModelPrice
    cache: CacheRule | None = None
    lacking: str | None = None
    """The model that was asked for, where the table lacks it."""

    @property
    def asked(self) -> str:
        """What tells models apart: one that the table lacks by its own name."""
        return self.lacking or self.model


class PriceTable(_Frozen):
    """Prices of all known models."""

    date: str
    """Day on which the table was put together."""
    currency: str
    default: str
    """Model whose prices stand in for those of an unknown one."""
    caches: dict[str, CacheRule]
    models: dict[str, ModelPrice]

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        if self.find(self.default) is None:
            raise ValueError(f"the default model {self.default!r} has no prices")
        for name, price in self.models.items():
            if price.cache is not None and price.cache not in self.caches:
                raise ValueError(f"model {name!r}: there is no cache rule {price.cache!r}")
        return self

    def find(self, model: str) -> Price | None:
        """Return a model's prices; vendor prefix, date and spelling of the version do not count."""
        wanted = _plain(model)
        for name, rates in self.models.items():
            if _plain(name) == wanted:
                cache = self.caches.get(rates.cache) if rates.cache else None
                return Price(name, rates, cache)
        return None

    def price(self, model: str | None) -> Price:
        """Return a model's prices, or those of the default when it is None or unknown."""
        found = self.find(model) if model else None
        if found is not None:
            return found
        standing_in = self.find(self.default)
        assert standing_in is not None
        return standing_in._replace(lacking=model or None)


class _TableFile(BaseModel):
    """What a table on disk holds; the user's own may leave out anything."""

    model_config = ConfigDict(frozen=True, extra="allow")

    date: str | None = None
    currency: str | None = None
    default: str | None = None
    caches: dict[str, CacheRule] = Field(default_factory=dict)
    models: dict[str, ModelPrice] = Field(default_factory=dict)


def load_prices(own: Path | None = None) -> PriceTable:
    """Return the shipped table with the user's own entries over it.

    Args:
        own: the user's file; the one that the environment names when None, if it names any.

    Raises:
        PricesError: a file cannot be read or holds no prices.
    """
    if own is None and os.environ.get(OWN_PRICES):
        own = Path(os.environ[OWN_PRICES])
    shipped = _read(resource_path("prices.json"))
    mine = _read(own) if own is not None else _TableFile()
    merged = {
        "date": mine.date or shipped.date,
        "currency": mine.currency or shipped.currency,
        "default": mine.default or shipped.default,
        "caches": {**shipped.caches, **mine.caches},
        "models": {**shipped.models, **mine.models},
    }
    try:
        return PriceTable.model_validate(merged)
    except ValidationError as error:
        raise PricesError(_explained(own or Path("prices.json"), error)) from error


def _read(path: Path) -> _TableFile:
    try:
        return _TableFile.model_validate_json(read_regular(path))
    except OSError as error:
        raise PricesError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise PricesError(_explained(path, error)) from error


def _explained(path: Path, error: ValidationError) -> str:
    return (
        f"{path}: {first_fault(error)} "
        "(its form must be that of prices.json among the resources of the program)"
    )


def _plain(model: str) -> str:
    name = _DATE.sub("", model.rsplit("/", 1)[-1].lower())
    return name.replace(".", "-")
