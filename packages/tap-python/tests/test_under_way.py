"""What a flow of control is in the middle of: the innermost plain function or coroutine, for each thread and task separately."""

from __future__ import annotations

import asyncio
import threading
import unittest
from typing import List, Optional

from metergate_tap.observe.under_way import UnderWay


class WhatIsUnderWay(unittest.TestCase):
    def setUp(self) -> None:
        self.under_way: UnderWay[str] = UnderWay("tests")

    async def in_task(self, name: str, meanwhile: Optional[asyncio.Event] = None) -> List[Optional[str]]:
        before = self.under_way.enter_in_task(name)
        try:
            seen = [self.under_way.here()]
            if meanwhile is not None:
                await meanwhile.wait()
            seen += [self.under_way.here(), self.in_function("function"), self.under_way.here()]
            return seen
        finally:
            self.under_way.leave_in_task(before)

    def in_function(self, name: str) -> Optional[str]:
        before = self.under_way.enter(name)
        try:
            return self.under_way.here()
        finally:
            self.under_way.leave(before)

    def test_functions_inside_of_functions(self) -> None:
        outer = self.under_way.enter("outer")
        self.assertEqual(self.in_function("inner"), "inner")
        self.assertEqual(self.under_way.here(), "outer")
        self.under_way.leave(outer)
        self.assertIsNone(self.under_way.here())
        self.assertEqual(self.under_way._by_thread, {})

    def test_a_function_inside_of_a_coroutine_inside_of_a_function(self) -> None:
        outer = self.under_way.enter("outer")
        self.assertEqual(asyncio.run(self.in_task("task")), ["task", "task", "function", "task"])
        self.assertEqual(self.under_way.here(), "outer")
        self.under_way.leave(outer)

    def test_tasks_that_take_turns(self) -> None:
        async def both() -> List[List[Optional[str]]]:
            meanwhile = asyncio.Event()
            first = asyncio.ensure_future(self.in_task("first", meanwhile))
            await asyncio.sleep(0)
            second = await self.in_task("second")
            self.assertIsNone(self.under_way.here())
            meanwhile.set()
            return [await first, second]

        first, second = asyncio.run(both())
        self.assertEqual((first, second), (["first", "first", "function", "first"], ["second", "second", "function", "second"]))

    def test_threads_know_nothing_of_each_other(self) -> None:
        seen: List[Optional[str]] = []
        outer = self.under_way.enter("here")
        thread = threading.Thread(target=lambda: seen.extend([self.under_way.here(), self.in_function("there"), self.under_way.here()]))
        thread.start()
        thread.join()
        self.under_way.leave(outer)
        self.assertEqual(seen, [None, "there", None])


if __name__ == "__main__":
    unittest.main()
