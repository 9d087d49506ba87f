/**
 * Builds the pages into `dist`: bundled, split by page, with a compressed copy of each file beside it for the platform to serve. Before that it
 * makes the types of the pages' client.
 * `node build.mjs [--if-possible]`: with `--if-possible`, an installation without development dependencies, or without the sources,
 * is left as it is.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** What the first page needs: the libraries that draw, and what sends its requests. */
const neededFirst = anyOf([
  /node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?!(?:react-)?virtual)[^/]+|openapi-[^/]+|clsx)\//,
  /node_modules\/use-sync-external-store\//, /node_modules\/(?:klona|fast-deep-equal)\//,
  /@mantine\/(?:core\/esm\/(?:core|components\/Box)|hooks|store)\//, /dashboard\/src\/api\//, /dashboard\/src\/app\/[a-z-]+[.]ts$/, /preload-helper/,
  /dashboard\/src\/pages\/[^/]+\/[a-z-]+-(?:asks|data|on-demand|before)[.]ts$/, /dashboard\/src\/shown\/(?:ranges|months|moments|key-names)[.]/,
  /dashboard\/src\/parts\/(?:on-demand|chart-over-time|usage-rows|rows-by-line|pieces|long-list-query|windowed-rows)[.]/,
]);
/** What pages show of figures, and what stands around it: the overview and the sign-in have no more. */
const shownFirst = anyOf([
  /dashboard\/src\/shown\//, /dashboard\/src\/parts\/(?:page|states|broken-part|range-picker|records-gone|usage-cost|share-bar|figure)[.]/,
  /dashboard\/src\/parts\/(?:state-badge|form-fault|filter-on-demand|spent-bar|printing|dimension-names|secret-input)[.]/,
  /dashboard\/src\/app\/brand/, /mark[.]svg/,
  /dashboard\/src\/frame\/(?:navigation|header-buttons)[.]/, /dashboard\/src\/pages\/overview\/chart-pickers/,
  /esm\/components\/(?:ActionIcon|Alert|Anchor|Badge|Button|Center|CloseButton|FloatingIndicator|Group|Input|InputBase|InputWrapper|Kbd|Loader)\//,
  /esm\/components\/(?:NativeSelect|Paper|PasswordInput|Progress|SegmentedControl|SimpleGrid|Skeleton|Stack|Text|TextInput|ThemeIcon|Title)\//,
  /esm\/components\/(?:Divider|Transition|UnstyledButton)\//,
  /esm\/components\/Combobox\/(?:get-parsed-combobox-data|ComboboxChevron|Combobox[.]module)/, /ScrollArea\/utils\/to-int[.]/,
]);
/** What pages are operated by: fields, menus, dialogs, tables. */
const operated = anyOf([
  /@floating-ui\//, /react-number-format\//, /@mantine\/form\//, /react-remove-scroll/, /dashboard\/src\/parts\//,
  /esm\/utils\/(?:Floating|InlineInput)\//,
  /esm\/components\/(?:Autocomplete|Combobox|Drawer|FocusTrap|Menu|Modal|ModalBase|NativeScrollArea|NumberInput|Overlay)\//,
  /esm\/components\/(?:Pill|PillsInput|Popover|Portal|ScrollArea|Select|Switch|Table|Tooltip)\//,
]);
const here = dirname(fileURLToPath(import.meta.url));
const started = performance.now();

try {
  if (!existsSync(join(here, 'src/main.tsx'))) throw new Error('the sources are not here');
  const { build } = await import('vite');
  makeClient();
  const { output } = await build(settings());
  checkOrder(output);
  noteSources(output.flatMap(({ moduleIds = [] }) => moduleIds));
  writeFileSync(join(here, 'dist/scripts.json'), JSON.stringify(scriptsByPage(output)));
  const sizes = await compress();
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`The dashboard is built: ${sizes.files} files, ${sizes.kilobytes} KB compressed, ${seconds} s.\n`);
} catch (error) {
  if (!process.argv.includes('--if-possible')) throw error;
  process.stdout.write(`@metergate/dashboard is not built: ${error.message}\n`);
}

/** `dist/built.json`: of which sources the pages are. A start says when they are older than those (`platform/src/http/pages/old-pages.ts`). */
function noteSources(read) {
  const own = ['index.html', 'package.json', 'build.mjs'].map((file) => join(here, file));
  const files = [...new Set([...own, ...read])].filter((file) => isAbsolute(file) && !file.includes('node_modules') && existsSync(file))
    .map((file) => relative(here, file).replaceAll('\\', '/')).sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(here, file)));
  writeFileSync(join(here, 'dist/built.json'), JSON.stringify({ files, hash: hash.digest('base64') }));
}

