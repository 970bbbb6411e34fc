"""What a compaction of Codex leaves in the window.

Since 0.144 the log holds the whole new history: context blocks, the user's prompts, the summary.
Before, it holds the summary alone, and the prompts that stay are recomputed as the client does it:
from the newest back while they fit into 20,000 tokens of four bytes; the one that does not fit is
cut in its middle, and older ones are gone (measured with 0.171, the same in the source of 0.57 and
0.98). All the agent said and did is gone.

With a remote compaction the summary is encrypted: readable by the provider alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ctxd_parsers import codex_rows as rows
from ctxd_parsers import events
from ctxd_parsers.codex_state import At, Prompt, State
from ctxd_parsers.decoding import Part
from ctxd_parsers.events import Event
from ctxd_parsers.limits import PROMPTS_REMEMBERED
from ctxd_parsers.values import derived_id

_COMPACTED = Part(rows.Compacted)

PROMPT_TOKENS = 20_000
"""What the client keeps of the user's prompts."""
_TOKEN_BYTES = 4
"""How the client estimates tokens."""
_OPAQUE = {"compaction", "compaction_summary", "context_compaction"}
_PREFIX = "Another language model started to solve this problem"
_PREFIX_END = re.compile(r"(?:your own analysis|in your own analysis):\s*")
_PREFIX_CHARS = 1000
"""Where the client's words before a summary end at the latest; they have about 400 characters."""

_INJECTED = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<permissions",
    "<skill",
    "<subagent_notification>",
    "<user_shell_command>",
    "Another language model started to solve this problem",
)
"""How text begins that older clients also told as a `user_message`, or might."""

_FILE = "# AGENTS.md instructions"
_OLD_FILE = "<user_instructions>"
_BEGIN, _END = "<INSTRUCTIONS>\n", "\n</INSTRUCTIONS>"
_REPLACES = "These AGENTS.md instructions replace all previously provided AGENTS.md instructions."
_GONE = "The previously provided AGENTS.md instructions no longer apply."
"""What the client writes before files that changed, and in the place of those that are gone."""
_SKILLS = "\n\n## Skills\nA skill is a set of "
"""What clients around 0.98 write behind the files' text."""
_BOTH = "\n\n--- project-doc ---\n\n"
"""Stands between the user's own file and the project's."""


def text_of(content: list[rows.Piece] | None) -> str:
    """The text of a message."""
    return "".join(piece.text for piece in content or ())


