"""Databases of Devin's command line, made in place: a row each session and each message."""

import json
import sqlite3

SESSIONS = """CREATE TABLE sessions (
    id TEXT PRIMARY KEY, working_directory TEXT NOT NULL, backend_type TEXT NOT NULL,
    model TEXT NOT NULL, agent_mode TEXT NOT NULL, created_at INTEGER NOT NULL,
    last_activity_at INTEGER NOT NULL, title TEXT, main_chain_id INTEGER,
    hidden INTEGER NOT NULL DEFAULT 0, metadata TEXT)"""
NODES = """CREATE TABLE message_nodes (
    row_id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, node_id INTEGER NOT NULL,
    parent_node_id INTEGER, chat_message TEXT NOT NULL, created_at INTEGER NOT NULL, metadata TEXT,
    UNIQUE (session_id, node_id))"""
BEGAN = 1_796_006_200


class Store:
    """A database as its client writes it, schema 17."""

    def __init__(self, path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute(SESSIONS)
        self.connection.execute(NODES)
        self.clock = BEGAN

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def session(self, name="calm-river", tip=None, *, cwd="/home/dev/shop", hidden=0, title=None):
        """Write the row of a session, or write it anew."""
        self.clock += 1
        self.connection.execute(
            "INSERT INTO sessions VALUES (?, ?, 'Windsurf', 'swe-1-7', 'normal', ?, ?, ?, ?, ?, '')"
            "ON CONFLICT DO UPDATE SET last_activity_at = excluded.last_activity_at, "
            "main_chain_id = excluded.main_chain_id, hidden = excluded.hidden",
            (name, cwd, BEGAN, self.clock, title, tip, hidden),
        )

    def node(self, number, parent, role, text, **told):
        """Write a message; `mark` is its id, `column` what its row tells besides."""
        self.clock += 1
        metadata = {"created_at": None, "extensions": told.get("extensions", {})}
        metadata |= told.get("metadata", {})
        if role == "user":
            metadata["is_user_input"] = told.get("by_user", True) or None
        message = {
            "message_id": told.get("mark", f"m{number}"),
            "role": role,
            "content": text,
            "metadata": metadata,
        } | {key: told[key] for key in ("tool_calls", "tool_call_id", "thinking") if key in told}
        column = told.get("column")
        self.connection.execute(
            "INSERT INTO message_nodes (session_id, node_id, parent_node_id, chat_message, "
            "created_at, metadata) VALUES (?, ?, ?, ?, ?, ?)",
            (
                told.get("session", "calm-river"),
                number,
                parent,
                json.dumps(message),
                told.get("at", self.clock),
                None if column is None else json.dumps(column),
            ),
        )

    def copy(self, number, parent, of, **told):
        """Write a message once more, as the client does when it begins its forest anew."""
        (message, at) = self.connection.execute(
            "SELECT chat_message, created_at FROM message_nodes WHERE node_id = ? "
            "AND session_id = ?",
            (of, told.get("of_session", "calm-river")),
        ).fetchone()
        column = {"summarized_from": None, "extensions": {"compact/prior_node_ids": [of]}}
        if not told.get("names_prior", True):
            column = None
        self.connection.execute(
            "INSERT INTO message_nodes (session_id, node_id, parent_node_id, chat_message, "
            "created_at, metadata) VALUES (?, ?, ?, ?, ?, ?)",
            (
                told.get("session", "calm-river"),
                number,
                parent,
                message,
                at,
                None if column is None else json.dumps(column),
            ),
        )

    def anew(self):
        """Write all rows once more in a new place, with the numbers they had."""
        rows = self.connection.execute(
            "SELECT session_id, node_id, parent_node_id, chat_message, created_at, metadata "
            "FROM message_nodes ORDER BY node_id"
        ).fetchall()
        self.connection.execute("DELETE FROM message_nodes")
        self.connection.executemany(
            "INSERT INTO message_nodes (session_id, node_id, parent_node_id, chat_message, "
            "created_at, metadata) VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )


def conversation(store):
    """A conversation with what the client puts around one: prompts of the system written anew, a
    reply tried twice, a word of its own, a sub-agent, and a compaction while the talk goes on."""
    store.session(tip=3, title="Ledger store")
    store.node(0, None, "system", "You are Devin.", mark="system")
    store.copy(1, None, 0)
    store.node(2, 1, "system", "Rules of the folder: be kind.", extensions=LOADED)
    store.node(3, 2, "user", "Use SQLite, not Postgres. Never store raw card numbers.")
    store.node(4, 3, "assistant", "Postgres it is.")
    store.node(5, 3, "assistant", "SQLite it is. I look around first.", tool_calls=[SPAWN])
    store.node(6, None, "system", "You are Devin.", mark="system")
    store.node(7, 6, "user", "Never touch the tests, explore only.", mark="task")
    store.node(8, 7, "assistant", "There is one module.")
    store.node(9, 5, "tool", "There is one module.", tool_call_id="call-1", extensions=DONE)
    store.node(10, 9, "user", "continue", by_user=False)
    store.node(11, 10, "assistant", "The module is there.", metadata={"finish_reason": "stop"})
    store.node(12, 11, "user", "Multi-currency is out of scope.")
    store.session(tip=12)
    store.node(13, None, "system", "You are a summarizer.", column={"is_system_prefix": True})
    store.node(14, 13, "user", "Conversation to summarize: ...", by_user=False)
    store.node(15, 14, "assistant", "<summary>SQLite.</summary>", column={"summarized_from": 11})
    store.node(16, 12, "assistant", "Noted.", thinking={"thinking": "No currencies."})
    store.copy(17, None, 1)
    store.node(18, 17, "system", SUMMARY, extensions=SUMMED, column={"summarized_from": 11})
    store.copy(19, 18, 12)
    store.copy(20, 19, 16)
    store.node(21, 20, "user", "Money is integer cents.")
    store.session(tip=21)


SUMMARY = (
    "You are continuing work from a previous conversation thread. Below is a summary of it:\n"
    "The user wants a store in SQLite."
)
SUMMED = {"devin-rs/summary": {"source": "async_file_compactor"}}
LOADED = {"agent-ext/rules-loaded": {}}
DONE = {"chisel/tool_result_meta": {"success": True, "kind": "run_subagent"}}
SPAWN = {
    "id": "call-1",
    "index": 0,
    "kind": "function",
    "name": "run_subagent",
    "arguments": {"title": "Explore", "task": "Never touch the tests, explore only."},
}
