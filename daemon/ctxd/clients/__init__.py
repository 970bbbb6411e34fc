"""What is known of the agents' own programs: which versions were tried, how long they keep logs.

Each has a file of its own with its `Client`s in it; nothing else knows an agent by name.
"""
