"""Settings of the engine itself; each processor has its own beside it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.debug.directories import DebugSetting

LARGEST_COUNT = 1 << 53
"""Above it, a share of a count is no longer exact: shares are taken in floating point."""

Count = Annotated[int, Field(le=LARGEST_COUNT)]
Positive = Annotated[Count, Field(gt=0)]


class CompressionRecallConfig(BaseModel):
    """Whether compressors archive the messages they replace, and in what pieces."""

    model_config = ConfigDict(frozen=True)

    enabled: bool = False
    """Archive what is replaced, and name the archive in the memory block."""
    chunk_size_tokens: Positive = 3000
    """Length of a piece, in tokens of four bytes."""
    chunk_overlap_tokens: Positive = 300
    """How much of a piece the next one repeats, in tokens of four bytes."""

    @model_validator(mode="after")
    def _overlap_is_smaller(self) -> Self:
        if self.chunk_overlap_tokens >= self.chunk_size_tokens:
            raise ValueError("chunk_overlap_tokens must be smaller than chunk_size_tokens")
        return self


class ContextEngineConfig(BaseModel):
    """Limits of buffer and window, capacity, and the switch of the request log."""

    model_config = ConfigDict(frozen=True)

    max_context_message_num: Positive | None = None
    """Messages that a context shows at most; the oldest beyond it fall away."""
    default_window_message_num: Positive | None = None
    """Messages of a window, system messages included, when the request names no `window_size`."""
    default_window_round_num: Positive | None = None
    """Dialogue rounds of a window when the request names no `dialogue_round`."""
    context_window_tokens: Positive | None = None
    """Capacity in tokens, before anything that a model's name would give."""
    model_name: str | None = None
    """Model whose capacity is looked up."""
    model_provider: str | None = None
    """Who offers the model."""
    enable_tiktoken_counter: bool = False
    """Count with tiktoken where neither a model nor a provider is named."""
    model_context_window_tokens: dict[str, Count] | None = None
    """Capacity in tokens by model name."""
    model_context_window_tokens_override: Count | None = None
    """Capacity in tokens of the selected model; beats the mapping by name."""
    enable_openrouter_model_context_window_tokens: bool = False
    """Look up on the network what neither settings nor the program know of a model."""
    openrouter_request_timeout: float = Field(default=3.0, gt=0)
    """Seconds that such a look-up may take."""
    compression_recall_config: CompressionRecallConfig = CompressionRecallConfig()
    """Archives of what compressors replace."""
    enable_context_debug: bool = False
    """Write every window request to `llm_request.jsonl`, and what no processor got to see."""
    context_debug_dir: str | None = None
    """Where; may hold `{session_id}` and `{context_id}`."""

    @property
    def debug(self) -> DebugSetting:
        """Whether and where to write what no processor writes."""
        return DebugSetting(self.enable_context_debug, self.context_debug_dir)
