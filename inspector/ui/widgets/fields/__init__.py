"""What settings are read off and typed into: fields, sliders, and what stands beside them.

A field knows nothing of where its value belongs. A new kind of setting is one editor in
`setting_editors`.
"""
