/** The directory keeps a cell's address and lists it: no secret stands in it. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { cellAddressProblem } from './cell-url.ts';

test('an address with a password is none, wherever it stands', () => {
  const secret = ['postgres://u:s@h/d', 'postgres://u@h/d?password=s', 'postgres://u@h/d?sslpassword=s', 'postgres://u@h/d?a=b&PGPASSWORD=s'];
  for (const address of secret) {
    assert.match(cellAddressProblem(address) ?? '', /leave the password out/, address);
  }
  assert.equal(cellAddressProblem('postgres://u@h:5432/d?sslmode=verify-full&sslrootcert=/etc/ca.pem'), null);
});
