"""The numbers of the daemon, each with its unit and its reason. No other package holds one."""
