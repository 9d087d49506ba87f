"""The provider SDKs, bare and observed. Each file is skipped where its SDK is not installed; `requirements-*.txt` name the versions."""
