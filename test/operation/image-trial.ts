/**
 * By hand, as root on Debian: follows the steps of `deploy/docker/Dockerfile` without Docker, and runs the result as the image would run.
 * Each `FROM` is a root made by debootstrap with Node and npm in it; each instruction is read from the Dockerfile and done in that root. The
 * result runs in its own namespaces: as process 1, as the user `node`, on a root that is read-only except for the volume, without capabilities.
 *
 * `node test/operation/image-trial.ts FOLDER` prints what was done, whether the health check passed, the answers to a call and a page, and the
 * exit code of process 1 at SIGTERM. FOLDER keeps the base, so that the next run is shorter; with a second argument `again` the last
 * result is run again. It takes the image's own Debian (bookworm), this checkout's Node, and the machine's npm, certificates and resolver.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const [place, again] = process.argv.slice(2);
if (place === undefined) throw new Error('name a folder for the roots, on a disk with 3 GB');
const folder = resolve(place);
const base = join(folder, 'base');
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const userId = 1000;

interface Stage {
  readonly name: string;
  readonly root: string;
  readonly env: Record<string, string>;
  directory: string;
  user: string;
  readonly lists: Record<string, readonly string[]>;
}

makeBase();
const stages: Stage[] = [];
for (const [word, rest] of instructions(readFileSync(join(checkout, 'deploy/docker/Dockerfile'), 'utf8'))) {
  say(`${word} ${rest}`);
  if (word === 'FROM') stages.push(stageOn(rest));
  else follow(stages.at(-1)!, word, rest);
}
await tryOut(stages.at(-1)!);

/** The instructions, without comments and with continued lines joined: the word and its arguments. */
function instructions(text: string): [string, string][] {
  return text.split('\n').filter((line) => !line.startsWith('#')).join('\n').replaceAll('\\\n', ' ').split('\n')
    .filter((line) => line.trim() !== '').map((line) => [line.split(' ', 1)[0]!, line.slice(line.indexOf(' ') + 1).replaceAll(/ +/g, ' ')]);
}

