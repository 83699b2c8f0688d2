"""Summaries by a model, beyond those that were recorded.

`answers` are what models said, kept in a project or a file; `kept_summarizer` asks one only what it
did not answer before. `cost_of_asking` is told first; `model_key` finds and keeps the key of an
endpoint.

How a model is asked is the engine's (`engine.summarizers`); no key is ever written to a file here.
"""
