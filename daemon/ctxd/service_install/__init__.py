"""The daemon as a service of the user's own: installed, started and watched by the system.

One module a service manager, one plan for all of them: what is to be written, removed and run is a
list of steps, which `--dry-run` prints and everything else carries out. No step needs root.
"""
