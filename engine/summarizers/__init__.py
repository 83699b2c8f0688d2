"""Who writes the summary of a span: `recorded` answers, an `extractive` one, a model (`openai`).

All follow the `Summarizer` protocol of `engine.summarizers.call`. A summarizer may fail: the
exceptions are classified by `engine.errors.model_calls`, and the compressor retries or gives up.
Add one as a file here. The extract chooses among `passages` of `source_lines`, whose `line_kinds`
the `cues` tell.
"""
