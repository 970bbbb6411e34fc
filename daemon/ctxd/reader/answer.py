"""The form of an answer: what a reader is held to, and what is read of what it says.

The schema that backends are given is made from these models. Every field is required and nothing
else is allowed, as the strictest of the APIs want it; what is not known is null or empty.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ctxd.item import Authority, Durability, Kind


class FoundItem(BaseModel):
    """One item, as a reader writes it down."""

    model_config = ConfigDict(extra="ignore")

    turn: int
    """Number of the turn whose words bind it."""
    quote: str
    """Of these words, verbatim."""
    from_turn: int | None
    """Number of the turn in which the agent proposed it."""
    proposal_quote: str | None
    """Of the proposal, verbatim."""
    statement: str
    kind: Kind
    reason: str
    rejected: list[str]
    scope: list[str]
    authority: Authority
    durability: Durability
    sure: int
    candidate: str | None
    """Label of the candidate that says the same: `c3`."""
    supersedes: list[str]
    """Labels of candidates and of earlier items that it overturns: `c1`, `k2`."""


class Answer(BaseModel):
    """What a reader makes of a chunk."""

    model_config = ConfigDict(extra="ignore")

    items: list[FoundItem]
    not_items: list[str]
    """Labels of candidates that are none."""


def first_fault(error: ValidationError) -> tuple[str, str]:
    """The field that is wrong first, and why; no field where it is the whole. Tells nothing of what
    was given."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return ".".join(map(str, first["loc"])), str(first["msg"])


def schema() -> dict[str, Any]:
    """JSON Schema of an answer, without references and in the strict form."""
    return strict(Answer)


def strict(model: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of a model without references, in the form that holds a reader to it."""
    made = model.model_json_schema()
    definitions = made.pop("$defs", {})

    def plain(part: Any) -> Any:
        if isinstance(part, list):
            return [plain(one) for one in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return plain(definitions[part["$ref"].rpartition("/")[2]])
        kept = {
            k: plain(v) for k, v in part.items() if k not in ("title", "description", "default")
        }
        if kept.get("type") == "object":
            kept["additionalProperties"] = False
            kept["required"] = list(kept.get("properties", {}))
        return kept

    return plain(made)  # type: ignore[no-any-return]


_DROPPED = ("title", "description", "default")
"""Says nothing that the prompt does not say, and not every API takes it."""
