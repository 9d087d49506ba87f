/**
 * What every conformance test needs of the running product: one system for the file, a service key, and the words the gateway answers
 * with. Starting the product takes a second, so a file's tests share it; they tell their calls apart by path, key or exchange.
 */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { headerValue, headerValues, type HeaderPair } from '@metergate/testkit/http-message.ts';
import type { RawAnswer } from '@metergate/testkit/raw-client.ts';
import { startSystem, type System, type SystemOptions } from '@metergate/testkit/system.ts';

/** The form of every request id (spec: Request identifier). */
export const requestIdForm = /^req_[0-9a-f]{32}$/;

/** The product and a key of its default organization, available from the first test of the file to its last. */
export interface Service {
  system: System;
  key: string;
  /** The id of that key. */
  keyId: string;
}

/**
 * Starts the product before the file's tests and stops it after them; `prepare` runs in between. Whatever the tests did to it, it must then hold
 * nothing for calls any more.
 */
export function serviceForFile(options: SystemOptions = {}, prepare?: (service: Service) => Promise<void>): Service {
  const service = {} as Service;
  before(async () => {
    service.system = await startSystem(options);
    const { id, key } = await service.system.createKey();
    Object.assign(service, { key, keyId: id });
    await prepare?.(service);
  });
  after(async () => {
    if (service.system === undefined) return;
    try {
      await service.system.assertAtRest();
    } finally {
      // A product that broke during the tests must not count as stopped in order.
      assert.equal(await service.system.stop(), 0, service.system.stderr());
    }
  });
  return service;
}

/** The header that carries a service key. */
export function bearer(key: string): HeaderPair {
  return ['Authorization', `Bearer ${key}`];
}

/** The call's id; fails if the answer carries none, or more than one, or one of another form. */
export function requestIdOf(answer: RawAnswer): string {
  const ids = headerValues(answer.headers, 'x-svc-request-id');
  assert.equal(ids.length, 1, answer.head.toString('latin1'));
  assert.match(ids[0] ?? '', requestIdForm);
  return ids[0] ?? '';
}

/** Compares an answer of the gateway's own with a row of the specification's error tables. */
export function assertRefusal(answer: RawAnswer, row: { status: number; code: string; type: string; message: string }): void {
  const { status, ...error } = row;
  assert.equal(answer.status, status, answer.body.toString());
  assert.deepEqual(JSON.parse(answer.body.toString()), { error: { ...error, param: null } });
  const own = headerValue(answer.headers, 'x-request-id') ?? '';
  assert.match(own, requestIdForm);
  assert.notEqual(own, requestIdOf(answer));
  assert.match(headerValue(answer.headers, 'content-type') ?? '', /^application\/json/);
}

/** Headers without those named, in order: to compare two lists except for what may differ. */
export function without(headers: readonly HeaderPair[], names: readonly string[]): HeaderPair[] {
  return headers.filter(([name]) => !names.includes(name.toLowerCase()));
}
