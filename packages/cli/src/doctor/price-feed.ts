/** Whether the price feed gives a usable list, as the server at the ops address says. */
import type { Config } from '../config/config.ts';
import { finding, type Finding } from './finding.ts';

const answerMs = 2_000;
const name = 'price feed';

/** Empty if no feed is configured, or no server answers there. */
export async function examinePriceFeed({ priceFeed, ops: { host, port } }: Pick<Config, 'priceFeed' | 'ops'>): Promise<Finding[]> {
  if (priceFeed === null || port === 0) return [];
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  try {
    const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/metrics`;
    const text = await (await fetch(url, { signal: AbortSignal.timeout(answerMs) })).text();
    const failing = /^metergate_price_feed_failing_seconds (\S+)$/m.exec(text)?.[1];
    if (failing === undefined) return [];
    const hours = Math.floor(Number(failing) / 3_600);
    const since = hours < 1 ? 'less than an hour' : `${hours} h`;
    if (Number(failing) === 0) return [finding(name, 'ok', 'The price feed is asked once a day and gives a usable list.')];
    return [finding(name, 'warn', `The price feed has given no usable list for ${since}. The server's log says why; the list in force stays.`)];
  } catch {
    return [];
  }
}
