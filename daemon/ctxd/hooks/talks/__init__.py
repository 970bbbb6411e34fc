"""How the hooks of each agent speak, one file an agent."""