/** Scripts that need one another run in an order that nobody chose, and a page may stay empty. @throws Error if some do. */
function checkOrder(output) {
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  const ordered = new Set();
  const visit = (name, path) => {
    if (path.includes(name)) throw new Error(`scripts need one another: ${[...path.slice(path.indexOf(name)), name].join(' → ')}`);
    if (ordered.has(name)) return;
    for (const each of chunks.get(name)?.imports ?? []) visit(each, [...path, name]);
    ordered.add(name);
  };
  for (const name of chunks.keys()) visit(name, []);
}

/**
 * `dist/scripts.json`: the scripts that each page of the shell takes besides those that the document names itself, by its path. The platform names
 * them too, so that a browser asks for them with the first script and not after it.
 */
function scriptsByPage(output) {
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  const withImports = (name, found = new Set()) => {
    if (found.has(name)) return found;
    found.add(name);
    for (const each of chunks.get(name)?.imports ?? []) withImports(each, found);
    return found;
  };
  const ofModule = (file) => [...chunks.values()].find(({ facadeModuleId }) => posix(facadeModuleId ?? '') === `${posix(here)}/src/${file}`);
  const first = withImports([...chunks.values()].find(({ isEntry }) => isEntry).fileName);
  const frame = withImports(ofModule('frame/shell.tsx').fileName);
  const pages = [...chunks.values()].flatMap(({ facadeModuleId, fileName }) => {
    const name = /\/src\/pages\/(?!sign-in\/)[^/]+\/([a-z-]+)-page\.tsx$/.exec(posix(facadeModuleId ?? ''))?.[1];
    if (name === undefined) return [];
    const scripts = [...new Set([...frame, ...withImports(fileName)])].filter((each) => !first.has(each));
    return [[name === 'overview' ? '/' : `/${name}`, scripts]];
  });
  return Object.fromEntries(pages);
}

function posix(path) {
  return path.replaceAll('\\', '/');
}

/** The client's types are for editors and the check of types. The pages are built without them, also on a Node that runs no TypeScript. */
function makeClient() {
  const { status } = spawnSync(process.execPath, [join(here, 'generate-client.ts')], { stdio: ['ignore', 'ignore', 'ignore'] });
  if (status !== 0) process.stdout.write('The types of the dashboard\'s client were not made; npm run client -w packages/dashboard says why.\n');
}

function settings() {
  return {
    root: here,
    configFile: false,
    logLevel: 'warn',
    base: '/',
    // The platform puts a new value in its place with every page; nothing inline runs without it.
    html: { cspNonce: '__NONCE__' },
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      target: 'es2022', outDir: join(here, 'dist'), emptyOutDir: true, reportCompressedSize: false,
      // Only the mark comes with the script, so that the header is never without it.
      assetsInlineLimit: (file) => file.endsWith('mark.svg'),
      modulePreload: { polyfill: false }, chunkSizeWarningLimit: 600,
      // Libraries mark their files for servers that render; nothing is rendered on a server here.
      rolldownOptions: {
        onwarn: (warning, told) => { if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') told(warning); },
        // A request costs more than a few kilobytes: left to itself, a page would be ninety of them. A file holds what is listed and nothing that
        // follows from it, since the index of a library needs all of it. None may need one that is listed after it.
        output: { codeSplitting: { includeDependenciesRecursively: false, groups: [
          { name: 'base', test: neededFirst },
          { name: 'icons', test: /node_modules\/lucide-react\//, minShareCount: 2 },
          { name: 'figures', test: shownFirst, minShareCount: 2 },
          { name: 'controls', test: operated, minShareCount: 5 },
        ] } },
      },
    },
  };
}

/** `.br` and `.gz` beside every file that a browser asks for: made once here, as small as they get, not with every request. */
async function compress() {
  const files = readdirSync(join(here, 'dist/assets')).filter((file) => /\.(?:js|css)$/.test(file)).map((file) => join('assets', file));
  const sizes = await Promise.all(files.map(async (file) => {
    const path = join(here, 'dist', file);
    const content = readFileSync(path);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    const [small, wide] = await Promise.all([promisify(brotliCompress)(content, { params }), promisify(gzip)(content, { level: 9 })]);
    writeFileSync(`${path}.br`, small);
    writeFileSync(`${path}.gz`, wide);
    return small.length;
  }));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { files: files.length, kilobytes: Math.round(bytes / 1_000) };
}

/** Whether a module's path matches one of the patterns. */
function anyOf(patterns) {
  return (id) => patterns.some((pattern) => pattern.test(id));
}
