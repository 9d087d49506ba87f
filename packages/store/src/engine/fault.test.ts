/**
 * A fault of the store names its place and keeps its cause, and neither shows a value or a row.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { faultOf, StoreFault } from './fault.ts';

test('an engine error becomes a fault with its code and stack as cause, without the words of the row', () => {
  const error = Object.assign(new Error('duplicate key value: canary-secret'), { code: '23505', detail: 'Key (hash)=(canary-secret)' });
  const fault = faultOf(error, 'db.example:5432/metergate');
  assert.ok(fault instanceof StoreFault);
  assert.equal(fault.code, 'row_refused');
  assert.match((fault.cause as Error).stack ?? '', /engine error 23505\n\s+at /);
  assert.doesNotMatch(inspect(fault, { depth: 5, showHidden: true }), /canary-secret/);
});

test('a fault stays the one it was, and a defect of ours passes unchanged', () => {
  const fault = new StoreFault('store_busy', 'busy');
  assert.equal(faultOf(fault, 'here'), fault);
  const defect = new TypeError('x is not a function');
  assert.equal(faultOf(defect, 'here'), defect);
});

test('an untrusted certificate, and a pooler that refuses our timeouts, are reported with what to set', () => {
  const untrusted = faultOf(Object.assign(new Error('unable to verify'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }), 'db:5432/m') as StoreFault;
  assert.deepEqual([untrusted.code, /sslrootcert=FILE/.test(untrusted.message)], ['store_unreachable', true]);
  const pooled = faultOf(Object.assign(new Error('unsupported startup parameter'), { code: '08P01' }), 'db:6432/m') as StoreFault;
  assert.match(pooled.message, /ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout/);
  const away = faultOf(Object.assign(new Error('pgbouncer cannot connect to server'), { code: '08P01' }), 'db:6432/m') as StoreFault;
  assert.match(away.message, /^What answers at db:6432\/m has no PostgreSQL behind it now/);
  assert.match((faultOf(new Error('The server does not support SSL connections'), 'db:5432/m') as StoreFault).message, /it does not support TLS/);
});

test('a server that takes no writes is reported as one that is not the primary', () => {
  const fault = faultOf(Object.assign(new Error('cannot execute UPDATE in a read-only transaction'), { code: '25006' }), 'db:5432/m') as StoreFault;
  assert.deepEqual([fault.code, /it is a standby/.test(fault.message)], ['store_unreachable', true]);
});

test('a full disk is reported as such, wherever SQLite notices it first; a failing disk is reported as one to check', () => {
  const fault = (errcode: number): StoreFault =>
    faultOf(Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode }), '/d/m.db') as StoreFault;
  for (const errcode of [13, 4874]) assert.deepEqual([fault(errcode).code, /no space left/.test(fault(errcode).message)], ['store_full', true]);
  for (const errcode of [10, 266, 778]) assert.deepEqual([fault(errcode).code, /disk has room/.test(fault(errcode).message)], ['store_failed', true]);
});
