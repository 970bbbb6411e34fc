"""The numbers of the agents' hooks."""

HOOK_SECONDS = 5
"""After which an agent ends our hook, where it can be told so: the hook itself gives up sooner."""

FLUSH_HOOK_SECONDS = 10
"""The same where the agent waits for everything to be read, before its window is compacted."""

END_HOOK_SECONDS = 3
"""The same at the end of a session, where an agent allows for no more and complains of it."""

CLIENT_VERSION_SECONDS = 5.0
"""How long an agent's client may take to tell its version; a cold start of one takes 1 to 2 s."""

CLIENT_VERSION_BYTES = 4096
"""Of what it prints that are looked at: the version stands in its first line."""

CONFIGURATION_DEPTH = 200
"""Levels of a configuration file; those of agents have about six, and each is gone through by a
function that calls itself."""

PACKAGE_FOLDERS = 4
"""Folders above a program in which the package that it is of may be described."""

VERSION_SESSIONS = 50
"""Newest sessions of an agent that are asked for its version where its client is not found."""

HOOK_REQUEST_BYTES = 1024 * 1024 + 1024
"""Longest request on the control socket: the payload that a hook's client hands on, and its line.
Outputs of tools are in payloads; few are longer, and what they miss is said at the next hook."""

HOOK_ANSWER_SECONDS = 0.22
"""After this a hook is answered with what is known, and nothing more is found out: its client waits
for 0.3 s, and a busy machine needs some of it."""

HOOK_READING_SECONDS = 0.15
"""Part of it for reading and judging what the session's log has that is not known yet."""

HOOK_GIVE_TOKENS = 2000
"""What an agent is told again at once takes no more: about a page. Estimated by bytes, since to
count takes half a tenth of a second. What does not fit comes with the next hook; some clients cut
what one says at 10,000 characters."""

HOOK_STATEMENT_CHARS = 600
"""Longest statement that is quoted whole; of a longer one its line stands for it."""

HOOK_AGAIN_SECONDS = 3.0
"""What a session was told is not told again so soon: hooks of tools that run side by side, and
hooks that two configurations hold, fire together."""

HOOK_INTENTS = 1
"""Intents of a repository that a new session is told: the current one."""

HOOK_QUESTIONS = 5
"""Open questions that it is told, the newest."""

HOOK_TRIGGERS = 64
"""Compactions being made of which it is remembered what began them: more sessions are not
compacted within a minute."""
