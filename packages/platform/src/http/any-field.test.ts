/**
 * PostgreSQL stores neither NUL nor half a surrogate pair. If any field of an operation holds one, the answer there is still not a fault.
 * Every operation is called with each of its fields in turn.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newDatabase } from '@metergate/store/test-support/contract-fixture.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { operations } from './app.ts';
import type { Operation } from './operation.ts';
import { filled, shapeOf, type SchemaPart } from './test-support/filled.ts';
import { platformFixture, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let postgres: TestPostgres;
let platform: PlatformFixture;
let acme: TestOrganization;
before(async () => {
  postgres = await testPostgres();
  platform = await platformFixture(await newDatabase(postgres));
  acme = await platform.organization('acme');
});
after(async () => {
  await platform?.end();
  await postgres?.stop();
});

/** A body for each of the operation's fields, in which only that field holds the text; once with valid other fields and once without. */
function bodiesOf({ body }: Operation, text: string): unknown[] {
  if (body === undefined) return [undefined];
  const fair = filled(body as unknown as SchemaPart, 'abc') as Record<string, unknown>;
  return Object.entries(shapeOf(body)).flatMap(([name, part]) => [{ ...fair, [name]: filled(part, text) }, { [name]: filled(part, text) }]);
}

for (const [what, text, coded] of [['NUL', 'a\0b', 'a%00b'], ['half a surrogate pair', 'a\ud800b', 'a%ED%A0%80b']] as const) {
  test(`${what} in any field of any operation never causes a fault`, async () => {
    const cookie = await platform.signIn(acme.emails.owner);
    for (const each of operations) {
      // These would end what the other operations need.
      if (each.id === 'eraseOrganization' || each.path.endsWith('/sign-out')) continue;
      const asker = each.tag === 'views' ? { cookie, headers: { origin: 'http://platform.test', 'sec-fetch-site': 'same-origin' } }
        : each.role === null ? {} : { token: acme.tokens.owner };
      const queries = ['', ...Object.keys(shapeOf(each.query)).map((name) => `?${name}=${coded}`)];
      for (const path of new Set([coded, 'x'].map((value) => each.path.replaceAll(/\{\w+\}/g, value)))) {
        for (const query of queries) {
          for (const body of bodiesOf(each, text)) {
            const { status } = await platform.ask(`/platform/v1${path}${query}`,
              { method: each.method.toUpperCase(), ...asker, ...(body === undefined ? {} : { body }) });
            assert.ok(status < 500, `${each.id} ${query} ${JSON.stringify(body)}: ${status}, ${String(platform.reports.at(-1))}`);
          }
        }
      }
    }
  });
}
