/** Reports and files of one organization beside those of another, on one report thread. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { othersFirst } from '@metergate/store/threads/others-first.ts';
import { operation } from '../http/operation.ts';
import type { FromReports } from './messages.ts';
import { createReportDesk } from './report-desk.ts';

const shape = { method: 'get', path: '/x', role: 'viewer', tag: 'x', summary: '', answer: z.unknown(), readsLong: true } as const;

test('reports and files of one organization take as many slices as those of another, however many there are', async (t) => {
  // All slices count as short ones: what is made ready for the first few takes longer.
  t.mock.method(process, 'threadCpuUsage', () => ({ user: 0, system: 0 }));
  const slices: string[] = [];
  async function* pieces(organization: string) {
    for (let piece = 0; piece < 4; piece += 1) {
      yield { bytes: new Uint8Array(), calls: 1, cost: 0n, place: null };
      await othersFirst();
      slices.push(organization);
    }
  }
  const answers = new Map<number, (message: FromReports) => void>();
  const desk = createReportDesk({
    operations: [
      operation({ ...shape, id: 'report', async run({ actor: { organization } }) {
        for await (const _ of pieces(organization)) { /* The next slice. */ }
        return 'made';
      } }),
      operation({ ...shape, id: 'file', async run({ actor: { organization } }) {
        return { download: { contentType: 'text/csv', fileName: 'x.csv', pieces: pieces(organization) } };
      } }),
    ],
    context: { store: null as never, randomBytes: () => new Uint8Array() },
    post: (message) => { if (message.kind !== 'ready') answers.get(message.number)!(message); },
  });
  let asked = 0;
  const ask = (message: (number: number) => Parameters<typeof desk.answer>[0]): Promise<FromReports> => {
    const number = asked += 1;
    const { promise, resolve } = Promise.withResolvers<FromReports>();
    answers.set(number, resolve);
    desk.answer(message(number));
    return promise;
  };
  const run = (name: string, organization: string): Promise<FromReports> => ask((number) => ({
    kind: 'run', number, operation: name, request: { actor: { organization } as never, params: {}, query: {}, body: {}, nowMs: 0 },
  }));
  const read = async (organization: string): Promise<void> => {
    const { number: file } = await run('file', organization) as { readonly number: number };
    for (let more = true; more;) {
      const answer = await ask((number) => ({ kind: 'piece', number, file }));
      more = answer.kind === 'piece' && answer.piece !== null;
    }
  };
  const loud = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? run('report', 'loud') : read('loud')));
  await Promise.all([run('report', 'quiet'), read('quiet')]);
  assert.ok(slices.length <= 24, slices.join(' '));
  await Promise.all(loud);
  assert.equal(slices.length, 42 * 4);
});
