/**
 * Figures over time: stacked bars or lines, with a tooltip, the same figures as a table for screen readers, and a click that leads to the
 * calls of one bar. Drawn by uPlot; colors come from the theme.
 */
import { Group, Text, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import 'uplot/dist/uPlot.min.css';
import { partAt, type TimeChartProps } from './chart-props.ts';
import { cutNote, cutOf } from './cut-bars.ts';
import { drawChart, type DrawnChart, type UnderPointer } from './draw-chart.ts';
import { usePrinting } from './printing.ts';
import { runningBar, runningNote, soFar } from './running-bar.ts';

/** A chart less high than this is a sketch above a list; its tooltip says which bar is still running. */
const noteHeight = 150;

export function TimeChart(props: TimeChartProps) {
  const { label, moments, series, kind, step, format, height = 220, endsWithRest = false, onPick } = props;
  const cut = cutOf(series, endsWithRest);
  const running = runningBar(moments, step, Date.now());
  const momentName = (ms: number): string => props.momentName(ms) + (running !== null && ms === moments[running] ? soFar[step] : '');
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const printing = usePrinting();
  const [under, setUnder] = useState<UnderPointer | null>(null);
  const drawn = useRef<DrawnChart | null>(null);
  useEffect(() => {
    const place = box.current!;
    drawn.current = drawChart(place, { ...props, height, running, cut, onUnder: setUnder });
    const watch = new ResizeObserver(() => drawn.current?.resize(place.clientWidth));
    watch.observe(place);
    return () => {
      watch.disconnect();
      drawn.current?.destroy();
    };
  }, [moments, series, kind, scheme, printing, height, running, cut]);
  return (
    <figure style={{ margin: 0 }}>
      <div
        className="chart"
        style={{ height, cursor: onPick === undefined ? undefined : 'pointer' }}
        ref={box}
        role="img"
        aria-label={label}
        onClick={() => {
          if (under !== null) onPick?.(moments[under.at]!, kind === 'bars' ? partAt(series, under.at, under.value) : null);
        }}>
        {under === null ? null : (
          <Tip {...{ moments, series, format, momentName }} at={under.at} left={under.left} width={box.current?.clientWidth ?? 0} />
        )}
      </div>
      {series.length < 2 ? null : (
        <Group gap="md" mt={6} component="figcaption">
          {series.map(({ name }, at) => (
            <Group key={at} gap={6} wrap="nowrap">
              <span className="swatch" style={{ background: colorAt(at) }} />
              <Text size="xs" className="wrap">
                {name}
              </Text>
            </Group>
          ))}
        </Group>
      )}
      {cut === null ? null : (
        <Text size="xs" c="dimmed" mt={6}>
          {cutNote}
        </Text>
      )}
      {running === null || height < noteHeight ? null : (
        <Text size="xs" c="dimmed" mt={6}>
          {runningNote[step]}
        </Text>
      )}
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th>Time</th>
              {series.map(({ name }, at) => (
                <th key={at}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {moments.map((ms, at) => (
              <tr key={ms}>
                <th>{momentName(ms)}</th>
                {series.map(({ values }, of) => (
                  <td key={of}>{shown(values[at], format)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function colorAt(at: number): string {
  return `var(--series-${(at % 8) + 1})`;
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

function Tip({
  at,
  left,
  width,
  moments,
  series,
  format,
  momentName,
}: Pick<TimeChartProps, 'moments' | 'series' | 'format' | 'momentName'> & {
  readonly at: number;
  readonly left: number;
  readonly width: number;
}) {
  const side = left > width / 2 ? { right: width - left + 12 } : { left: left + 12 };
  const rows = series
    .map((each, index) => ({ ...each, index, value: each.values[at] }))
    .filter(({ value }) => value !== 0 || series.length === 1);
  return (
    <div className="chart-tip" style={{ top: 4, ...side }}>
      <Text size="xs" fw={600} mb={2}>
        {momentName(moments[at]!)}
      </Text>
      {rows.length === 0 ? (
        <Text size="xs" c="dimmed">
          nothing
        </Text>
      ) : (
        rows.map(({ name, value, index }) => (
          <Group key={index} gap={6} wrap="nowrap" justify="space-between">
            <Group gap={6} wrap="nowrap" className="grow">
              <span className="swatch" style={{ background: colorAt(index) }} />
              <span className="clip" style={{ maxWidth: 180 }}>
                {name}
              </span>
            </Group>
            <span className="figure">{shown(value, format)}</span>
          </Group>
        ))
      )}
    </div>
  );
}
