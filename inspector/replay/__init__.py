"""Replay: a conversation through the engine again, with its own settings or with edited ones.

- What is replayed: `case`, made from a recording by `export` (and `recovery`) or of a `chat`, with
  `settings` or a `chain` edited, canaries `planted`, or branched at a `turn` (`branch`); `project`
  keeps a case with its runs. `detect` tells such files, `oddities` what to mind in a conversation.
- Who writes summaries: recorded replies, the offline extract, or a model whose `answers` are kept;
  `model_key` finds its key.
- Replaying: `runner`, from the start or behind a common head (`restart`); `session` is a case on
  the bench, with its baseline and candidates.
- What came of it: `report` on disk, `report_trace` and `run_trace` as a trace, `insights` for cost
  and retention, `comparison` of two traces.
- Many at once: `sweeps`, and `study` for masking against summary.
- What is taken home: `take_home`.

Nothing here paints, and nothing recorded is ever changed.
"""
