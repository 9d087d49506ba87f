"""The provider SDKs, bare and observed. A file is skipped if its SDK is not installed; `requirements-*.txt` name the versions."""
