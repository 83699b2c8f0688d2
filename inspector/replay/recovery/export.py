"""A recorded session as a replay case: conversation, settings, recorded answers.

What the files do not hold is assumed and said so: `assumed` lists settings of which a recording
shows only a consequence, `possible` the values that would have had the same consequences, `gaps`
what is missing.
"""

from __future__ import annotations

from itertools import chain

from engine.debug.records import CompressionDump
from inspector.replay.cases.case import Case, CaseError, Origin
from inspector.replay.cases.case_file import CaseFile
from inspector.replay.recovery.archives import recovered_recall
from inspector.replay.recovery.conversation import recover
from inspector.replay.recovery.evidence import RecordedAttempt, read_evidence
from inspector.replay.recovery.files import recovered_files
from inspector.replay.recovery.frame import recovered_frame
from inspector.replay.recovery.layout import laid_out
from inspector.replay.recovery.notes import notes_as_written, recovered_notes
from inspector.replay.recovery.offloads import recovered_pauses
from inspector.replay.recovery.originals import lost_originals, recovered_workspace
from inspector.replay.recovery.replies import recovered_replies
from inspector.replay.recovery.settings import recover_settings
from inspector.replay.recovery.wording import recovered_wording
from inspector.trace.recording import Recording


def export_case(trace: Recording) -> CaseFile:
    """Return the case of a recorded context.

    Raises:
        CaseError: no file holds the messages of this context.
    """
    evidence = read_evidence(trace)
    others = [decision for mine in evidence.others.values() for decision in mine]
    frame = recovered_frame(evidence.steps)
    found = recover(evidence.steps, evidence.originals, frame)
    if not found.steps:
        raise CaseError(
            f"session {trace.session_id}, context {trace.context_id}: no dump and no request log "
            "holds its messages, so there is nothing to replay; records show previews only. "
            "Switch compression dumps on in openJiuwen to have them."
        )
    attempts = [a for a in evidence.attempts if a.step <= found.last_step]
    settings = recover_settings(trace, evidence, found)
    names = [name for name, _ in settings.chain]
    before = recovered_pauses(others, trace.steps)
    before |= notes_as_written(evidence.steps, evidence.others)
    layout = laid_out(found, names, before)
    replies, reply_gaps = recovered_replies(attempts)
    notes = recovered_notes(evidence.steps, evidence.others)
    recall = recovered_recall(trace, evidence.steps)
    files = recovered_files(trace.session_id, evidence.paths, _dumps(attempts), trace.is_open)
    workspace = recovered_workspace(trace.session_id, found.shown)
    lost = lost_originals(found.shown, evidence.originals, others)
    gaps = (found.gaps, settings.gaps, reply_gaps, notes.gaps, files.gaps, workspace.gaps, lost)
    case = Case(
        id=f"{trace.session_id}-{trace.context_id}",
        title=f"recorded session {trace.session_id}",
        workspace=workspace.path,
        session_id=trace.session_id,
        context_id=trace.context_id,
        context_window_tokens=trace.capacity,
        token_counter=frame.counter,
        workspace_files=files.texts,
        processors=settings.chain,
        recall=recall.config or False,
        system_messages=frame.system,
        messages=layout.messages,
        tools=frame.tools,
        groups=layout.groups,
        actions=layout.actions,
        replies=replies,
        notes=notes.replies,
        wording=recovered_wording(_dumps(attempts)),
        origin=Origin(
            paths=evidence.paths,
            session_id=trace.session_id,
            context_id=trace.context_id,
            first_step=1,
            last_step=found.last_step,
        ),
        assumed=settings.assumed | recall.assumed | {"token_counter": frame.counter},
        possible=settings.possible,
        gaps=sorted(chain.from_iterable(gaps), key=lambda gap: gap.step or 0),
    )
    return CaseFile(case=case)


def _dumps(attempts: list[RecordedAttempt]) -> list[CompressionDump]:
    return [attempt.dump for attempt in attempts if attempt.dump is not None]
