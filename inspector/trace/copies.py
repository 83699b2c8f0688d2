"""Records that stand in two files: a copied or rotated log must not tell everything twice.

Two records are the same if all that the index knows of them is equal, their length included, and
they come from different files; equal records of one file are several. Times differ by microseconds,
so equal ones are rare, and only their rows are looked at closely: O(n) besides the sorting that is
done anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def copied(
    moment: NDArray[Any], file: NDArray[np.int32], others: Sequence[NDArray[Any]]
) -> NDArray[np.bool_]:
    """Mark the rows that repeat a row of an earlier file.

    Args:
        moment: What most rows differ in.
        file: Index of each row's file.
        others: What else makes up a row.
    """
    found = np.zeros(len(moment), np.bool_)
    order = np.argsort(moment, kind="stable")
    in_order = moment[order]
    shared = (in_order[1:] == in_order[:-1]) & (file[order[1:]] != file[order[:-1]])
    if not shared.any():
        return found
    rows = np.flatnonzero(np.isin(moment, in_order[1:][shared]))
    columns: list[NDArray[Any]] = [moment[rows], *(column[rows] for column in others)]
    by_file = np.lexsort(_keys(rows, file[rows], columns))
    occurrence = _ranks([*columns, file[rows]], by_file)
    by_row = np.lexsort(_keys(file[rows], occurrence, columns))
    found[rows[by_row]] = _ranks([*columns, occurrence], by_row)[by_row] > 0
    return found


def _keys(
    least: NDArray[Any], less: NDArray[Any], columns: Sequence[NDArray[Any]]
) -> list[NDArray[Any]]:
    return [least, less, *columns]


def _ranks(columns: Sequence[NDArray[Any]], order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Number the rows that are equal in all columns, in an order that puts them together."""
    new = np.ones(len(order), np.bool_)
    if len(order) > 1:
        new[1:] = np.any([column[order][1:] != column[order][:-1] for column in columns], axis=0)
    first = np.flatnonzero(new)
    position = np.arange(len(order))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = position - first[np.searchsorted(first, position, side="right") - 1]
    return ranks
