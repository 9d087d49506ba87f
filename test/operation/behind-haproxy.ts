/** A real haproxy in front of gateway nodes, as `deploy/docker/haproxy.cfg` sets it up, and calls through it, for the trials by hand. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { wanting } from '@metergate/testkit/cluster.ts';

export interface ProxyPorts {
  readonly listen: number;
  readonly gateways: readonly number[];
  readonly ops: readonly number[];
}

/** Ports that are free now: for the proxy, two gateways and their readiness. */
export async function freePorts(): Promise<ProxyPorts> {
  const servers = await Promise.all([0, 1, 2, 3, 4].map(async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }));
  const [listen, ...others] = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return { listen: listen!, gateways: others.slice(0, 2), ops: others.slice(2) };
}

/** Starts haproxy, which polls each node twice a second. The caller must kill it. @throws Error if it ends at once, as without its port */
export async function startHaproxy(folder: string, { listen, gateways, ops }: ProxyPorts): Promise<ChildProcess> {
  const file = join(folder, 'haproxy.cfg');
  const servers = gateways.map((port, at) => `  server node-${at + 1} 127.0.0.1:${port} port ${ops[at]}`).join('\n');
  writeFileSync(file, `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  retries 0
  option http-keep-alive
frontend gateway
  bind 127.0.0.1:${listen}
  use_backend without_store if { nbsrv(nodes) eq 0 }
  default_backend nodes
backend nodes
  balance leastconn
  option httpchk GET /readyz
  http-reuse safe
  default-server check inter 500ms fall 1 rise 1
${servers}
backend without_store
  balance leastconn
  option httpchk GET /readyz?ignore=store
  http-reuse safe
  default-server check inter 500ms fall 1 rise 1
${servers}
`);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  await pass(2_000);
  if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}: is port ${listen} free?`);
  return child;
}

export interface Seen {
  /** `200`, or what the caller saw instead. */
  readonly code: string;
  readonly atMs: number;
}

/** That many callers, each with one call after the other, answered after 20 ms, until `end`. Every third caller has a run. */
export function beginLoad(url: string, key: string, callers: number): { end(): Promise<Seen[]> } {
  const seen: Seen[] = [];
  const load = { going: true };
  const running = Promise.all(Array.from({ length: callers }, async (_, caller) => {
    const headers: Record<string, string> = caller % 3 === 0 ? { 'x-svc-run-id': `load-${Date.now()}-${caller}`, 'x-svc-run-budget': '1000' } : {};
    while (load.going) {
      const code = await callThrough(url, key, headers);
      seen.push({ code, atMs: Date.now() });
      if (code !== '200') await pass(50);
    }
  }));
  return {
    async end() {
      load.going = false;
      await running;
      return seen;
    },
  };
}

/** One call that costs a cent; gives what its caller saw. */
export async function callThrough(url: string, key: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  try {
    const answer = await fetch(`${url}/upstream/v1/chat/completions`, {
      method: 'POST', body: wanting(0.01, 20), headers: { authorization: `Bearer ${key}`, ...headers },
    });
    const text = await answer.text();
    return answer.status === 200 ? '200' : `${answer.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? 'proxy'}`;
  } catch (error) {
    return `broken (${(error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : (error as Error).message})`;
  }
}

/** `7480 x 200, 2 x 503 budget_unverifiable`. */
export function countsText(answers: readonly Seen[]): string {
  const counts = new Map<string, number>();
  for (const { code } of answers) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].map(([code, count]) => `${count} x ${code}`).join(', ');
}
