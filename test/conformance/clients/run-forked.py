"""Runs programs for Python, each in a process of its own that is forked when what it imports is there: some packages take seconds to import.

A line of standard input is one program, as JSON: `code`, `folder` (where it runs), `env` (all of its environment), and `out` and `err`, the files
for what it prints. A line of standard output is the code that it ended with.
"""
import ast
import gc
import json
import os
import sys

for line in sys.stdin:
    asked = json.loads(line)
    imports = [each for each in ast.parse(asked["code"]).body if isinstance(each, (ast.Import, ast.ImportFrom))]
    exec(compile(ast.Module(imports, []), "imports", "exec"), {})
    # At its end the child would otherwise look through all that was imported, which takes longer than its call.
    gc.collect()
    gc.freeze()
    child = os.fork()
    if child == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()

for name, flags, number in ((os.devnull, os.O_RDONLY, 0), (asked["out"], os.O_WRONLY, 1), (asked["err"], os.O_WRONLY, 2)):
    os.dup2(os.open(name, flags | os.O_CREAT), number)
os.chdir(asked["folder"])
os.environ.clear()
os.environ.update(asked["env"])
# Below all the rest: the child then ends as any program does.
exec(compile(asked["code"], "program", "exec"), {"__name__": "__main__"})
