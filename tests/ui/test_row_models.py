"""The models behind every list: Qt's own tester, and what their cells say."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Any, get_args

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.modeltest import ModelTester

from inspector.trace.context_trace import NO_NUMBER, NO_NUMBER_SAVED
from inspector.trace.decision import Decision, Gate, Outcome
from inspector.trace.detail import Fate, TraceMessage, Zone
from inspector.trace.opened import Opened, open_traces
from inspector.ui import theme
from inspector.ui.models.decision_table import (
    OUTCOME,
    PROCESSOR,
    REASON,
    SAVED,
    STEP,
    TIME,
    TOKENS,
    TOOK,
    DecisionTableModel,
)
from inspector.ui.models.detail.fact_list import FactListModel
from inspector.ui.models.detail.gate_list import GateListModel
from inspector.ui.models.detail.message_list import MessageListModel, tie_rows
from inspector.ui.models.detail.part_list import (
    PartListModel,
    record_parts,
    summary_parts,
)
from inspector.ui.models.detail.request_list import RequestListModel
from inspector.ui.models.detail.retry_list import RetryListModel
from inspector.ui.models.detail.window_diff import WindowDiffModel, row_runs
from inspector.ui.models.marks import FATE_MARKS, OUTCOMES, ZONE_MARKS
from inspector.ui.models.row_table import Cell, RowTableModel
from inspector.ui.models.selection import Filter, Selection
from inspector.ui.models.source_nodes import source_nodes
from inspector.ui.models.source_tree import Node, SourceTreeModel
from inspector.ui.widgets.cell_painter import cell_width, paint_cell
from tests.debug_files import DebugFolder, record
from tests.ui.fake_trace import (
    DETAIL,
    MESSAGES,
    REQUEST,
    SPAN,
    SUMMARY,
    TIES,
    WINDOWS,
    FakeTrace,
)

GAVE_UP, COMPRESSED, DECLINED = 118, 28, 0
DESCENDING = Qt.SortOrder.DescendingOrder


def decision(row: int) -> Decision:
    return FakeTrace(600).decision(row)


def models() -> list[QAbstractItemModel]:
    gates, facts, retries = GateListModel(), FactListModel(), RetryListModel()
    messages, windows, parts = MessageListModel(), WindowDiffModel(), PartListModel()
    request, tree = RequestListModel(), SourceTreeModel()
    gates.show_decision(decision(GAVE_UP))
    facts.show_decision(decision(GAVE_UP))
    retries.show_retries(decision(GAVE_UP).retries)
    messages.show_span(SPAN, estimated=True)
    windows.show_windows(WINDOWS, estimated=True)
    parts.show_parts(summary_parts(SUMMARY))
    request.show_request(REQUEST, estimated=True)
    leaf = Node("context", "main", "3 steps")
    tree.show_nodes(
        [Node("section", "SOURCES", children=(leaf, leaf)), Node("section", "PROBLEMS")]
    )
    return [gates, facts, retries, messages, windows, parts, request, tree]


@pytest.mark.parametrize("model", models(), ids=lambda model: type(model).__name__)
def test_qts_model_tester_finds_nothing(
    model: QAbstractItemModel, qtmodeltester: ModelTester
) -> None:
    assert model.rowCount() > 0
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]


def test_qts_model_tester_finds_nothing_while_the_decisions_change(
    qtmodeltester: ModelTester,
) -> None:
    selection = Selection()
    model = DecisionTableModel(selection)
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]
    selection.reset(FakeTrace(600))
    model.sort(SAVED, DESCENDING)
    selection.set_filter(Filter((5, 20)))
    selection.show_trace(FakeTrace(0))
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]


@pytest.fixture
def selection() -> Selection:
    made = Selection()
    made.reset(FakeTrace(600))
    return made


@pytest.fixture
def table(selection: Selection) -> DecisionTableModel:
    return DecisionTableModel(selection)


def texts(model: RowTableModel, row: int) -> list[str]:
    cells = [model.cell(row, column) for column in range(len(model.COLUMNS))]
    return [cell.text + cell.aside for cell in cells]


def test_a_compression_is_a_row(table: DecisionTableModel) -> None:
    row = texts(table, COMPRESSED)
    assert row[STEP:] == [
        "10",
        "CurrentRoundCompressor",
        "compressed",
        "—",
        "~19,820 / 19,200",
        "~16,820",
        "1.5 s",
    ]
    mark = table.cell(COMPRESSED, OUTCOME).mark
    assert mark is not None
    assert (mark.shape, mark.hollow) == ("triangle", False)


def test_an_inferred_give_up_is_hollow_and_says_so(table: DecisionTableModel) -> None:
    mark = table.cell(GAVE_UP, OUTCOME).mark
    assert mark is not None
    assert (mark.shape, mark.hollow) == ("cross", True)
    assert texts(table, GAVE_UP)[REASON] == "no_benefit? · inferred"


def test_what_is_unknown_is_a_dash(selection: Selection, table: DecisionTableModel) -> None:
    assert selection.trace is not None
    columns = selection.trace.decisions
    columns.step[0], columns.time[0] = 0, float("nan")
    columns.total[0] = columns.threshold[0] = NO_NUMBER
    assert texts(table, 0) == [
        "—",
        "—",
        "DialogueCompressor",
        "declined",
        "below_threshold",
    ] + 3 * ["—"]


def test_growth_is_red_and_signed(selection: Selection, table: DecisionTableModel) -> None:
    assert selection.trace is not None
    selection.trace.decisions.saved[0] = -1
    cell = table.cell(0, SAVED)
    assert (cell.text, cell.tone) == ("~−1", "failure")


@pytest.mark.parametrize("column", [TIME, STEP, PROCESSOR, OUTCOME, REASON, TOKENS, SAVED, TOOK])
def test_sorting_orders_and_keeps_time_among_equals(
    selection: Selection, table: DecisionTableModel, column: int
) -> None:
    table.sort(column, Qt.SortOrder.AscendingOrder)
    up = [table.trace_row(row) for row in range(600)]
    table.sort(column, DESCENDING)
    down = [table.trace_row(row) for row in range(600)]
    assert sorted(up) == sorted(down) == list(range(600))
    assert selection.trace is not None
    columns = selection.trace.decisions
    keys: dict[int, Callable[[int], Any]] = {
        TIME: lambda row: row,
        STEP: lambda row: columns.step[row],
        PROCESSOR: lambda row: columns.processors[columns.processor[row]],
        OUTCOME: lambda row: columns.outcomes[columns.outcome[row]],
        REASON: lambda row: (
            columns.reasons[columns.reason[row]] if columns.reason[row] >= 0 else None
        ),
        TOKENS: lambda row: columns.total[row],
        SAVED: lambda row: columns.saved[row] if columns.saved[row] != NO_NUMBER_SAVED else None,
        TOOK: lambda row: columns.duration[row] if columns.duration[row] > 0 else None,
    }
    key = keys[column]
    known = [row for row in range(600) if key(row) is not None]
    unknown = [row for row in range(600) if key(row) is None]
    assert up == sorted(known, key=key) + unknown
    assert down == sorted(known, key=key, reverse=True) + unknown


def test_the_order_holds_while_the_filter_changes(
    selection: Selection, table: DecisionTableModel
) -> None:
    table.sort(TOKENS, DESCENDING)
    selection.set_filter(Filter((1, 12)))
    assert [table.trace_row(row) for row in range(3)] == [27, 28, 29]
    assert table.listed_row(27) == 0
    assert table.listed_row(500) is None


def test_markup_in_a_tool_tip_stays_text() -> None:
    model = MessageListModel()
    text = TraceMessage(0, "user", "<b>bold</b><img src=x>", 3)
    model.show_messages([text], [ZONE_MARKS["tail"]], estimated=False)
    tip = model.data(model.index(0, 3), Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;" in tip
    assert model.data(model.index(0, 3)) == "<b>bold</b><img src=x>"


def test_a_screen_reader_hears_the_mark(table: DecisionTableModel) -> None:
    index = table.index(COMPRESSED, OUTCOME)
    assert "compressed" in table.data(index, Qt.ItemDataRole.AccessibleTextRole)
    messages = MessageListModel()
    messages.show_span(SPAN, estimated=True)
    spoken = messages.data(messages.index(1, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "to compress"


def test_messages_tell_calls_and_answers() -> None:
    model = MessageListModel()
    model.show_span(SPAN, estimated=True)
    assert texts(model, 1)[1:] == ["2", "assistant", "calls read_file → call_0007", "~58"]
    assert texts(model, 5)[3].startswith("↳ call_0021 3 failed, 128 passed")
    assert "\\x1b[31m <b>bold</b>" in texts(model, 5)[3]


def test_rows_of_a_call_know_each_other() -> None:
    ties = tie_rows(MESSAGES, TIES)
    assert ties[1] == ties[2] == {1, 2}
    assert ties[4] == {4, 5, 6}
    assert ties[5] == {4, 5}
    assert 0 not in ties


def test_a_tie_whose_call_is_gone_lights_its_result_only() -> None:
    orphan = TIES[0].__class__("call_x", "bash", None, (5,))
    assert tie_rows(MESSAGES, [orphan]) == {5: {5}}


def test_gates_after_the_deciding_one_are_not_reached() -> None:
    model = GateListModel()
    model.show_decision(decision(DECLINED))
    assert [model.reached(row) for row in range(7)] == [True, True] + 5 * [False]
    assert model.verdict(1).told == "stopped here"
    assert model.verdict(3).told == "not reached"
    assert texts(model, 1)[2:5] == ["~2,000", "19,200", "−17,200"]
    assert texts(model, 3)[2:] == ["not reached", *5 * [""]]


def test_gates_behind_an_open_cause_are_not_known() -> None:
    model = GateListModel()
    model.show_decision(decision(GAVE_UP))
    verdicts = [model.verdict(row).told for row in range(7)]
    assert verdicts == [*4 * ["passed"], *3 * ["not known"]]


def test_all_gates_of_a_compression_are_passed() -> None:
    model = GateListModel()
    model.show_decision(decision(COMPRESSED))
    assert {model.verdict(row).told for row in range(7)} == {"passed"}
    assert model.fill(1) == pytest.approx((0.8, 0.8 * 19_200 / 19_820))


def test_a_gate_that_others_were_passed_behind_stopped_nothing() -> None:
    kept = {"size": True, "protected": True, "rule": False, "write": True}
    gates = [Gate(gate=name, passed=passed) for name, passed in kept.items()]
    model = GateListModel()
    model.show_decision(decision(COMPRESSED).model_copy(update={"gates": gates}))
    assert [model.verdict(row).told for row in range(4)] == ["passed", "passed", "not so", "passed"]
    assert model.reached(3)


def test_facts_leave_out_what_is_unknown() -> None:
    model = FactListModel()
    model.show_decision(decision(GAVE_UP))
    facts = {name: value for name, value, _ in model.facts}
    assert facts["possible causes"].startswith("1.  no_benefit")
    assert facts["messages"] == "1 prefix · 3 to compress · 3 tail"
    assert "context messages" not in facts


def test_windows_are_aligned_row_by_row() -> None:
    model = WindowDiffModel()
    model.show_windows(WINDOWS, estimated=True)
    assert texts(model, 1) == ["assistant  calls read_file → call_0007", "~58", "", "", ""]
    written = model.cell(4, 2).mark
    assert written is not None
    assert written.told == "written"
    assert texts(model, 4)[3].startswith("user  <memory_block_current>")


def test_a_changed_message_is_read_as_a_difference() -> None:
    runs = row_runs(WINDOWS.rows[-1], estimated=True)
    styles = {run.style for run in runs}
    assert {"removed", "removed_part", "added"} <= styles
    assert "".join(run.text for run in runs if run.style.startswith("added")).startswith(
        "+ 3 failed"
    )


def test_a_summary_keeps_coverage_and_raw_apart() -> None:
    parts = summary_parts(SUMMARY)
    assert [(part.name, part.quiet) for part in parts] == [
        ("Summary as used", False),
        ("Task", False),
        ("Files", False),
        ("Coverage check", True),
        ("Raw answer", True),
    ]
    assert "all there" not in "".join(run.text for run in parts[0].runs)


def test_a_request_is_told_in_the_order_of_sending() -> None:
    model = RequestListModel()
    model.show_request(REQUEST, estimated=True)
    rows = [texts(model, row) for row in range(model.row_count())]
    assert rows[0] == ["system", "You are careful.", "~12"]
    assert rows[model.prompt_row()] == ["prompt", "Write a summary.", "16 chars"]
    assert rows[-1] == ["schema", "read_file", ""]
    assert "".join(run.text for run in model.runs(2)).count("src/窗口.py") == 1


def test_a_record_names_its_place() -> None:
    part = record_parts(DETAIL.records)[0]
    assert part.runs[0].text == "a/b.jsonl @ 88,214 · 120 B\n"


def test_every_outcome_zone_and_fate_has_a_look() -> None:
    assert set(OUTCOMES) == set(get_args(Outcome))
    assert set(ZONE_MARKS) == set(get_args(Zone))
    assert set(FATE_MARKS) == set(get_args(Fate))


def test_the_tree_gives_parents_to_children() -> None:
    model = SourceTreeModel()
    leaf = Node("context", "main", "3 steps", tip="<i>tip</i>")
    model.show_nodes(
        [Node("section", "SOURCES", children=(Node("session", "s", children=(leaf,)),))]
    )
    section = model.index(0, 0)
    session = model.index(0, 0, section)
    context = model.index(0, 0, session)
    assert model.data(context) == "main 3 steps"
    assert model.parent(context) == session
    assert model.parent(session) == section
    assert model.parent(section) == QModelIndex()
    assert not model.flags(section) & Qt.ItemFlag.ItemIsSelectable
    assert "&lt;i&gt;" in model.data(context, Qt.ItemDataRole.ToolTipRole)


def test_a_session_stands_below_the_path_that_tells_of_it(tmp_path: Path) -> None:
    roots = []
    for session in ("first", "second"):
        folder = DebugFolder(tmp_path / session)
        folder.write([record("pre_call", "llm_request", 1, session_id=session, messages=[])])
        roots.append(str(folder.root))
    [section] = source_nodes(roots, open_traces(roots))
    below = {
        root.label: [node.label for node in root.children if node.kind == "session"]
        for root in section.children
    }
    assert below == {"first": ["first"], "second": ["second"]}


def test_a_context_tells_what_was_done_in_signs_and_in_words() -> None:
    made_up = Opened((), (FakeTrace(600),))  # type: ignore[arg-type]
    [section] = source_nodes(["agent"], made_up)
    [session] = section.children[0].children
    [context] = session.children
    assert context.aside == "200 steps · 15▼ 5✕"
    assert context.tip.split("\n")[1:] == ["200 steps", "15 compressed", "5 gave up"]


@pytest.mark.usefixtures("qapp")
def test_a_number_that_does_not_fit_is_left_out_whole() -> None:
    width = ceil(cell_width(Cell("main", aside="  120 steps …")))

    def painted(aside: str) -> QImage:
        image = QImage(width, 22, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        paint_cell(painter, QRectF(image.rect()), Cell("main", aside=aside), theme.LIGHT)
        painter.end()
        return image

    assert painted("  120 steps · 10▼ 24✕") == painted("  120 steps …")
    assert painted("  120 steps") != painted("  120 steps …")
