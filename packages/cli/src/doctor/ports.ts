/**
 * The three addresses: free, answered by metergate, or taken by another program. One request each, with a short timeout: a server that does not
 * answer in time may be metergate, so it is not reported as another program.
 */
import { request, type IncomingMessage } from 'node:http';
import { header } from '@metergate/core/id.ts';
import type { Config, ListenAddress } from '../config/config.ts';
import { finding, type Finding } from './finding.ts';

const answerMs = 2_000;
const answerBytesMax = 4_096;

interface Listener {
  readonly name: string;
  readonly variable: string;
  readonly path: string;
  readonly address: ListenAddress;
  /** Whether this listener gives such an answer. */
  readonly knows: (answer: Answer) => boolean;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export function examinePorts({ gateway, platform, ops }: Config): Promise<Finding[]> {
  const listeners: Listener[] = [
    { name: 'gateway port', variable: 'SVC_GATEWAY_PORT', path: '/', address: gateway, knows: ({ headers }) => header.requestId in headers },
    { name: 'platform port', variable: 'SVC_PLATFORM_PORT', path: '/', address: platform, knows: ({ body }) => body.includes('Metergate') },
    { name: 'ops port', variable: 'SVC_OPS_PORT', path: '/healthz', address: ops, knows: ({ status }) => status === 200 },
  ];
  return Promise.all(listeners.map(examinePort));
}

async function examinePort({ name, variable, path, address, knows }: Listener): Promise<Finding> {
  const { port } = address;
  if (port === 0) return finding(name, 'ok', 'Any free port will be used.');
  const answer = await ask(address, path);
  if (answer === 'refused') return finding(name, 'ok', `${port} is free.`);
  if (answer === 'slow') {
    return finding(name, 'warn', `Something listens on ${port} and gave no answer within ${answerMs / 1_000} seconds: metergate itself if `
      + `it is busy, or another program. Ask again; if it stays so, look at what listens there, or set ${variable} to another port.`);
  }
  if (answer !== 'silent' && knows(answer)) return finding(name, 'ok', `metergate answers on ${port}.`);
  return finding(name, 'fail', `${port} is taken by something else. End it, or set ${variable} to another port.`);
}

type Unanswered = 'refused' | 'slow' | 'silent';

/** `refused`: nobody listens there. `slow`: no answer came in time. `silent`: the answer was not HTTP. */
function ask({ host, port }: ListenAddress, path: string): Promise<Answer | Unanswered> {
  const { promise, resolve } = Promise.withResolvers<Answer | Unanswered>();
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const asked = request({ host: reachable, port, path, agent: false }, (response) => {
    let body = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      body += text;
      if (body.length > answerBytesMax) response.destroy();
    });
    response.on('close', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
  });
  const late = setTimeout(() => {
    resolve('slow');
    asked.destroy();
  }, answerMs);
  asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'silent'));
  // After a 101 that nobody asked for, the client tells no more than this.
  asked.on('close', () => {
    clearTimeout(late);
    resolve('silent');
  });
  asked.end();
  return promise;
}
