"""The tap's tests: they need only the standard library, on every Python from 3.9 on. Those in `sdk` need the providers' SDKs."""
