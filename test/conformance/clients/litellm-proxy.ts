/**
 * LiteLLM's proxy between the gateway and a provider. With all it needs 750 MB, so nothing installs it:
 * `python -m venv .venvs/litellm && .venvs/litellm/bin/pip install 'litellm[proxy]==1.106.2'`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pauses } from '@metergate/testkit/pauses.ts';
import { unusedPort } from '@metergate/testkit/unused-port.ts';

const program = fileURLToPath(new URL('../../../.venvs/litellm/bin/litellm', import.meta.url));
export const hasLitellmProxy = (): boolean => existsSync(program);

export interface Between {
  readonly url: string;
  close(): Promise<void>;
}

/** One that takes `key` and calls the provider at `to` for its one model. */
export async function litellmProxy(to: string, key: string): Promise<Between> {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-litellm-'));
  const config = join(folder, 'config.yaml');
  const called = { model: 'openai/gpt-5.2', api_base: `${to}/v1`, api_key: 'sk-of-the-provider' };
  writeFileSync(config, JSON.stringify({
    model_list: [{ model_name: 'gpt-5.2', litellm_params: called }], general_settings: { master_key: key },
  }));
  const port = await unusedPort();
  const child = spawn(program, ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'], {
    cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, LITELLM_LOCAL_MODEL_COST_MAP: 'True' }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { said += text; });
  const url = `http://127.0.0.1:${port}`;
  const pause = pauses();
  while (!await fetch(`${url}/health/liveliness`).then(({ ok }) => ok, () => false)) {
    if (child.exitCode !== null) throw new Error(said);
    await pause();
  }
  return {
    url,
    async close() {
      child.kill('SIGKILL');
      await once(child, 'close');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
