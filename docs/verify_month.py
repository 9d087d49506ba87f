"""Verify the file of a closed month: python3 verify_month.py FILE [PUBLIC_KEY]

PUBLIC_KEY is the file that `metergate receipts public-key` prints, or the key in base64 as the first line of FILE has it.

Written from docs/month.md and docs/receipts.md alone, with nothing but Python's standard library; verify_receipts.py beside
it has what both need. It prints one JSON object {"valid", "month", "version", "adjustedCost", "line"}, where `line` is the
first line that is not what must stand there, and exits 0 where the file is whole, 1 where it is not.
"""

import hashlib
import json
import re
import sys

from verify_receipts import Bad, File, digest, is_signed, members, need, parse, sha256, text, text_of, trusted_key, whole

ORDER = {
    "month": "type format organization month version closedAt sequence hash keys",
    "name": "type number digest salt text",
    "calls": "type month key project labels model wire figures",
    "day": "type day model wire figures",
    "correction": "type month source provider day model amount bill",
    "without": "type node reason",
    "rules": "type text markup currency rate rateDate",
    "allocation": "type team share project model figures",
    "team": "type team figures correction late lateCorrection adjustedCost markup converted",
    "total": "type figures correction late lateCorrection adjustedCost",
    "end": "type digest key signature",
}
ORDER["late"], ORDER["late_correction"] = ORDER["calls"], ORDER["correction"]
SIGNED = ("organization", "month", "version", "closedAt", "sequence", "hash")


def money(value):
    need(isinstance(value, str) and re.fullmatch(r"-?\d+\.\d{9}", value) is not None)
    return int(value.replace(".", ""))


def count(value):
    need(isinstance(value, str) and re.fullmatch(r"\d+", value) is not None)
    return int(value)


class Month(File):
    def __init__(self, trusted):
        super().__init__(trusted)
        self.lines, self.names, self.after_names, self.total, self.sums = hashlib.sha256(), 0, False, None, {}

    def take(self, data):
        line = parse(data, ORDER)
        need(not self.ended and (line["type"] == "month") == (self.head is None))
        members(line, ORDER[line["type"]].split())
        if line["type"] == "month":
            self.take_head(line)
        elif line["type"] == "name":
            self.take_name(line)
        elif line["type"] == "end":
            self.take_end(line)
        else:
            self.after_names = True
            self.add(line)
            self.lines.update(data + b"\n")

    def take_head(self, line):
        need(line["format"] == "metergate-month-1" and isinstance(line["keys"], list) and len(line["keys"]) > 0)
        whole(line["version"])
        whole(line["sequence"])
        digest(line["hash"])
        for key in line["keys"]:
            self.form_of_key(key)
        self.head = line
        before = None
        for key in line["keys"]:
            self.take_key(before, key)
            before = key
        need(self.trusted is None or any(key["publicKey"] == self.trusted for key in line["keys"]))

    def take_name(self, line):
        self.names += 1
        need(not self.after_names and line["number"] == self.names and (line["salt"] is None) == (line["text"] is None))
        digest(line["digest"])
        kept = {name: line[name] for name in ("type", "number", "digest")}
        self.lines.update(json.dumps(kept, separators=(",", ":")).encode() + b"\n")
        if line["text"] is not None:
            text(line["salt"])
            text(line["text"])
            need(sha256(text_of("metergate-name-1", [line["salt"], line["text"]])) == line["digest"])

    def add(self, line):
        if line["type"] == "total":
            self.total = line
        elif line["type"] in ("calls", "day", "allocation", "team"):
            calls, cost, adjusted = self.sums.get(line["type"], (0, 0, 0))
            paid = money(line["adjustedCost"]) if line["type"] == "team" else 0
            figures = line["figures"]
            self.sums[line["type"]] = (calls + count(figures["calls"]), cost + money(figures["cost"]), adjusted + paid)

    def take_end(self, line):
        need(line["digest"] == self.lines.hexdigest())
        key = next((key for key in self.head["keys"] if key["id"] == line["key"]), None)
        need(key is not None)
        fields = [*(self.head[name] for name in SIGNED), line["digest"], line["key"]]
        need(is_signed(key["publicKey"], text_of("metergate-month-1", fields), line["signature"]))
        need(self.total is not None)
        calls, cost, adjusted = (
            count(self.total["figures"]["calls"]), money(self.total["figures"]["cost"]), money(self.total["adjustedCost"]),
        )
        for kind in ("calls", "day"):
            need(kind in self.sums or calls == 0)
        for kind, sums in self.sums.items():
            need(sums == (calls, cost, adjusted if kind == "team" else 0))
        self.ended = True


def verify(path, trusted):
    month, number, valid = Month(trusted), 0, True
    with open(path, "rb") as lines:
        for data in lines:
            number += 1
            try:
                need(data.endswith(b"\n"))
                month.take(data[:-1])
            except (Bad, KeyError, TypeError):
                valid = False
                break
    valid = valid and month.ended
    head, total = month.head or {}, month.total or {}
    return {
        "valid": valid, "month": head.get("month"), "version": head.get("version"), "adjustedCost": total.get("adjustedCost"),
        "line": None if valid else number,
    }


if __name__ == "__main__":
    verdict = verify(sys.argv[1], trusted_key(sys.argv[2]) if len(sys.argv) > 2 else None)
    print(json.dumps(verdict))
    sys.exit(0 if verdict["valid"] else 1)
