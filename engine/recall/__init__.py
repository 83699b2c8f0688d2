"""Recall: what a compression replaced is archived, searched, and handed back to the model.

`archive` writes one folder for a compression, `turns` says what stands in it, `retrieval` finds
passages again, `ranking` scores them, `tool` is what the agent's model calls. Nothing here decides
whether anything is compressed.
"""
