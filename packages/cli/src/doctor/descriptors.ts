/** How many files a server started from this shell may open, and how many callers that allows. */
import { connectionBounds } from '@metergate/gateway/fairness/descriptors.ts';
import { finding, type Finding } from './finding.ts';

const fewCallers = 1_000;

/** `limit`: Infinity if nothing bounds it. */
export function descriptorsFinding(limit: number): Finding {
  const { callers } = connectionBounds(limit);
  if (limit === Number.POSITIVE_INFINITY) return finding('descriptors', 'ok', 'There is no limit on the files a server may open.');
  const message = `A server started from here may open ${limit} files, enough for ${callers} callers at once.`;
  if (callers >= fewCallers) return finding('descriptors', 'ok', message);
  return finding('descriptors', 'warn', `${message} Raise it with ulimit -n 65536, or LimitNOFILE=65536 in its unit.`);
}
