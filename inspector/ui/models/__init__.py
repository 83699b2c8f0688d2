"""What the window shows, as Qt models and plain structs: rows, selection, filter, explanations.

Models paint nothing and read no files; they see the structs of `inspector.trace` and the theme's
tones. A new table is one file with a subclass of `row_table.RowTableModel`.
"""
