"""Recall: what a compression replaced is archived, searched, and handed back to the model.

`archive` writes one folder for a compression, `turns` says what stands in it, `retrieval` finds
passages again (a `result`), `ranking` scores their `plain_text`. The agent's model calls `tool` for
passages and `reload` for what an offloader stored. Nothing here decides whether anything is
compressed.
"""
