"""Files that hold one JSON document or text: the head of each, and the whole of it on demand.

One module for each kind: a struct of the keys that are wanted, a head made of them, and a function
that reads the head of a `Part` of a file and says what is damaged. A new kind is one module here,
one rule in `detect` and one line in `scan`.
"""