function makeBase(): void {
  if (existsSync(join(base, 'usr/local/bin/node'))) return;
  mkdirSync(folder, { recursive: true });
  const words = ['--variant=minbase', '--include=libatomic1', 'bookworm', base];
  if (!existsSync(join(base, 'bin'))) execFileSync('debootstrap', words, { stdio: 'inherit' });
  const npm = join(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())), '..');
  cpSync(npm, join(base, 'usr/local/lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(base, 'usr/local/bin', name));
  execFileSync('chroot', [base, 'useradd', '--uid', String(userId), '--create-home', 'node']);
  cpSync(process.execPath, join(base, 'usr/local/bin/node'));
}

function stageOn(rest: string): Stage {
  const name = / AS (\w+)/.exec(rest)?.[1] ?? 'image';
  const root = join(folder, name);
  if (again === undefined) {
    rmSync(root, { recursive: true, force: true });
    execFileSync('cp', ['-a', base, root]);
  }
  return { name, root, env: {}, directory: '/', user: 'root', lists: {} };
}

function follow(stage: Stage, word: string, rest: string): void {
  switch (word) {
    case 'ENV': return void Object.assign(stage.env, Object.fromEntries(rest.split(' ').map((each) => each.split('=', 2))));
    case 'WORKDIR': stage.directory = rest; return void mkdirSync(join(stage.root, rest), { recursive: true });
    case 'USER': return void (stage.user = rest);
    case 'COPY': return again === undefined ? copy(stage, rest) : undefined;
    case 'RUN': return again === undefined ? runStep(stage, rest) : undefined;
    case 'HEALTHCHECK': return void Object.assign(stage.lists, { health: JSON.parse(rest.slice(rest.indexOf('CMD') + 3)) });
    case 'ENTRYPOINT': case 'CMD': return void Object.assign(stage.lists, { [word]: JSON.parse(rest) });
    case 'VOLUME': return void Object.assign(stage.lists, { volume: [rest] });
    case 'EXPOSE': case 'STOPSIGNAL': return;
    default: throw new Error(`${word} is not known here`);
  }
}

/** The build context is what git tracks: .dockerignore names the rest. */
function copy({ root, directory }: Stage, rest: string): void {
  const [from, to] = rest.replace(/^--from=\w+ /, '').split(' ') as [string, string];
  const source = /^--from=(\w+)/.exec(rest)?.[1];
  if (source !== undefined) return void execFileSync('cp', ['-a', join(folder, source, from), join(root, to)]);
  if (rest !== '. .') throw new Error(`COPY ${rest} is not known here`);
  const archive = execFileSync('git', ['-C', checkout, 'archive', 'HEAD'], { maxBuffer: 512 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', join(root, directory)], { input: archive });
}

/** With the machine's resolver, certificates and registry, which are not part of the image: they are removed afterwards. */
function runStep({ root, directory, env }: Stage, command: string): void {
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  const lent = ['/etc/resolv.conf', certificates, '/usr/etc/npmrc', '/root/.npmrc'].filter((file) => existsSync(file));
  const there = (file: string): string => join(root, file === '/usr/etc/npmrc' ? '/usr/local/etc/npmrc' : file);
  for (const file of lent) cpSync(file, there(file), { recursive: true, dereference: true });
  execFileSync('chroot', [root, '/bin/sh', '-ec', `cd ${directory} && ${command}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: path, HOME: '/root', NODE_EXTRA_CA_CERTS: certificates, npm_config_cache: '/tmp/npm', ...env },
  });
  for (const file of [...lent.map(there), join(root, 'tmp/npm')]) rmSync(file, { recursive: true, force: true });
}

async function tryOut({ root, env, directory, user, lists }: Stage): Promise<void> {
  const volume = lists['volume']![0]!;
  const kept = join(folder, 'volume');
  rmSync(kept, { recursive: true, force: true });
  // A new volume has the owner of the folder that it covers.
  execFileSync('cp', ['-a', join(root, volume), kept]);
  const main = [...lists['ENTRYPOINT']!, ...lists['CMD']!];
  const inside = `mount --bind ${root} ${root} && mount --bind ${kept} ${root}${volume} && mount -t tmpfs tmpfs ${root}/tmp &&
    mount -t proc proc ${root}/proc && mount -o remount,ro,bind ${root} && cd ${root} &&
    exec chroot . setpriv --reuid=${user} --regid=${user} --init-groups --no-new-privs --bounding-set=-all --inh-caps=-all \\
      /bin/sh -c 'cd ${directory} && exec "$@"' sh ${main.join(' ')}`;
  const namespaces = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child'];
  const child = spawn('unshare', [...namespaces, '/bin/sh', '-c', `ip link set lo up && ${inside}`], {
    env: { PATH: path, HOME: join('/home', user), ...env }, stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (text: Buffer) => { said += String(text); });
  const ended = new Promise<number | null>((end) => child.once('close', end));
  for (let waited = 0; waited < 600 && !said.includes('metergate ready') && child.exitCode === null; waited += 1) await pass(100);
  const line = said.split('\n').find((each) => each.startsWith('metergate ready'));
  if (line === undefined) throw new Error(`it was not ready: ${said}`);
  say(line);
  const [first] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  const within = (words: readonly string[]) => spawnSync('nsenter', [
    `--target=${first}`, '--mount', '--net', '--pid', '--root', '--wd', 'chroot', `--userspec=${user}:${user}`, '/', ...words,
  ], { env: { PATH: path, ...env }, encoding: 'utf8' });
  const status = readFileSync(`/proc/${first}/status`, 'utf8');
  const figure = (name: string): string => new RegExp(`^${name}:\\s+(\\w+)`, 'm').exec(status)![1]!;
  say(`process 1 inside: user ${figure('Uid')}, capabilities ${figure('CapEff')} of ${figure('CapBnd')}, no new privileges ${figure('NoNewPrivs')}`);
  say(`health check: ${within(lists['health']!).status}`);
  const asked = (url: string) => `fetch('${url}').then(async (a) => console.log('${url}', a.status, (await a.text()).length, 'bytes'))`;
  for (const url of ['http://127.0.0.1:8080/v1/models', 'http://127.0.0.1:8081/', 'http://127.0.0.1:8082/metrics']) {
    say(within(['node', '-e', asked(url)]).stdout.trim());
  }
  const write = "try { require('fs').writeFileSync('/app/x', '') } catch (e) { console.log(e.code) }";
  say(`writing beside the volume: ${within(['node', '-e', write]).stdout.trim()}`);
  process.kill(Number(first), 'SIGTERM');
  say(`process 1 ended with ${await ended}`);
  say(`the product's layer: ${execFileSync('du', ['-sm', join(root, 'app')], { encoding: 'utf8' }).split('\t')[0]} MB`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
