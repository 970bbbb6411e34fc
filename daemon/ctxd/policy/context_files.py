"""The numbers of writing to context files."""

ITEM_ID_BYTES = 5
"""Bytes of an item's id: 8 letters in a context file's line. With 10,000 items in a repository the
chance of any two being alike is 1 in 20,000."""

CONTEXT_BUDGET_TOKENS = 1500
"""Size of the block in a context file. Agents send these files with every request, and rules
beyond a page are followed less well."""

EDITED_FILE_BYTES = 8 * 1024 * 1024
"""A context file larger than this is left alone: the largest that are read whole have 40 kB."""

CONTEXT_QUIET_SECONDS = 2.0
"""A context file is written when it has not changed for so long. With this and a comparison no save
of an editor was lost in 54 races, without it 76 of 330."""

GIT_SECONDS = 10.0
"""Longest wait for one answer of git: it takes milliseconds, on a cold network disk a second."""

GIT_LAID_SECONDS = 1.0
"""Git writes its index and its log so soon after the files of a checkout. An editor's or an IDE's
look at a file that was saved by hand comes later."""

RECEIPTS_KEPT = 1000
"""Receipts of edits that can be undone; the oldest go first."""

RECEIPT_BYTES = 64 * 1024 * 1024
"""Room for them all."""

APPLY_WAIT_SECONDS = 5.0
"""Wait for another process of ctxd that applies an edit: it takes some 20 ms."""

GIT_CONFIG_BYTES = 256 * 1024
"""Part of a repository's own configuration that is read; it has some hundred bytes."""

CONTEXT_LINE_CHARS = 600
"""Part of an item's text that its line holds: extraction makes none longer than half of this."""

CONTEXT_OPTION_CHARS = 80
"""Part of a rejected option that a line names: its name; the full record has its drawback."""

CONTEXT_OPTIONS = 3
"""Rejected options that a line names."""

CONTEXT_SCOPES = 3
"""Paths and symbols that a line names, of those its words do not."""

CONTEXT_WRAPPED_LINES = 20
"""Lines into which an editor may have wrapped one item: 600 characters at 40 columns."""

CONTEXT_REWORDING_SHARE = 0.5
"""Share of words that two lines with one id have in common when one is the other reworded. Below
it somebody has made a new rule from the line and left the id behind it."""

CONTEXT_LOW_WATER_SHARE = 0.6
"""Share of the budget that a full block is brought down to, so that room is made seldom: what
leaves changes the lines below it, and with them what agents' providers have cached."""

TOKEN_COUNTS_REMEMBERED = 4096
"""Lines whose tokens are known without counting again: the blocks of a hundred repositories."""

TOKEN_BYTES_ESTIMATED = 3
"""Bytes of text a token, where the vocabulary is missing: fewer than any language has on average,
so that the estimate is rather too high."""

LONGEST_TOKEN_BYTES = 128
"""No token of the vocabulary is longer."""

CONTEXT_RULES_READ = 1000
"""Lines of a repository's context files that an item is compared with before it is added; agents
follow no more. Each takes about half a millisecond, once."""

CONTEXT_TEXTS_REMEMBERED = 4
"""Repositories whose rules are kept ready for it."""

RULE_HEAD_LINES = 100
"""First lines of a rule file that may say for which paths it is; it has a handful."""

RULE_PATTERNS = 64
"""Patterns of paths of one rule file that are looked at."""

RULE_FILES = 200
"""Rule files of one kind, and nested context files, that are looked at in one repository."""

RULE_FOLDERS_DEEP = 4
"""Levels of folders that rule files are looked for in."""

RECORD_BYTES = 8 * 1024 * 1024
"""Most that `.ctxd/items.jsonl` grows to: some 10,000 events, of years."""

RECORD_LINE_BYTES = 256 * 1024
"""A longer line of it is no event of ctxd's: those have about 1 kB."""

REPOSITORY_SETTINGS_BYTES = 64 * 1024
"""Part of a repository's `.ctxd.toml` that is read: it has a line or two."""

CONTEXT_LOOK_SECONDS = 10.0
"""How often the context files of known worktrees are looked at for changes: a few file times each.
Somebody who has deleted a line sees in `ctxd items` soon that this was understood."""

CONTEXT_SEARCH_SECONDS = 60.0
"""How often worktrees are looked for that hold a teammate's record: about 0.1 ms a folder in which
sessions ran."""

CONTEXT_WRITE_SECONDS = 10.0
"""Least time between two edits of the files of one worktree: what comes meanwhile goes together."""

CONTEXT_RETRY_SECONDS = 1.0
"""Wait before an edit is tried again for which the file was too fresh or held open."""

CONTEXT_GIT_SECONDS = 5.0
"""The same while git is in the middle of a merge or rebase: that takes minutes."""

CONTEXT_CONFLICTS = 3
"""So often in a row a file may have changed between plan and edit; then its edits wait for the
user."""

CONTEXT_REST_SECONDS = 600.0
"""And so long they do, if neither the user nor a new item comes first."""

UNDO_SHOWN = 20
"""Edits that `ctxd undo` lists, the last ones: about a screen."""

INERT_TEXTS_REMEMBERED = 1024
"""Item texts that are known to be inert: each plan of a worktree asks for all of its block's."""

NEARLY_CUT_SHARE = 0.9
"""Share of what an agent reads of its context files from which on it is told: the user's own file
and those of folders count, too."""
