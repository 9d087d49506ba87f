/** The grouped chart is loaded where an address asks for it: most overviews have none. */
import { onDemand } from '../../parts/on-demand.tsx';

export const Grouped = onDemand(async () => (await import('./grouped-over-time.tsx')).GroupedOverTime);
