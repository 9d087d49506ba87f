/** Which client is behind a destination, on this Node and on one that has no parser for it: each in a separate process, without a warning. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

const here = new URL('./', import.meta.url);
const program = `
  import { createServer } from 'node:net';
  const { createDestination } = await import(${JSON.stringify(new URL('create-destination.ts', here).href)});
  const { createUndiciDestination } = await import(${JSON.stringify(new URL('undici-destination.ts', here).href)});
  const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const timeouts = { connectMs: 5000, headMs: 5000, idleBodyMs: 5000 };
  const destination = createDestination({ origin: 'http://127.0.0.1:' + server.address().port, timeouts, guard: null });
  const request = { method: 'GET', target: '/', headers: [], body: null, contentLength: null, keyId: '' };
  const said = await new Promise((resolve) => destination.send(request, {
    head() {}, data() {}, end: () => resolve('end'), failed: ({ kind }) => resolve(kind),
  }));
  console.log(createDestination === createUndiciDestination ? 'undici' : 'our own', said);
  await destination.close();
  server.close();
`;

/** The result in a Node that is changed in this way before anything else runs. */
function on(change: string, flags: readonly string[] = []): string {
  const child = spawnSync(process.execPath, [...flags, '--input-type=module', '--import', `data:text/javascript,${encodeURIComponent(change)}`,
    '--eval', program], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(child.stderr, '');
  return child.stdout.trim();
}

it('is our own if Node has the parser, without a deprecation warning, pending or not', () => {
  assert.equal(on(''), 'our own end');
  assert.equal(on('', ['--pending-deprecation', '--throw-deprecation']), 'our own end');
});

it('is undici if Node has no such parser, has another, or is newer than the tested versions', () => {
  const broken = 'class HTTPParser { initialize() {} execute() { return 0; } close() {} }';
  for (const change of [
    'process.getBuiltinModule = () => undefined;', 'process.getBuiltinModule = undefined;', 'process.getBuiltinModule = () => ({});',
    `${broken} process.getBuiltinModule = () => ({ HTTPParser });`,
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "999.0.0" } });',
  ]) assert.equal(on(change), 'undici end', change);
});

it('stays strict if Node is started with a lenient parser and long heads', () => {
  assert.equal(on('', ['--no-warnings', '--insecure-http-parser', '--max-http-header-size=999999']), 'our own end');
});
