/** The sentence about where data is kept is true for every store, and a command typed as shown finds that store. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keptData } from './kept-data.ts';

const key = new Uint8Array(32);
const sqliteIn = (dataDirectory: string) => ({ dataDirectory, databaseUrl: `sqlite:${dataDirectory}/metergate.db`, masterKey: null });

describe('data kept', () => {
  it('in the default directory needs nothing before a command', () => assert.deepEqual(keptData(sqliteIn('/here/data'), '/here'), {
    sentence: 'Data is kept in /here/data. Keep it safe: the master key in it opens your provider keys.', prefix: '', variables: [],
  }));
  const prefixes: [string, string, string][] = [
    ['below', '/here/sandbox', 'SVC_DATA_DIR=./sandbox '], ['elsewhere', '/there/data', 'SVC_DATA_DIR=/there/data '],
    ['beside', '/here-too', 'SVC_DATA_DIR=/here-too '], ['under a name with a space', '/here/my data', "SVC_DATA_DIR='./my data' "],
    ['under a name with a quote', "/here/o'h", String.raw`SVC_DATA_DIR='./o'\''h' `],
  ];
  for (const [what, directory, prefix] of prefixes) it(what, () => assert.equal(keptData(sqliteIn(directory), '/here').prefix, prefix));
  it('in PostgreSQL is named without its password, and not as a local file', () => {
    const kept = keptData({ dataDirectory: '/here/data', databaseUrl: 'postgres://u:secret@db:5433/m', masterKey: key }, '/here');
    assert.equal(kept.sentence, 'Data is kept in PostgreSQL at db:5433/m. Keep it safe: the key in SVC_MASTER_KEY opens your provider keys.');
    assert.deepEqual([kept.prefix, kept.variables], ['', ['SVC_DATABASE_URL', 'SVC_MASTER_KEY']]);
  });
  it('in a separate file is named with it', () => {
    const kept = keptData({ dataDirectory: '/here/data', databaseUrl: 'sqlite:/db/m.db', masterKey: null }, '/here');
    assert.match(kept.sentence, /^Data is kept in \/here\/data and \/db\/m\.db\./);
    assert.deepEqual([kept.prefix, kept.variables], ['', ['SVC_DATABASE_URL']]);
  });
});
