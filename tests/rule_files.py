"""Worktrees with context files as values, and what a plan does to them."""

from datetime import timedelta
from pathlib import Path

import msgspec

from ctxd.context_files.plan import plan
from ctxd.context_files.values import File, Memory, Rules, View
from ctxd.item_log import ItemState, captured, state, verdict
from made_items import item
from session_events import NOON

HOME = "AGENTS.md"


def standing(words="use tabs", **more):
    """An item as it stands once it was said."""
    facts = {
        key: more.pop(key)
        for key in ("status", "accepted", "edited", "superseded_by")
        if key in more
    }
    made = item(words, **more)
    return ItemState(item=made, text=facts.pop("text", made.text), **facts)


class Worktree:
    """Files in memory, the ledger's events, and what ctxd remembers between looks."""

    def __init__(self, files=None, agents=(), **rules):
        self.files = {path: bytes_of(text) for path, text in (files or {}).items()}
        self.bases = {}
        self.agents = frozenset(agents)
        self.events = []
        self.memory = {}
        self.rules = rules
        self.clock = NOON

    @property
    def text(self):
        """The home of the items."""
        return self.files[HOME].decode()

    @text.setter
    def text(self, text):
        self.files[HOME] = text.encode()

    @property
    def states(self):
        return state(self.events)

    def say(self, words, **more):
        """Have an item understood from a session; return its id."""
        made = item(words, **more)
        self.events.append(captured(made))
        return made.id

    def rule(self, item_id, kind, text=None):
        """Have the user's verdict on an item."""
        self.clock += timedelta(minutes=1)
        self.events.append(verdict(item_id, kind, self.clock, text))

    def view(self):
        files = {
            path: File(data=data, base=self.bases.get(path)) for path, data in self.files.items()
        }
        for path in self.memory.keys() - self.files.keys():
            files[path] = File(kind="missing", base=self.bases.get(path))
        return View(root=Path("/home/dev/shop"), files=files, agents=self.agents)

    def plan(self, **rules):
        self.clock += timedelta(minutes=1)
        rules = Rules(now=self.clock, **(self.rules | rules))
        return plan(self.view(), list(self.states.values()), rules, self.memory)

    def write(self, **rules):
        """Plan, and do what is planned; return the plan."""
        planned = self.plan(**rules)
        self.events += planned.events
        self.memory = dict(planned.memory)
        for edit in planned.edits:
            assert self.files.get(edit.path) == edit.before
            assert edit.before != edit.after
            self.files[edit.path] = edit.after
        self.bases = {}
        return planned

    def look(self, **rules):
        """Plan, and do nothing but remember."""
        planned = self.plan(**rules)
        self.events += planned.events
        self.memory = dict(planned.looked)
        self.bases = {}
        return planned

    def forget(self, item_id):
        """Have the lines of an item written again."""
        for path, one in self.memory.items():
            kept = {
                "written": {k: v for k, v in one.written.items() if k != item_id},
                "seen": {k: v for k, v in one.seen.items() if k != item_id},
            }
            self.memory[path] = msgspec.structs.replace(one, **kept)

    def lay(self, text, path=HOME):
        """Have git put another version in place."""
        self.files[path] = self.bases[path] = bytes_of(text)


def bytes_of(text):
    return text if isinstance(text, bytes) else text.encode()


def codes(planned):
    return [notice.code for notice in planned.notices]


def remembered(tree, path=HOME):
    return tree.memory.get(path, Memory())
