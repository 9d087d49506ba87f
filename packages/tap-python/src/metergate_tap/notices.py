"""Every sentence this package prints, each one line on stderr. None contains a key, an endpoint or anything about a call."""

_STOPPED = "reporting stopped."
_NOTHING = "nothing is reported."

NO_KEY = f"no tap key: {_NOTHING} Set SVC_TAP_KEY, or SVC_TAP_INSPECT=1 to see what would be sent."
BAD_ENDPOINT = f"SVC_TAP_ENDPOINT is no plain http or https URL: {_NOTHING}"
CANNOT_POST = f"this runtime has no sockets to post by: {_NOTHING}"
NOT_OBSERVED = "this client has no call to observe."
INSPECT = "inspect mode: batches are printed, nothing is sent."
INSPECT_DESPITE_KEY = f"{INSPECT} The key is left aside."
CLOSED = f"the Baseline has closed: {_STOPPED} It resumes by itself."
RETIRED = f"the tap has ended for this key: {_STOPPED}"
KEY_NOT_ACCEPTED = f"the tap key was not accepted three times: {_STOPPED}"
KEY_REFUSED_AT_END = "the tap key was not accepted: the last calls are not reported."


def notice_line(notice: str) -> str:
    """The line of a notice, without its line end."""
    return f"metergate-tap: {notice}"
