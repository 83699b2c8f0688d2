"""The plan mode (`engine.md` G (ii))."""

from typing import Any

import pytest

from tests.recovered import recovered

HEAD = "current_plan_mode_status_for_this_session"


@pytest.mark.parametrize(
    ("mode", "lines"),
    [
        ({}, None),
        ({"mode": "normal"}, None),
        ({"mode": None, "pre_plan_mode": "normal"}, None),
        ({"mode": "normal", "pre_plan_mode": ""}, None),
        (
            {"mode": "normal", "pre_plan_mode": "auto"},
            [HEAD, "active_mode_mode mode=normal", "previous_mode_before_entering_plan_mode_pre"
             " pre_plan_mode=auto"],
        ),
        (
            {"plan_slug": "blue"},
            [HEAD, "active_mode_mode mode=normal", "active_plan_identifier_plan_slug"
             " plan_slug=blue"],
        ),
        (
            {"mode": "plan"},
            [
                HEAD,
                "active_mode_mode mode=plan",
                "",
                "plan_mode_constraints",
                "only_planning_is_allowed_do_not_implement",
                "do_not_modify_files_except_the_active",
                "use_read_only_exploration_tools_unless_editing",
                "end_planning_through_exit_plan_mode_when",
                "use_ask_user_only_for_clarification_or",
            ],
        ),
    ],
)  # fmt: skip
def test_plan_mode(mode: dict[str, Any], lines: list[str] | None) -> None:
    sections = recovered(state={"plan_mode": mode})
    assert sections == ({"plan_mode": "\n".join(lines)} if lines else {})
