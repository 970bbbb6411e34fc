"""ctxd: keeps what coding agents forget."""

__version__ = "0.1.0"
