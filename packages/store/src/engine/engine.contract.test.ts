/**
 * On both engines a refusal leaves nothing behind, in every kind of transaction. Who uses SQLite's single connection, and when.
 */
import assert from 'node:assert/strict';
import { linkSync, rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { sql, type Transaction } from 'kysely';
import { refuse } from './refusal.ts';
import type { Schema } from '../schema/schema.ts';
import { refusalCode } from '../test-support/contract-fixture.ts';
import { ownWriter } from '../schema/migrations/list.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { openEngine, type Engine } from './engine.ts';
import { byColumns } from './rows-by-column.ts';

const contractStore = contractStores();

for (const on of bothEngines) {
  describe(`transactions on ${on.title}`, async () => {
    const { context, url } = await contractStore(on);

    for (const way of ['write', 'change'] as const) {
      test(`a refusal returned from ${way} rolls back what it wrote, and comes out as it is`, async () => {
        const engine = await openEngine(url, { create: false });
        const mark = (id: string) => context.query(url, `select mark from journal_segment where id = '${id}'`);
        const write = engine[way] as typeof engine.write;
        assert.equal(await refusalCode(write(async (transaction) => {
          await transaction.insertInto('journal_segment').values({ id: `refused ${way}`, mark: 1, writer: ownWriter }).execute();
          return refuse('invalid_name', 'no');
        })), 'invalid_name');
        assert.deepEqual(await mark(`refused ${way}`), []);
        await engine.close();
      });
    }

    test('fixed statements are all committed or none: whichever fails, and also if deciding the writes fails', async () => {
      const engine = await openEngine(url, { create: false });
      const add = `insert into journal_segment (id, mark, writer) values (${on.title === 'PostgreSQL' ? '$1' : '?'}, 1, ${ownWriter})`;
      const added = async () => (await context.query(url, "select id from journal_segment where id like 'sent%' order by id")).map(({ id }) => id);
      assert.equal(await engine.transact((send) => send('select 1 as one'), (send, [row]) => {
        for (const id of ['sent 1', 'sent 2']) void send(add, [id]);
        return Number(row!['one']);
      }), 1);
      await assert.rejects(engine.transact((send) => Promise.all([send(add, ['sent 3']), send('select nothing')]), () => null));
      await assert.rejects(engine.transact(async () => {}, (send) => {
        void send(add, ['sent 4']);
        void send(add, ['sent 1']);
        void send(add, ['sent 5']);
      }));
      await assert.rejects(engine.transact((send) => send(add, ['sent 6']), () => { throw new Error('undecided'); }), /undecided/);
      assert.deepEqual(await added(), ['sent 1', 'sent 2']);
      await engine.close();
    });

    test('a lookup with a fixed text answers for each given value, in order, and works again after a fault', async () => {
      const engine = await openEngine(url, { create: false });
      const [word, bad] = on.title === 'PostgreSQL' ? ['select $1::text as word where $1 <> $2', 'select $1::bigint / 0']
        : ['select ?1 as word where ?1 <> ?2', 'select abs(-9223372036854775807 - cast(?1 as integer))'];
      const given = [['one', ''], ['none', 'none'], ['other', '']];
      const expected = [[{ word: 'one' }], [], [{ word: 'other' }]];
      const found = async (asked: readonly string[][]) =>
        (await engine.look<{ word: string }>(word!, asked)).map((rows) => rows.map((row) => ({ word: row.word })));
      assert.deepEqual([await found(given), await found([]), await found(given.slice(0, 1))], [expected, [], expected.slice(0, 1)]);
      await assert.rejects(engine.look(bad!, [[1], [1]]), { name: 'StoreFault' });
      assert.deepEqual(await found(given), expected);
      await engine.close();
    });

    test('rows as arrays are exact, whatever the size of their numbers, and a fault is the store\'s', async () => {
      const engine = await openEngine(url, { create: false });
      for (const columns of [undefined, ['text', 'text', 'whole', 'whole']] as const) {
        const exact = async (least: bigint) => (await engine.rows(sql`select 'a' as word, null as none, cast(${least} as bigint) as one,
          cast(${-least} as bigint) as other where cast(${least} as bigint) > 0`, columns)).map(([word, nothing, one, other]) =>
          [word, nothing, BigInt(one!), BigInt(other!)]);
        for (const size of [1n, 999_999_999_999_999n, 2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, 7n]) {
          assert.deepEqual(await exact(size), [['a', null, size, -size]]);
        }
        assert.deepEqual(await exact(0n), []);
        await assert.rejects(engine.rows(sql`select nothing from nowhere`, columns), { name: 'StoreFault' });
        assert.deepEqual(await exact(1n), [['a', null, 1n, -1n]]);
      }
      await engine.close();
    });

    if (on.title === 'PostgreSQL') {
      test('of too many rows no text is made: those behind the bound are not even found', async () => {
        const last = 'select 1 / (200000 - n) from generate_series(1, 200000) as n';
        const [row] = await context.query(url, byColumns(last, ['whole']));
        assert.deepEqual([Number(row!['count']), row!['case'] ?? null], [100_001, null]);
      });

      test('the server compiles no report, and whatever else it is asked as it likes', async () => {
        const engine = await openEngine(url, { create: false });
        const asked = sql<{ jit: string }>`select current_setting('jit') as jit`;
        const ofOthers = async () => (await engine.read((db) => asked.execute(db))).rows.map(({ jit }) => jit);
        const before = await ofOthers();
        assert.deepEqual(await Promise.all([engine.rows(asked), engine.rows(asked, ['text'])]), [[['off']], [['off']]]);
        assert.deepEqual(before, ['on']);
        await engine.close();
      });
    }

    test('thousands of rows are the same by column, and more than that too: each with its own words and exact numbers', async () => {
      const engine = await openEngine(url, { create: false });
      const word = '"a, b" \\ naïve 🤖 \n';
      for (const count of [25_000, 100_001]) {
        const found = await engine.rows(sql`with recursive counted (n) as (select 0 union all select n + 1 from counted where n < ${sql.lit(count)})
          select case when n % 7 = 0 then null else cast(${word} as text) || n end as word, cast(n as bigint) as n,
            case when n % 5 = 0 then null else cast(9007199254740993 + n as bigint) end as large
          from counted where n > 0`, ['text', 'whole', 'whole']);
        const numbers = new Set<number>();
        for (const [text, n, large] of found) {
          const number = Number(n);
          numbers.add(number);
          const expected = [number % 7 === 0 ? null : word + number, number % 5 === 0 ? null : 9_007_199_254_740_993n + BigInt(number)];
          if (text !== expected[0] || (large === null ? null : BigInt(large!)) !== expected[1]) assert.deepEqual([text, large], expected);
        }
        assert.deepEqual([found.length, numbers.size], [count, count]);
      }
      await engine.close();
    });
  });
}

test('a store file with two names is not opened by either: SQLite would keep a log for each', async (t) => {
  const { url } = await contractStore(bothEngines[0]!);
  const file = url.slice('sqlite:'.length);
  const other = `${file}.other`;
  linkSync(file, other);
  t.after(() => rmSync(other, { force: true }));
  for (const path of [file, other]) await assert.rejects(openEngine(`sqlite:${path}`, { create: true }), /hard link.+copy of the file/);
  rmSync(other);
  await (await openEngine(url, { create: false })).close();
});

describe('one SQLite connection', async () => {
  const { url } = await contractStore(bothEngines[0]!);
  const markOf = (engine: Engine, id: string) => engine.read((db) =>
    db.selectFrom('journal_segment').select('mark').where('id', '=', id).executeTakeFirst());
  const mark = (id: string, value: number) => async (transaction: Transaction<Schema>) =>
    void await transaction.insertInto('journal_segment').values({ id, mark: value, writer: ownWriter }).execute();

  test('reads continue while a writer waits for another connection\'s lock, and writers follow in order', async () => {
    const [engine, other] = [await openEngine(url, { create: false }), await openEngine(url, { create: false })];
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const holding = other.write(async () => {
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    const order: string[] = [];
    const writes = ['first', 'second', 'third'].map((id, value) => engine.write(mark(id, value)).then(() => order.push(id)));
    assert.equal(await markOf(engine, 'first'), undefined);
    held.resolve();
    await Promise.all([holding, ...writes]);
    assert.deepEqual(order, ['first', 'second', 'third']);
    await Promise.all([engine.close(), other.close()]);
  });

  test('a thread that writes without end leaves another its turns', async () => {
    const [busy, other] = [await openEngine(url, { create: false }), await openEngine(url, { create: false })];
    const life = { isDone: false };
    const writing = (async () => {
      for (let at = 0; !life.isDone; at += 1) await busy.write(mark(`busy ${at}`, at));
    })();
    for (let at = 0; at < 5; at += 1) await other.write(mark(`other ${at}`, at));
    life.isDone = true;
    await writing;
    assert.equal((await markOf(busy, 'other 4'))?.mark, 4n);
    await Promise.all([busy.close(), other.close()]);
  });

  test('a read that comes while a transaction is open waits for its end, and sees all of it or nothing', async () => {
    const engine = await openEngine(url, { create: false });
    const held = Promise.withResolvers<void>();
    const failing = engine.write(async (transaction) => {
      await mark('undone', 1)(transaction);
      await held.promise;
      throw new Error('no');
    });
    const read = markOf(engine, 'undone');
    held.resolve();
    await assert.rejects(failing);
    assert.equal(await read, undefined);
    await engine.close();
  });

  test('a look that comes while a transaction is open waits for its end', async () => {
    const engine = await openEngine(url, { create: false });
    const go = Promise.withResolvers<void>();
    const writing = engine.write(async (transaction) => {
      await mark('looked', 1)(transaction);
      await go.promise;
      await transaction.updateTable('journal_segment').set({ mark: 2 }).where('id', '=', 'looked').execute();
    });
    await new Promise(setImmediate);
    const look = engine.look<{ mark: bigint }>('select mark from journal_segment where id = ?', [['looked'], ['looked']]);
    go.resolve();
    await writing;
    assert.deepEqual((await look).map(([row]) => row?.mark), [2n, 2n]);
    await engine.close();
  });

  test('rows that are asked for while a transaction is open come after its end', async () => {
    const engine = await openEngine(url, { create: false });
    const go = Promise.withResolvers<void>();
    const writing = engine.write(async (transaction) => {
      await mark('rows', 1)(transaction);
      await go.promise;
      await transaction.updateTable('journal_segment').set({ mark: 2 }).where('id', '=', 'rows').execute();
    });
    await new Promise(setImmediate);
    const rows = engine.rows(sql`select mark from journal_segment where id = 'rows'`);
    go.resolve();
    await writing;
    assert.deepEqual(await rows, [[2]]);
    await engine.close();
  });

  test('the number of the state stays while nothing is committed, and is another one after each commit of any connection', async () => {
    const [engine, other] = [await openEngine(url, { create: false }), await openEngine(url, { create: false })];
    let before = await engine.stateNumber();
    const differs = async () => {
      const number = await engine.stateNumber();
      const isOther = number !== before;
      before = number;
      return isOther;
    };
    await markOf(engine, 'state 1');
    await markOf(other, 'state 1');
    assert.deepEqual([typeof before, await differs(), await differs()], ['number', false, false]);
    for (const [index, writer] of [engine, other, engine, other].entries()) {
      await writer.write(mark(`state ${index}`, 1));
      assert.deepEqual([await differs(), await differs()], [true, false]);
    }
    await other.writeAhead(mark('state ahead', 1));
    assert.deepEqual([await differs(), await differs()], [true, false]);
    const go = Promise.withResolvers<void>();
    const writing = engine.write(async (transaction) => {
      await mark('state later', 1)(transaction);
      await go.promise;
    });
    await new Promise(setImmediate);
    const asked = differs();
    go.resolve();
    await writing;
    assert.equal(await asked, true);
    await Promise.all([engine.close(), other.close()]);
  });

  test('a write ahead of the disk is visible when it resolves, gone when it throws, and can be forced', async () => {
    const engine = await openEngine(url, { create: false });
    await engine.writeAhead(mark('ahead', 7));
    await engine.forced();
    await assert.rejects(engine.writeAhead(async (transaction) => {
      await mark('ahead and broken', 7)(transaction);
      throw new Error('no');
    }));
    assert.deepEqual([(await markOf(engine, 'ahead'))?.mark, await markOf(engine, 'ahead and broken')], [7n, undefined]);
    await engine.close();
  });

  test('a checkpoint moves a long log into the file and leaves a short one; not within a transaction', async () => {
    const engine = await openEngine(url, { create: false });
    const waiting = async () => {
      const { rows } = await engine.read((db) => sql<{ log: bigint; checkpointed: bigint }>`pragma wal_checkpoint(noop)`.execute(db));
      return Number(rows[0]!.log) - Number(rows[0]!.checkpointed);
    };
    await engine.read((db) => sql`pragma wal_checkpoint(truncate)`.execute(db));
    await engine.write(mark('short', 1));
    await engine.checkpoint();
    assert.ok(await waiting() > 0);
    const go = Promise.withResolvers<void>();
    await engine.write(mark('long '.repeat(1_000_000), 1));
    const long = await waiting();
    assert.ok(long > 1_000, String(long));
    const begun = Promise.withResolvers<void>();
    const writing = engine.write(async (transaction) => {
      await mark('later', 1)(transaction);
      begun.resolve();
      await go.promise;
    });
    await begun.promise;
    await engine.checkpoint();
    go.resolve();
    await writing;
    assert.ok(await waiting() >= long);
    await engine.checkpoint();
    assert.equal(await waiting(), 0);
    await engine.close();
  });
});
