"""The numbers of the background service, as its definitions and its commands use them."""

SERVICE_RESTART_SECONDS = 10
"""Wait before a daemon that failed is started again, for ever: a full disk or another daemon at
work is over some time, and a start costs half a second of one processor."""

SERVICE_THROTTLE_SECONDS = 30
"""The same on macOS, where wrong settings cannot be told from other failures and are tried again as
well."""

SERVICE_TASK_RESTARTS = 255
"""The same on Windows, whose scheduler wants a number: the highest that every version takes."""

SERVICE_TASK_RESTART_MINUTES = 1
"""Its shortest wait."""

SERVICE_WATCHDOG_SECONDS = 60
"""A loop that has not gone round for so long is killed and started again: `ctxd status` calls it
hung from then on. It says that it is alive every five seconds."""

SERVICE_START_SECONDS = 120
"""Longest until it is ready: that is told after the first look at everything, three seconds with
10,000 logs on a local disk, and much longer where home is on a network."""

SERVICE_STOP_SECONDS = 15
"""Longest that a stop may take: the daemon's own limit is five seconds."""

SERVICE_NICE = 10
"""Niceness: it gives way to everything that a person waits for."""

SERVICE_MEMORY_MB = 512
"""From here on the kernel takes memory back from it. It needs less than 100 MB."""

SERVICE_CALL_SECONDS = 150.0
"""Longest that a service manager may take for one order: a start waits until it is ready."""

SERVICE_PROBE_SECONDS = 30.0
"""Longest until a new interpreter has told ctxd's version. A cold disk takes some seconds."""

SERVICE_ANSWER_SECONDS = 10.0
"""How long a daemon that was just started, by a manager that does not tell when it is ready, may
take until it answers."""

SERVICE_POLL_SECONDS = 0.1
"""How often it is asked meanwhile."""

SERVICE_LOG_LINES = 40
"""Lines of its log that `ctxd service logs` shows without `-n`: about two screens."""

SERVICE_LOG_POLL_SECONDS = 0.5
"""How often `ctxd service logs -f` looks for new ones."""

SERVICE_SAID_CHARS = 200
"""Of what a service manager says to a failure."""

SERVICE_RETRY_SECONDS = 0.5
"""Wait before an order is given again that came too early: macOS goes on removing a service after
it has said that it is done."""

SERVICE_TRIES = 10
"""How often it is given."""
