/**
 * What the files of deployment leave open to others: ports, and what a unit of systemd may do. The units are judged by systemd's own program
 * where the machine has it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const read = (path: string): string => readFileSync(join(deploy, path), 'utf8');
const units = readdirSync(join(deploy, 'systemd'));

test('compose publishes the gateway and the dashboard; all else only on this machine', () => {
  const published = [...read('docker/compose.yml').matchAll(/ports: \[([^\]]*)\]/g)].map(([, ports]) => ports);
  assert.deepEqual(published, ['"8081:8081"', '"8080:8080"', '"127.0.0.1:9090:9090"', '"127.0.0.1:3000:3000"']);
});

test('the image does not expose the ops port; a deployment that is polled from outside opens it explicitly', () => {
  const image = read('docker/Dockerfile');
  assert.match(image, /^ENV .*SVC_OPS_HOST=127\.0\.0\.1/m);
  assert.match(image, /^EXPOSE 8080 8081$/m);
  assert.match(read('docker/compose.yml'), /^    SVC_OPS_HOST: 0\.0\.0\.0$/m);
  assert.match(read('helm/metergate/templates/_helpers.tpl'), /name: SVC_OPS_HOST, value: "0\.0\.0\.0"/);
});

describe('units of systemd', () => {
  const hardened = [
    'UMask=0077', 'SystemCallFilter=@system-service', 'SystemCallFilter=~@privileged', 'SystemCallErrorNumber=EPERM', 'RestrictNamespaces=yes',
    'LockPersonality=yes', 'ProtectKernelTunables=yes', 'ProtectKernelModules=yes', 'ProtectKernelLogs=yes', 'ProtectProc=invisible',
    'ProtectClock=yes', 'ProtectHostname=yes', 'RestrictRealtime=yes', 'RestrictSUIDSGID=yes', 'NoNewPrivileges=yes', 'CapabilityBoundingSet=',
  ];
  for (const unit of units) {
    test(`${unit} may do little`, () => {
      const lines = read(`systemd/${unit}`).split('\n');
      assert.deepEqual(hardened.filter((line) => !lines.includes(line)), []);
      assert.equal(lines.some((line) => /^(MemoryDenyWriteExecute|ProcSubset)=/.test(line)), false, 'Node could not run');
    });

    test(`${unit}, judged by systemd`, (t) => {
      const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', join(deploy, 'systemd', unit)], {
        encoding: 'utf8',
      });
      // A program that is absent, or older than its own `--offline` (250), judges nothing.
      if (judged.error !== undefined || /unrecognized option/.test(judged.stderr)) return t.diagnostic('systemd-analyze cannot judge units here');
      assert.equal(judged.status, 0, judged.stdout + judged.stderr);
    });
  }
});
