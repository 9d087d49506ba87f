/** How a page scrolls, and how a bare page with the same rows scrolls in the same browser: more than that this machine does not show. */
import type { Page } from 'playwright-core';

/** How far a wheel is turned, at most, down and up again; pixels, and pixels a second. */
const wayPx = 4_000;
const speed = 4_000;

export interface Scrolled {
  /** How many frames a second. */
  readonly perSecond: number;
  /** The longest wait for a frame. */
  readonly longestMs: number;
}

/** `x`: where the wheel is turned. Null: nothing to scroll. */
export async function scrolled(page: Page, x: number): Promise<Scrolled | null> {
  const room = await page.evaluate<number>('document.documentElement.scrollHeight - innerHeight');
  if (room < 100) return null;
  await page.evaluate(`globalThis.benchFrames = [];
    (function note(at) { benchFrames?.push(at); if (benchFrames) requestAnimationFrame(note); })(performance.now())`);
  const session = await page.context().newCDPSession(page);
  for (const yDistance of [-1, 1]) {
    await session.send('Input.synthesizeScrollGesture', {
      x, y: 400, yDistance: yDistance * Math.min(room, wayPx), speed, gestureSourceType: 'mouse',
    });
  }
  await session.detach();
  const times = await page.evaluate<number[]>('(() => { const found = benchFrames; benchFrames = null; return found; })()');
  const gaps = times.slice(1).map((time, at) => time - times[at]!);
  return { perSecond: (gaps.length / (times.at(-1)! - times[0]!)) * 1_000, longestMs: Math.max(...gaps) };
}

/** The same for a bare page of the rows that the open one shows, as plain text, and as many as the wheel goes over. Null: it has no table. */
export async function scrolledBare(page: Page, x: number): Promise<Scrolled | null> {
  const rows = await page.evaluate<readonly (readonly string[])[]>(`[...document.querySelectorAll('main table tbody tr:not([aria-hidden])')]
    .map((row) => [...row.children].map((cell) => cell.innerText))`);
  if (rows.length === 0) return null;
  const cells = (row: readonly string[]): string => row.map((text) => `<td>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</td>`).join('');
  const all = Array.from({ length: 150 }, (_, at) => `<tr>${cells(rows[at % rows.length]!)}</tr>`).join('');
  const bare = await page.context().newPage();
  await bare.setContent(`<!doctype html><style>
    body { margin: 64px 24px 24px 252px; font: 13.4px system-ui, sans-serif }
    table { width: 100%; table-layout: fixed; border-collapse: collapse }
    td { padding: 7px 12px; height: 22px; white-space: nowrap; border-bottom: 1px solid #ddd }
  </style><table>${all}</table>`);
  try {
    return await scrolled(bare, x);
  } finally {
    await bare.close();
  }
}
