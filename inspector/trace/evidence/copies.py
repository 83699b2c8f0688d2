"""Records that stand there twice: a copied, rotated or glued log must not tell everything twice.

Two records are the same if all that the index knows of them is equal, their length included. Equal
records that follow each other in a file may be several, for some are written in pairs. Times differ
by microseconds, so equal ones are rare, and only their rows are looked at closely: O(n log n).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def copied(
    moment: NDArray[np.generic],
    file: NDArray[np.int32],
    row: NDArray[np.int32] | None,
    others: Sequence[NDArray[Any]],
) -> NDArray[np.bool_]:
    """Mark the records that repeat an earlier one.

    Args:
        moment: What most records differ in.
        file: Index of each record's file.
        row: Its row there; None: only records of different files repeat each other.
        others: What else makes up a record.
    """
    found = np.zeros(len(moment), np.bool_)
    place = np.arange(len(moment)) if row is None else row
    order = np.argsort(moment, kind="stable")
    same = moment[order[1:]] == moment[order[:-1]]
    shared = same & _apart(file[order], None if row is None else row[order])
    if not shared.any():
        return found
    rows = np.flatnonzero(np.isin(moment, moment[order[1:]][shared]))
    columns: list[NDArray[Any]] = [moment[rows], *(column[rows] for column in others)]
    by_place = np.lexsort([place[rows], file[rows], *columns])
    inside = rows[by_place]
    starts = _changes(columns, by_place)
    starts[1:] |= _apart(file[inside], None if row is None else row[inside])
    turn = np.empty(len(rows), np.int64)
    turn[by_place] = _since(starts)
    by_turn = np.lexsort([place[rows], file[rows], turn, *columns])
    found[rows[by_turn]] = ~_changes([*columns, turn], by_turn)
    return found


def _apart(file: NDArray[np.int32], row: NDArray[np.int32] | None) -> NDArray[np.bool_]:
    """Tell for each record but the first whether it does not follow the one before in its file."""
    apart: NDArray[np.bool_] = file[1:] != file[:-1]
    return apart if row is None else apart | (row[1:] != row[:-1] + 1)


def _changes(columns: Sequence[NDArray[Any]], order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell for each record, in an order, whether it differs from the one before."""
    new = np.ones(len(order), np.bool_)
    new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    return new


def _since(starts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many records lie between each one and the last start."""
    first = np.flatnonzero(starts)
    position = np.arange(len(starts))
    return position - first[np.searchsorted(first, position, side="right") - 1]