def note_prompt(state: State, identity: str, text: str) -> None:
    """One more prompt is in the window."""
    tokens = -(-len(text.encode("utf-8", "replace")) // _TOKEN_BYTES)
    prompt = Prompt(identity, _mark(text), tokens)
    state.prompts = [*state.prompts[1 - PROMPTS_REMEMBERED :], prompt]


def _mark(text: str) -> str:
    return derived_id(text.strip())


def take_back(state: State, turns: int) -> str | None:
    """Forget the last prompts, and return the id of the first of them that is known."""
    if turns < 1:
        return None
    gone, state.prompts = state.prompts[-turns:], state.prompts[:-turns]
    return next((prompt.id for prompt in gone if prompt.id), None)


def is_injected(text: str) -> bool:
    """Whether text is the client's own, under the user's role."""
    return text.lstrip().startswith(_INJECTED)


def compacted(at: At) -> Iterator[Event]:
    """The window was replaced; what is loaded anew with it follows."""
    data, state = _COMPACTED(at.row.payload), at.state
    history = data.replacement_history
    kept = [] if history else list(state.files)
    if history is None:
        state.prompts = _fitting(state.prompts)
    else:
        yield from _stand(at, history)
    kept += [prompt.id for prompt in state.prompts if prompt.id]
    summary = _without_prefix(data.message)
    yield at.event(
        events.Compaction,
        about=summary,
        trigger=_trigger(state),
        summary=summary or None,
        readable=bool(summary) or not any(item.type in _OPAQUE for item in history or ()),
        kept=tuple(kept),
        tokens_before=state.tokens,
        tokens_after=state.tokens_after,
    )
    state.compacted, state.tokens_after = True, None
    state.loads = state.loads if history is None else "compaction"
    for item in history or ():
        if item.role == "user":
            for piece in item.content or ():
                yield from context_file(at, piece.text)


def _stand(at: At, history: list[rows.Response]) -> Iterator[Event]:
    """The prompts of the new history are what the window holds. One that is not known stands in
    another file, that this one goes on from, or was cut: then its words are told here."""
    state, known = at.state, dict[str, list[Prompt]]()
    texts = list(filter(None, map(_prompt_text, history)))
    for prompt in state.prompts:
        known.setdefault(prompt.mark, []).append(prompt)
    counts = Counter(map(_mark, texts))
    left = {mark: known.get(mark, [])[-count:] for mark, count in counts.items()}
    state.prompts = []
    for text in texts[-PROMPTS_REMEMBERED:]:
        waiting = left[_mark(text)]
        if waiting:
            state.prompts.append(waiting.pop(0))
            continue
        identity = derived_id(*at.place, len(state.prompts), text)
        note_prompt(state, identity, text)
        yield at.event(
            events.ContextInjected, id=identity, source="client", name="prompt", text=text
        )


def _prompt_text(item: rows.Response) -> str:
    """The text of a user's prompt; empty for anything else."""
    if item.role != "user" or item.type != "message":
        return ""
    kinds = item.internal_chat_message_metadata_passthrough.content_item_kinds
    text = text_of(item.content)
    is_prompt = "user.text" in kinds if kinds else not is_injected(text)
    return text if is_prompt and text.strip() and not text.startswith(_PREFIX) else ""


def _trigger(state: State) -> events.Trigger | None:
    """Since 0.171 a turn tells whether a prompt began it, and an automatic compaction happens in
    such a turn; before, in mid-turn it was automatic."""
    if state.by_prompt is None:
        return "auto" if state.in_turn and state.was_asked else None
    return "auto" if state.by_prompt else "manual"


def _without_prefix(message: str) -> str:
    if message.startswith(_PREFIX):
        found = _PREFIX_END.search(message, 0, _PREFIX_CHARS)
        message = message[found.end() :] if found else message
    return message.strip()


def _fitting(prompts: list[Prompt]) -> list[Prompt]:
    room, found = PROMPT_TOKENS, list[Prompt]()
    for prompt in reversed(prompts):
        if prompt.tokens > room:
            found.append(Prompt("", "", room))
            break
        found.append(prompt)
        room -= prompt.tokens
    return found[::-1]


def context_file(at: At, text: str) -> Iterator[Event]:
    """The context files that a block of a message holds, if it is such a block."""
    state = at.state
    path, content = _parts(text)
    if content is None:
        return
    loads, state.loads = state.loads, None
    content = content.removeprefix(_REPLACES).strip()
    mark = derived_id(content)
    reason = loads or ("changed" if mark != state.file_mark else "start")
    state.files, state.file_mark = [], mark
    if content.strip() == _GONE:
        return
    users, both, project = content.partition(_SKILLS)[0].partition(_BOTH)
    folder = path or state.cwd or ""
    if both and users.strip():
        own = _loaded(at, "~/.codex/AGENTS.md", "user", reason, users)
        state.files.append(own.id)
        yield own
    event = _loaded(at, _in_folder(folder), "project", reason, project if both else users)
    state.files.append(event.id)
    yield event


def _loaded(at: At, path: str, scope: str, reason: str, text: str) -> events.ContextFileLoaded:
    return at.event(
        events.ContextFileLoaded,
        about=text,
        path=path,
        scope=scope,
        reason=reason,
        text=text.strip(),
    )


def _in_folder(folder: str) -> str:
    separator = "\\" if "\\" in folder and "/" not in folder else "/"
    return f"{folder.rstrip(separator)}{separator}AGENTS.md" if folder else "AGENTS.md"


def _parts(text: str) -> tuple[str, str | None]:
    """The folder and the text of context files; None for another block."""
    text = text.strip()
    if text.startswith(_FILE):
        head, begin, rest = text.removeprefix(_FILE).partition(_BEGIN)
        return head.strip().removeprefix("for "), rest.removesuffix(_END.strip()) if begin else None
    if text.startswith(_OLD_FILE):
        rest = text.removeprefix(_OLD_FILE)
        return "", rest.removesuffix("</user_instructions>").strip()
    return "", None
