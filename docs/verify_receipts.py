"""Verify a file of receipts: python3 verify_receipts.py FILE [PUBLIC_KEY]

PUBLIC_KEY is the file that `metergate receipts public-key` prints, or the key in base64 as the head of FILE has it.

Written from docs/receipts.md alone, with nothing but Python's standard library. It prints one JSON object
{"valid", "checked", "firstBad"} and exits 0 where the file is whole, 1 where it is not. It is slow at signatures (a few
milliseconds each), and meant to be read.
"""

import base64
import hashlib
import json
import os
import re
import sys

FIGURES = (
    "id organization key labelsDropped wire endpoint method startedAt node streamed status outcome inputTokens outputTokens "
    "cachedTokens cacheWriteTokens reasoningTokens audioInputTokens audioOutputTokens toolCalls usage usageReason cost costGaps "
    "costSource priceList requestBytes responseBytes firstByteMs durationMs"
).split()
LATER_FIGURES = "pricedBy units".split()
WORDS = "salt project labels run path model finishReason serviceTier providerRequestId".split()
HEAD = "type format organization first previous keys".split()
RECEIPT = "type sequence figures words wordsDigest hash".split()
CHECKPOINT = "type organization key first previous last hash at signature".split()
ZEROS = "0" * 64


# Ed25519 (RFC 8032, section 6), verification only.

