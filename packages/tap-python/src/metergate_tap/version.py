"""The version that this package reports to the server. A test checks that it equals pyproject.toml's."""

__version__ = "0.2.0"
