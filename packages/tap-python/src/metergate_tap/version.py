"""The version this package tells the server. A test holds it equal to pyproject.toml's."""

__version__ = "0.1.0"
