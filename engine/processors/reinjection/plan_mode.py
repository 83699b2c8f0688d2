"""Whether the session is planning, and what that forbids."""

from __future__ import annotations

from engine.processors.reinjection.source import Source

_CONSTRAINTS = (
    "only_planning_is_allowed_do_not_implement",
    "do_not_modify_files_except_the_active",
    "use_read_only_exploration_tools_unless_editing",
    "end_planning_through_exit_plan_mode_when",
    "use_ask_user_only_for_clarification_or",
)


def plan_mode(source: Source) -> str:
    """Return the plan mode's lines; empty when the session is and was in normal mode."""
    state, line = source.plan_mode, source.wording.line
    mode = state.get("mode") or "normal"
    previous = state.get("pre_plan_mode")
    slug = state.get("plan_slug")
    if mode == "normal" and not slug and previous in (None, "", "normal"):
        return ""
    lines = [line("current_plan_mode_status_for_this_session"), line("active_mode_mode", mode=mode)]
    if previous:
        key = "previous_mode_before_entering_plan_mode_pre"
        lines.append(line(key, pre_plan_mode=previous))
    if slug:
        lines.append(line("active_plan_identifier_plan_slug", plan_slug=slug))
    if mode == "plan":
        lines += ["", line("plan_mode_constraints"), *map(line, _CONSTRAINTS)]
    return "\n".join(lines)
