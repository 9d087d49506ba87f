/**
 * Writes `src/api/schema.ts`: the platform's OpenAPI document as types, which the client of the pages is made of.
 * `npm ci`, `npm run dev` and `npm test` run it; `npm run client -w packages/dashboard` after a change of the platform's operations. The file is
 * not checked in. It is written only if it changed, so that a watching compiler is left alone.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { platformApp } from '@metergate/platform/http/app.ts';
import openapiTypescript, { astToString } from 'openapi-typescript';

const place = fileURLToPath(new URL('src/api/schema.ts', import.meta.url));
// The document is made of the operations alone: no part of a running platform takes part in it.
const parts = { publicUrl: 'http://127.0.0.1:8081' } as Parameters<typeof platformApp>[0];
const answer = await platformApp(parts).request('/platform/v1/openapi.json');
const types = astToString(await openapiTypescript(await answer.text(), { alphabetize: true }));
const text = `/** The platform's HTTP as types. Made by generate-client.ts of its OpenAPI document; do not edit. */\n\n${types}`;

if (!existsSync(place) || readFileSync(place, 'utf8') !== text) writeFileSync(place, text);
