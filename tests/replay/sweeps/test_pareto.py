"""The Pareto front against its definition."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.replay.sweeps.pareto import Point, pareto_front

POINTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20)


def dominates(a: Point, b: Point) -> bool:
    return a[0] <= b[0] and a[1] <= b[1] and a != b


@given(POINTS)
def test_on_the_front_is_what_nothing_dominates(points: list[Point]) -> None:
    expected = [i for i, p in enumerate(points) if not any(dominates(q, p) for q in points)]
    assert pareto_front(points) == expected


def test_of_nothing_the_front_is_empty() -> None:
    assert pareto_front([]) == []
