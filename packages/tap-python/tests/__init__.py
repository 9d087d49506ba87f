"""The tap's tests: the standard library alone, on every Python from 3.9 on. Those in `sdk` need the providers' SDKs."""
