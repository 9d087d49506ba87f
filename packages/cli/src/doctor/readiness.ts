/** What the server at the ops address answers to `/readyz`. */
import type { ListenAddress } from '../config/config.ts';
import { finding, type Finding } from './finding.ts';

const answerMs = 2_000;

/** Empty if no Metergate server answers there. */
export async function examineReadiness({ host, port }: ListenAddress): Promise<Finding[]> {
  if (port === 0) return [];
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/readyz`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerMs) });
    const [first, ...lines] = (await answer.text()).split('\n').filter((line) => line !== '');
    if (first === 'ready') return [finding('server', 'ok', 'The server on this machine is ready.')];
    if (first !== 'not ready') return [];
    return lines.map((line) => finding('server', 'fail', `The server on this machine is not ready: ${line.replace(/^\w+: /, '')}`));
  } catch {
    return [];
  }
}
