"""A summary's sections."""

from inspector.trace.compressions.summary import sections_of


def test_sections_follow_their_headings() -> None:
    text = (
        "before\n## 1. Active Task\n- do it\n\n**Critical Context:**\nnone\nRelevant Files\n- a.py"
    )
    assert [(s.heading, s.text) for s in sections_of(text)] == [
        ("", "before"),
        ("Active Task", "- do it"),
        ("Critical Context", "none"),
        ("Relevant Files", "- a.py"),
    ]


def test_a_text_without_headings_is_one_section() -> None:
    assert [(s.heading, s.text) for s in sections_of("- a\n- b # not one")] == [
        ("", "- a\n- b # not one")
    ]
    assert sections_of("") == ()
