"""BM25: how well texts answer a query (`engine.md` §5.9).

Each term of the query adds `idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / average))` with
`idf = ln(1 + (N - n + 0.5) / (n + 0.5))`; it stands f times in the text, and in n of N texts
(Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

K1 = 1.5
B = 0.75

_WORD = re.compile(r"[a-z0-9_]+")
_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")


def terms(text: str) -> list[str]:
    """Return the terms of a text: words, parts of words with underscores, CJK characters, pairs."""
    text = text.lower()
    found: list[str] = []
    for word in _WORD.findall(text):
        found.append(word)
        if "_" in word:
            found += [part for part in word.split("_") if part]
    for run in _CJK.findall(text):
        found += run
        found += [run[i : i + 2] for i in range(len(run) - 1)]
    return found


def scores(query: str, texts: Sequence[str]) -> list[float]:
    """Return the score of each text; 0 where it holds no term of the query."""
    wanted = set(terms(query))
    counted = [Counter(terms(text)) for text in texts]
    lengths = [counts.total() for counts in counted]
    average = sum(lengths) / len(lengths) if lengths else 0.0
    idf = {}
    for term in wanted:
        holding = sum(term in counts for counts in counted)
        idf[term] = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
    made = []
    for counts, length in zip(counted, lengths, strict=True):
        norm = K1 * (1 - B + B * length / average) if average else K1
        found = ((idf[term], counts[term]) for term in sorted(wanted) if counts[term])
        made.append(sum(rarity * f * (K1 + 1) / (f + norm) for rarity, f in found))
    return made
