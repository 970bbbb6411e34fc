"""These tests look at the daemon from outside by way of Linux's own files and sockets."""

import sys

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]
