"""Templates: texts with placeholders, `{name}` or `{name or 'default'}`.

They are filled in one pass and nothing else is touched: braces of a value, or of the text around,
stay as they are.
"""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict

_PLACEHOLDER = re.compile(r"\{(\w+)(?: or '([^']*)')?\}")


def fill(template: str, **values: object) -> str:
    """Replace the placeholders that have a value; an empty value takes the default, if any."""

    def replacement(match: re.Match[str]) -> str:
        name, default = match.groups()
        if name not in values:
            return match.group()
        value = values[name]
        return default if default is not None and not value else str(value)

    return _PLACEHOLDER.sub(replacement, template)


class Texts(BaseModel):
    """Texts that belong together; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")
