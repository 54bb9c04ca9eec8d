"""The reviewers of bench_load: some save by HTTP what a page in review mode sends, some press its
keys in a Chromium of their own."""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from uuid import uuid4

import httpx

if TYPE_CHECKING:
    from playwright.async_api import Page, Response

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
PATIENCE = 180_000  # milliseconds for a page to be drawn, or a press to be answered
KEYS = "yx"
"""What is pressed in turn: relevant, not relevant."""


@dataclass
class Saves:
    """The seconds of each save, the names of those that were acknowledged, and the faults."""

    took: list[float] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def note(self, answer: Any) -> None:
        """Note what the server answered to some acts."""
        for result in answer["results"]:
            if result["problem"]:
                self.faults.append(result["problem"])
            else:
                self.acknowledged.append(result["once"])


def thinking(seconds: float) -> float:
    """The seconds until the next press."""
    return random.uniform(0.5, 1.5) * seconds


async def judge(
    client: httpx.AsyncClient, names: tuple[str, str, list[str]], steps: int, think: float
) -> Saves:
    """One reviewer: saves a verdict after each while of thinking, and looks every second
    meanwhile."""
    collection, query, items = names
    saves = Saves()
    author, number = f"reviewer {uuid4().hex[:8]}", "-1"
    for _ in range(steps):
        rest = thinking(think)
        while rest > 0:
            await asyncio.sleep(min(rest, 1.0))
            rest -= 1.0
            asked = {"collection": collection, "query": query, "author": author, "after": number}
            try:
                seen = await client.get("/judgements", params=asked)
            except httpx.HTTPError as fault:
                saves.faults.append(repr(fault))
                continue
            if seen.status_code == 200:
                number = str(seen.json()["number"])
            elif seen.status_code != 204:
                saves.faults.append(f"a look was answered with {seen.status_code}")
        act = {
            "once": uuid4().hex, "kind": "verdict", "collection": collection, "query": query,
            "author": author, "item": random.choice(items), "value": "not", "cause": "label",
        }  # fmt: skip
        begun = time.perf_counter()
        try:
            answer = await client.post("/judgements", json={"acts": [act]})
            saves.note(answer.json())
        except (httpx.HTTPError, ValueError, KeyError) as fault:
            saves.faults.append(repr(fault))
            continue
        saves.took.append(time.perf_counter() - begun)
    return saves


@asynccontextmanager
async def chromiums(url: str, collection: str, queries: Sequence[str]) -> AsyncIterator[list[Page]]:
    """A Chromium for each query, which is open in it in review mode, under a name of its own."""
    if not queries:
        yield []
        return
    from playwright.async_api import async_playwright  # needed only with --browsers

    async with async_playwright() as playwright, AsyncExitStack() as opened:
        pages = []
        for query in queries:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
            opened.push_async_callback(browser.close)
            page = await browser.new_page()
            name = json.dumps(f"reviewer {uuid4().hex[:8]} in Chromium")
            await page.add_init_script(f"localStorage.setItem('search-quality-reviewer', {name})")
            asked = {"collection": collection, "query": query, "judging": "yes"}
            await page.goto(f"{url}/query?{urlencode(asked)}", timeout=PATIENCE)
            await page.locator(".card.front").wait_for(timeout=PATIENCE)
            pages.append(page)
        yield pages


async def press(page: Page, steps: int, think: float) -> Saves:
    """One reviewer in a browser: presses the key of a verdict after each while of thinking. A save
    takes from the key to the answer in the page."""
    from playwright.async_api import Error

    saves = Saves()
    for step in range(steps):
        await asyncio.sleep(thinking(think))
        begun = time.perf_counter()
        try:
            async with page.expect_response(_is_save, timeout=PATIENCE) as answer:
                await page.keyboard.press(KEYS[step % len(KEYS)])
            saves.note(await (await answer.value).json())
        except (Error, ValueError, KeyError) as fault:
            saves.faults.append(repr(fault))
            continue
        saves.took.append(time.perf_counter() - begun)
    return saves


def _is_save(response: Response) -> bool:
    return response.request.method == "POST" and response.url.endswith("/judgements")


def in_words(each: Sequence[Saves], stored: set[str]) -> str:
    """How long the saves took, the faults, and how many of those acknowledged are stored."""
    took = sorted(one for saves in each for one in saves.took)
    acknowledged = {once for saves in each for once in saves.acknowledged}
    faults = [fault for saves in each for fault in saves.faults]
    if not took:
        return f"no save was answered; {len(faults)} faults {faults[:3]}"
    return (
        f"{len(took)} saves: {1000 * statistics.median(took):.0f} ms at the median, "
        f"{1000 * took[int(0.95 * (len(took) - 1))]:.0f} ms at p95, {1000 * took[-1]:.0f} ms at "
        f"most; {len(faults)} faults {faults[:3]}; {len(acknowledged)} acknowledged, "
        f"{len(acknowledged & stored)} of them stored"
    )