P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_MINUS_ONE = pow(2, (P - 1) // 4, P)


def add(a, b):
    x = (a[1] - a[0]) * (b[1] - b[0]) % P
    y = (a[1] + a[0]) * (b[1] + b[0]) % P
    z = 2 * a[3] * b[3] * D % P
    t = 2 * a[2] * b[2] % P
    e, f, g, h = y - x, t - z, t + z, y + x
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def point_of(encoded):
    if len(encoded) != 32:
        return None
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * SQRT_MINUS_ONE % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def signs(public_key, message, signature):
    point, r = point_of(public_key), point_of(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if point is None or r is None or len(signature) != 64 or s >= Q:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % Q
    left, right = multiply(s, BASE), add(r, multiply(k, point))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# What is hashed and signed.


def text_of(first_line, fields):
    out = first_line.encode() + b"\n"
    for field in fields:
        if field is None:
            out += b"-,"
        else:
            data = str(field).encode("utf-8")
            out += str(len(data)).encode() + b":" + data + b","
    return out


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def words_digest(w):
    after = [w[name] for name in WORDS[3:]]
    form = "metergate-words-1"
    if "requestedModel" in w:
        form = "metergate-words-2"
        after.append(w["requestedModel"])
    return sha256(text_of(form, [w["salt"], w["project"], len(w["labels"]), *w["labels"], *after]))


def receipt_hash(previous, line):
    later = [name for name in LATER_FIGURES if name in line["figures"]]
    figures = [line["figures"][name] for name in [*FIGURES, *later]]
    return sha256(text_of("metergate-receipt-2" if later else "metergate-receipt-1", [previous, line["sequence"], *figures, line["wordsDigest"]]))


def bytes_of(encoded):
    """The bytes of base64 text; None where the text is not the one way to write them."""
    try:
        decoded = base64.b64decode(encoded, validate=True)
    except ValueError:
        return None
    return decoded if base64.b64encode(decoded).decode() == encoded else None


def is_signed(public_key, message, signature):
    key, signed = bytes_of(public_key), bytes_of(signature)
    return key is not None and signed is not None and signs(key, message, signed)


# The form of a line.


class Bad(Exception):
    """The line is not what must stand there."""


def need(condition):
    if not condition:
        raise Bad


def once(pairs):
    names = [name for name, _ in pairs]
    need(len(names) == len(set(names)))
    return dict(pairs)


def parse(data, types=("head", "pruned", "receipt", "checkpoint", "end")):
    try:
        text = data.decode("utf-8")
        line = json.loads(text, object_pairs_hook=once)
        need(json.dumps(line, ensure_ascii=False, separators=(",", ":")) == text)
    except (ValueError, RecursionError):
        raise Bad from None
    need(isinstance(line, dict) and line.get("type") in types)
    return line


def members(value, names):
    need(isinstance(value, dict) and list(value) == names)


def text(value):
    need(isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value))


def field(value):
    if value is not None:
        text(value)


def whole(value):
    need(isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53)


def encoded(value, length):
    text(value)
    need(len(bytes_of(value) or b"") == length)


def digest(value):
    need(isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None)


class File:
    def __init__(self, trusted):
        self.trusted, self.head, self.next, self.previous, self.checked, self.ended = trusted, None, 1, ZEROS, 0, False
        self.after_head = False

    def take(self, data):
        line = parse(data)
        need(not self.ended and (line["type"] == "head") == (self.head is None))
        need(line["type"] != "pruned" or self.after_head)
        self.after_head = line["type"] == "head"
        {"head": self.take_head, "receipt": self.take_receipt}.get(line["type"], self.take_checkpoint)(line)

    def take_head(self, line):
        members(line, HEAD)
        need(line["format"] == "metergate-receipts-1" and isinstance(line["keys"], list))
        text(line["organization"])
        whole(line["first"])
        digest(line["previous"])
        need(line["first"] > 0)
        for key in line["keys"]:
            self.form_of_key(key)
        self.head, self.next, self.previous = line, line["first"], line["previous"]
        need(line["first"] != 1 or line["previous"] == ZEROS)
        need(len(line["keys"]) > 0)
        before = None
        for key in line["keys"]:
            self.take_key(before, key)
            before = key
        need(self.trusted is None or any(key["publicKey"] == self.trusted for key in line["keys"]))

    def form_of_key(self, key):
        members(key, ["id", "publicKey", "follows"])
        text(key["id"])
        encoded(key["publicKey"], 32)
        follows = key["follows"]
        if follows is not None:
            members(follows, ["at", "signedByPrevious", "signedByItself"])
            text(follows["at"])
            encoded(follows["signedByPrevious"], 64)
            encoded(follows["signedByItself"], 64)

    def take_key(self, before, key):
        follows = key["follows"]
        need((before is None) == (follows is None))
        if before is None:
            return
        message = text_of(
            "metergate-key-1",
            [self.head["organization"], before["id"], before["publicKey"], key["id"], key["publicKey"], follows["at"]],
        )
        need(is_signed(before["publicKey"], message, follows["signedByPrevious"]))
        need(is_signed(key["publicKey"], message, follows["signedByItself"]))

    def take_receipt(self, line):
        members(line, RECEIPT)
        later = [name for name in LATER_FIGURES if name in line["figures"]] if isinstance(line["figures"], dict) else []
        members(line["figures"], [*FIGURES, *(LATER_FIGURES if later else [])])
        need(not later or any(line["figures"][name] is not None for name in LATER_FIGURES))
        whole(line["sequence"])
        digest(line["wordsDigest"])
        digest(line["hash"])
        for value in line["figures"].values():
            field(value)
        need(line["sequence"] == self.next and line["figures"]["organization"] == self.head["organization"])
        words = line["words"]
        if words is not None:
            later = ["requestedModel"] if isinstance(words, dict) and "requestedModel" in words else []
            members(words, WORDS + later)
            for name in later:
                text(words[name])
            digest(words["salt"])
            need(isinstance(words["labels"], list))
            for value in [words["path"], *words["labels"]]:
                text(value)
            for name in WORDS[3:] + ["project"]:
                field(words[name])
            need(words_digest(words) == line["wordsDigest"])
        need(receipt_hash(self.previous, line) == line["hash"])
        self.previous, self.next, self.checked = line["hash"], self.next + 1, self.checked + 1

    def take_checkpoint(self, line):
        members(line, CHECKPOINT)
        is_end = line["type"] == "end"
        whole(line["first"])
        whole(line["last"])
        for name in ("organization", "key", "at", "signature", "previous", "hash"):
            text(line[name])
        need(line["organization"] == self.head["organization"])
        need((line["first"], line["previous"]) == ((self.head["first"], self.head["previous"]) if is_end else (1, ZEROS)))
        need(line["last"] == self.next - 1 and line["hash"] == self.previous)
        key = next((key for key in self.head["keys"] if key["id"] == line["key"]), None)
        need(key is not None and (not is_end or key is self.head["keys"][-1]))
        names = ("organization", "key", "first", "previous", "last", "hash", "at")
        need(is_signed(key["publicKey"], text_of(f"metergate-{line['type']}-1", [line[name] for name in names]), line["signature"]))
        self.ended = is_end


def verify(path, trusted):
    file = File(trusted)
    valid = True
    with open(path, "rb") as lines:
        for data in lines:
            try:
                need(data.endswith(b"\n"))
                file.take(data[:-1])
            except Bad:
                valid = False
                break
    valid = valid and file.ended
    return {"valid": valid, "checked": file.checked, "firstBad": None if valid else file.next}


def trusted_key(given):
    """In base64: as it was given, or from a file in PEM, whose last 32 bytes it is."""
    if not os.path.exists(given):
        return given
    with open(given, encoding="ascii") as lines:
        inner = "".join(line.strip() for line in lines if not line.startswith("-----"))
    return base64.b64encode(base64.b64decode(inner)[-32:]).decode()


if __name__ == "__main__":
    verdict = verify(sys.argv[1], trusted_key(sys.argv[2]) if len(sys.argv) > 2 else None)
    print(json.dumps(verdict))
    sys.exit(0 if verdict["valid"] else 1)
