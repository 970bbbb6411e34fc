"""What machines print, as it stands in messages without a fence: logs, traces, consoles, code.

Each expression is for the start of a line. They are kept narrow: a line that is taken as printed by
a machine is not the user's word.
"""

from __future__ import annotations

import re

PLAIN = re.compile(
    r"(?!(?:at|from|import|class|function|let|const|var|def|func|fn|struct|enum|interface|export|"
    r"async|public|private|static|default|using|package|thread|note|npm|goroutine|stack|create|"
    r"delete|deleted|new|rename|similarity|index|[Cc]aused|[Uu]ncaught) )"
    r"[A-Z]?[a-z']{0,20} [a-z][^=]*$"
)
"""The start of a line that is none of the following. Most lines are known by it at once."""

LOG = re.compile(
    r"""
    \[?\d{4}[-/]\d\d[-/]\d\d[T ,]\d\d?:\d\d
  | \[?\d\d:\d\d:\d\d
  | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ ]{1,2}\d{1,2}[ ]\d\d:\d\d:\d\d
  | \[(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|[Ee]rror|[Ww]arn(?:ing)?|[Ii]nfo|
    [Dd]ebug|vite|webpack|HMR)\]
  | (?:ERROR|WARN|INFO|DEBUG|TRACE|FATAL)(?:[ \t]*[|:\]][ \t]|[ \t]{1,3}\[?[\w.:/-]{1,60}[:\]][ \t])
  | [VDIWEF]/[\w.-]{1,40}(?:\([ \d]{1,8}\))?:[ ]
  | [EWI]\d{4}[ ]\d\d:
  | Traceback[ ]\(most[ ]recent
  | File[ ]"[^"\n]{1,300}",[ ]line[ ]\d
  | at[ ](?:async[ ])?[\w.$<>\[\]/ ]{1,200}
    \([^()\n]{0,300}(?::\d{1,6}|<anonymous>|native|Unknown\ Source)[^()\n]{0,20}\)?$
  | at[ ](?:https?|file|/|[A-Z]:\\)\S{1,300}:\d+
  | \(anonymous\ function\)
  | (?:Uncaught\ |Caused\ by:\ )?
    (?:[A-Za-z_][\w.\\]{0,120}(?:Error|Exception)|Error)(?:\ \[\w{1,60}\])?:[ ]\S
  | \.{3}[ ]\d+[ ]more$
  | \#\d{1,3}[ ]+(?:0x[0-9a-f]|/\w)
  | (?:error|warning)(?:\[E?\d{1,6}\]|[ ]TS\d{1,6}|\ CS\d{4}):
  | error:[ ](?:could|failed|cannot|linking|process|no|unknown|unexpected|expected|aborting)\b
  | -->[ ]\S{1,300}:\d+
  | \d{1,6}[ ]\|[ ]
  | npm[ ](?:ERR|WARN|error|warn|notice)\b
  | goroutine[ ]\d{1,9}[ ]\[
  | panic:[ ]
  | thread[ ]'[^'\n]{1,80}'[ ]panicked | note:[ ]run[ ]with | stack[ ]backtrace: | fatal:[ ]\w
  | E[ ]{2,}\S
  | (?:PASS|FAIL|FAILED|PASSED)[ \t]+[\w./@-]{1,200}[./:][\w./:@-]{1,200}
  | ok(?:\t|[ ]{2,})\S
  | ---[ ](?:FAIL|PASS|SKIP):
  | =+[ ][^=\n]{1,200}[ ]=+$
  | Tests?:?[ ]+\d+[ ](?:failed|passed)
  | [\w./@\\-]{1,200}\.\w{1,5}:\d{1,6}(?::\d{1,6})?:?[ ](?:error|warning|note|fatal)
  | [\w./@\\-]{1,200}\.\w{1,5}:\d{1,6}[ ]\+0x
  | CONFLICT[ ]\( | Auto-merging[ ]\S | \d+[ ]files?[ ]changed,[ ]\d
  | (?:create|delete)[ ]mode[ ]\d{6}
  | \[[\w./-]{1,80}[ ][0-9a-f]{7,12}\][ ]
  | (?:modified|new\ file|deleted|renamed):[ ]{2,}\S
  | remote:[ ]
  | ⎿
  | \{"[^"\n]{1,80}":
  | \[\{"
  | [\w.]{1,60}=\S{1,400}(?:[ ]+[\w.]{1,60}=\S{1,400}){2}
    """,
    re.VERBOSE,
)
"""A line of a log, a stack trace, or a tool's report."""

PAIRS = re.compile(r"(?<![\w?&])[\w.]{1,60}=(?=\S)")
"""One `key=value` of a structured log line."""

CONSOLE = re.compile(
    r"[❯➜][ ]{1,2}\S|\$[ ](?=[a-z./~])|PS[ ][A-Z]:\\[^>\n]{0,200}>|"
    r"[\w.-]{1,40}@[\w.-]{1,40}:\S{0,100}[$#][ ]\S"
)
"""A command behind a shell's prompt. What follows it in the same paragraph is what it printed."""

CODE = re.compile(
    r"""
    (?:const|let|var)[ ][\w{}\[\], ]{1,80}[ ]?=
  | (?:export[ ]|async[ ]|public[ ]|private[ ]|static[ ]|default[ ]){0,3}
    (?:function|class|interface|def|func|fn|struct|enum)[ ][\w$]{1,80}[ ]?[<({]
  | import[ ][\w*{} ,]{1,100}[ ]from[ ]["'] | import[ ]["'][^"'\n]{1,200}["']
  | import[ ]\w+\.[\w.]+;?$
  | from[ ][\w.]{1,100}[ ]import[ ]\w | (?:using|package)[ ][\w.]{1,100};$ | \#include[ ]?[<"]
  | (?:if|for|while|switch|catch)[ ]?\([^\n]{0,300}\)[ ]?\{$
  | </?[A-Za-z][\w-]{0,40}(?:[ ][^<>\n]{0,400})?/?>(?:[^\n]{0,400}>)?$
  | <!(?:DOCTYPE|--)
  | [)}\]]{1,4}[;,)]{0,3}$
  | [\w.$\[\]"']{1,120}[ ]?(?:[+*/-]|\|\|)?=[ ]?[^=\s][^\n]{0,300};$
  | [\w.$]{1,120}\([^\n]{0,300}\)[;{]$
  | "[^"\n]{1,80}":[ ][^\n]{0,400}[,{\["\d\]}]$
    """,
    re.VERBOSE,
)
"""A line of program text."""
