"""What the window shows, as Qt models and plain structs: rows, selection, filter, explanations.

What both perspectives need lies here, what only one needs in `detail` (a decision's tabs) or
`replay`. Models paint nothing and read no files; they see the structs of `inspector.trace` and the
theme's tones. A new table is one file with a subclass of `row_table.RowTableModel`.
"""
