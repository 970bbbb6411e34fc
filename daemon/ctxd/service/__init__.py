"""The long-running process: the only place with threads, timers, signals and sockets."""
