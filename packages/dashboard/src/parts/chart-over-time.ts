/** The chart over time, whose library is loaded with the first chart. */
import { onDemand } from './on-demand.tsx';

export const ChartOverTime = onDemand(async () => (await import('./time-chart.tsx')).TimeChart);
