"""Who writes the summary of a span: recorded answers, an offline extract, a model.

All follow the `Summarizer` protocol of `engine.summarizers.call`. A summarizer may fail: the
exceptions are classified by `engine.model_errors`, and the compressor retries or gives up. Add one
as a file here.
"""
