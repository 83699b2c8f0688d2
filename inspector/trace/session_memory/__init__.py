"""What session memory did: when notes took the messages' place, and when notes were updated.

Each decision is a `story`, whose end `verdicts` tells from the records and the notes; `decisions`
hands it over with its `gates`; `detail` is what is shown, with the notes as they were over time
(`versions`).

What the other processors did belongs in modules and packages beside this one.
"""
