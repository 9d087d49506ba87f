/**
 * Writes `src/api/schema.ts`: the platform's OpenAPI document as types, which the client of the pages is made of.
 * `npm run client -w packages/dashboard`, after every change of the platform's operations. With `--check` it writes nothing and
 * fails where the file says something else than the document.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { platformApp } from '@metergate/platform/http/app.ts';
import openapiTypescript, { astToString } from 'openapi-typescript';

const place = fileURLToPath(new URL('src/api/schema.ts', import.meta.url));
// The document is made of the operations alone: no part of a running platform takes part in it.
const parts = { publicUrl: 'http://127.0.0.1:8081' } as Parameters<typeof platformApp>[0];
const answer = await platformApp(parts).request('/platform/v1/openapi.json');
const types = astToString(await openapiTypescript(await answer.text(), { alphabetize: true }));
const text = `/** The platform's HTTP as types. Made by generate-client.ts of its OpenAPI document; do not edit. */\n\n${types}`;

if (!process.argv.includes('--check')) writeFileSync(place, text);
else if (readFileSync(place, 'utf8') !== text) {
  process.stderr.write('src/api/schema.ts is not what the OpenAPI document says. Run: npm run client -w packages/dashboard\n');
  process.exitCode = 1;
}
