"""The tests of the daemon's faults look at it by way of Linux's own files and sockets."""

import sys

collect_ignore_glob = [] if sys.platform == "linux" else ["test_daemon_*.py"]
