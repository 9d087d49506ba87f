/** The dimensions of calls, in words. */
import type { Dimension } from './usage-rows.ts';

export const dimensionNames = {
  model: 'Model',
  key: 'Key',
  person: 'Person',
  project: 'Project',
  label: 'Label',
  run: 'Run',
  upstream: 'Upstream',
  wire: 'Wire',
  endpoint: 'Endpoint',
  day: 'Day (UTC)',
  month: 'Month (UTC)',
  hour: 'Hour (UTC)',
} satisfies Record<Dimension | 'hour', string>;
