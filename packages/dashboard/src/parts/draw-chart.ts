/** One chart on uPlot: its scales, axes and paths. The page around it is `time-chart.tsx`. */
import uPlot from 'uplot';
import { shownClock, shownDay } from '../shown/moments.ts';
import type { TimeChartProps } from './chart-props.ts';
import { cutBars } from './cut-bars.ts';

export interface DrawnChart {
  resize(width: number): void;
  destroy(): void;
}

/** What is under the pointer: the bar's number, its distance from the left, and the value of the axis there. */
export interface UnderPointer {
  readonly at: number;
  readonly left: number;
  readonly value: number;
}

interface Drawing extends TimeChartProps {
  readonly height: number;
  /** The bar whose time is still running. */
  readonly running: number | null;
  /** Where bars are cut; null: nowhere. */
  readonly cut: number | null;
  readonly onUnder: (under: UnderPointer | null) => void;
}

export function drawChart(place: HTMLElement, drawing: Drawing): DrawnChart {
  const { moments, series, kind, height, cut } = drawing;
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const stacked = kind === 'bars' ? stack(series.map(({ values }) => values)) : series.map(({ values }) => values);
  const data = [moments.map((ms) => ms / 1_000), ...(kind === 'bars' ? stacked.toReversed() : stacked)] as uPlot.AlignedData;
  const order = kind === 'bars' ? series.map((_, at) => series.length - 1 - at) : series.map((_, at) => at);
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height,
      padding: [10, 8, 0, 0],
      legend: { show: false },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      cursor: { x: kind === 'lines', y: false, points: { show: kind === 'lines' }, drag: { x: false, y: false } },
      scales: {
        x: { time: true, range: (_, min, max) => roomFor(moments, kind, min, max) },
        y: { range: (_, __, max) => [0, cut ?? (max > 0 ? max * 1.08 : 1)] },
      },
      series: [{}, ...order.map((at) => seriesOf(kind, color(`--series-${(at % 8) + 1}`)))],
      axes: [timeAxis(color, drawing), { ...axis(color), size: widthOfNames, values: (_, ticks) => ticks.map((tick) => drawing.format(tick)) }],
      hooks: {
        draw: [
          (drawn) => paleRunning(drawn, drawing, color('--mantine-color-body')),
          (drawn) => markCut(drawn, drawing, color('--mantine-color-body')),
        ],
        setCursor: [
          (drawn) => {
            const { cursor: { idx, left = -1, top = -1 }, over } = drawn;
            const isOver = idx !== null && idx !== undefined && left >= 0;
            drawing.onUnder(isOver ? { at: idx, left: left + over.offsetLeft, value: drawn.posToVal(top, 'y') } : null);
          },
        ],
      },
    },
    data,
    place,
  );
  return { resize: (width) => chart.setSize({ width, height }), destroy: () => chart.destroy() };
}

/** Fades the running bar by drawing a veil in the page's color over it. Above it the lines across stay as they are. */
function paleRunning({ ctx, bbox, valToPos }: uPlot, { moments, running, kind, series, cut }: Drawing, veil: string): void {
  if (running === null) return;
  const height = series.reduce((sum, { values }) => sum + (values[running] ?? 0), 0);
  const top = kind === 'lines' ? bbox.top : Math.max(bbox.top, Math.floor(valToPos(Math.min(height, cut ?? height), 'y', true)));
  const at = moments[running]! / 1_000;
  const half = (moments.length > 1 ? (moments[1]! - moments[0]!) / 1_000 : 3_600) / 2;
  const left = Math.max(bbox.left, valToPos(at - half, 'x', true));
  const right = Math.min(bbox.left + bbox.width, valToPos(at + half, 'x', true));
  ctx.save();
  ctx.globalAlpha = 0.55;
  ctx.fillStyle = veil;
  ctx.fillRect(left, top, right - left, bbox.top + bbox.height - top);
  ctx.restore();
}

const markPx = { below: 14, high: 8, half: 28 } as const;

/** Two slanted gaps near the top of each bar that goes on above the chart. */
function markCut({ ctx, bbox, valToPos }: uPlot, { moments, series, cut }: Drawing, gap: string): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = gap;
  ctx.lineWidth = 2 * devicePixelRatio;
  for (const at of cutBars(series, cut)) {
    const middle = valToPos(moments[at]! / 1_000, 'x', true);
    const half = Math.min(markPx.half * devicePixelRatio, bbox.width / moments.length / 2);
    for (const below of [0, 5]) {
      const y = bbox.top + (markPx.below + below) * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(middle - half, y);
      ctx.lineTo(middle + half, y - markPx.high * devicePixelRatio);
      ctx.stroke();
    }
  }
  ctx.restore();
}

function seriesOf(kind: Drawing['kind'], ink: string): uPlot.Series {
  return kind === 'bars'
    ? { fill: ink, stroke: ink, width: 0, points: { show: false }, paths: uPlot.paths.bars!({ size: [0.8, 48], radius: 0.08 }) }
    : { stroke: ink, width: 2, spanGaps: false, points: { size: 5, fill: ink } };
}

const fontPx = 11;
const fontFamily = 'system-ui, sans-serif';

function axis(color: (name: string) => string): uPlot.Axis {
  return {
    stroke: color('--mantine-color-dimmed'),
    font: `${fontPx}px ${fontFamily}`,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    gap: 6,
  };
}

/** As wide as the longest label of the axis. */
function widthOfNames({ ctx }: uPlot, names: readonly string[] | null): number {
  // The canvas counts the screen's own pixels.
  ctx.font = `${fontPx * devicePixelRatio}px ${fontFamily}`;
  const widest = Math.max(0, ...(names ?? []).map((name) => ctx.measureText(name).width / devicePixelRatio));
  return Math.max(30, Math.ceil(widest) + 14);
}

const dayS = 86_400;

/** Bars of days are labelled by day alone, those of hours by the hour of 24. */
function timeAxis(color: (name: string) => string, { step }: Drawing): uPlot.Axis {
  // Only amounts have lines across: bars stand over their times anyway.
  const shared = { ...axis(color), grid: { show: false }, space: 64, size: 28 };
  if (step !== 'day') {
    // Midnight names the day that begins with it.
    return { ...shared, values: (_, ticks) => ticks.map((tick) => (tick % dayS === 0 ? shownDay(tick * 1_000) : shownClock(tick * 1_000))) };
  }
  return {
    ...shared, incrs: [1, 2, 7, 14, 28, 91].map((days) => days * dayS), values: (_, ticks) => ticks.map((tick) => shownDay(tick * 1_000)),
  };
}

/** Half a bar on each side, so that the first and the last bar are whole. */
function roomFor(moments: readonly number[], kind: Drawing['kind'], min: number, max: number): [number, number] {
  const step = moments.length > 1 ? (moments[1]! - moments[0]!) / 1_000 : 3_600;
  const room = kind === 'bars' ? step * 0.6 : 0;
  return [min - room, max + room];
}

/** Stacks each row on those before it. */
function stack(rows: readonly (readonly (number | null)[])[]): number[][] {
  const below = rows[0]?.map(() => 0) ?? [];
  return rows.map((row) => row.map((value, at) => (below[at] = (below[at] ?? 0) + (value ?? 0))));
}
