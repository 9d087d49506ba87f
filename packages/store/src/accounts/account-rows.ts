/**
 * The rows of people, their credentials and sessions as the authentication library reads and writes them: by model, field
 * and plain conditions. Rule 16. Only the models and fields named here can be touched.
 * A session's token is never stored: it is hashed when written and in every condition. A row that is handed back carries the token that was
 * asked for.
 */
import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';

const fieldsOf = {
  user: {
    table: 'person',
    columns: {
      id: 'id', email: 'email', claimedEmail: 'claimed_email', name: 'name', emailVerified: 'email_verified', image: 'image',
      createdAt: 'created_at_ms', updatedAt: 'updated_at_ms',
    },
  },
  session: {
    table: 'person_session',
    columns: {
      id: 'id', userId: 'person', token: 'token_hash', organization: 'organization', providedBy: 'provided_by',
      ipAddress: 'ip_address', userAgent: 'user_agent',
      expiresAt: 'expires_at_ms', createdAt: 'created_at_ms', updatedAt: 'updated_at_ms',
    },
  },
  account: {
    table: 'person_credential',
    columns: {
      id: 'id', userId: 'person', providerId: 'provider', accountId: 'account', password: 'password_hash', proof: 'proof', createdAt: 'created_at_ms',
      updatedAt: 'updated_at_ms',
    },
  },
} as const satisfies Record<string, { readonly table: string; readonly columns: Readonly<Record<string, string>> }>;

const operators = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=', in: 'in' } as const;

/** One condition; all must hold. */
export interface AccountCondition {
  readonly field: string;
  /** `eq` by default. */
  readonly operator?: string | undefined;
  readonly value: unknown;
  readonly connector?: string | undefined;
}

/** Fields by their names; times are `Date`s. */
export type AccountRow = Readonly<Record<string, unknown>>;

export interface AccountRows {
  create(model: string, row: AccountRow): Promise<AccountRow>;
  find(query: {
    readonly model: string; readonly where: readonly AccountCondition[]; readonly limit: number; readonly offset?: number;
    readonly sortBy?: { readonly field: string; readonly direction: 'asc' | 'desc' };
  }): Promise<AccountRow[]>;
  /** The number of rows changed. */
  update(model: string, where: readonly AccountCondition[], changes: AccountRow): Promise<number>;
  /** The number of rows deleted. */
  delete(model: string, where: readonly AccountCondition[]): Promise<number>;
  count(model: string, where: readonly AccountCondition[]): Promise<number>;
}

type Tables = Record<string, Record<string, unknown>>;

/** Conditions without a value of this kind would reach every row; an empty list is refused where rows are changed. */
export function accountRowsIn({ engine }: StoreContext): AccountRows {
  const on = (db: unknown): Kysely<Tables> => db as Kysely<Tables>;
  return {
    create: (model, row) => engine.write(async (transaction) => {
      await on(transaction).insertInto(tableOf(model)).values(columnsFrom(model, row)).execute();
      return row;
    }),
    find: ({ model, where, limit, offset = 0, sortBy }) => engine.read(async (db) => {
      let query = on(db).selectFrom(tableOf(model)).selectAll().limit(limit).offset(offset);
      for (const [column, operator, value] of conditions(model, where)) query = query.where(column, operator, value);
      if (sortBy !== undefined) query = query.orderBy(columnOf(model, sortBy.field), sortBy.direction);
      return (await query.execute()).map((row) => rowFrom(model, row, where));
    }),
    update: (model, where, changes) => engine.write(async (transaction) => {
      let query = on(transaction).updateTable(tableOf(model)).set(columnsFrom(model, changes));
      for (const [column, operator, value] of atLeastOne(conditions(model, where))) query = query.where(column, operator, value);
      return Number((await query.executeTakeFirstOrThrow()).numUpdatedRows);
    }),
    delete: (model, where) => engine.write(async (transaction) => {
      let query = on(transaction).deleteFrom(tableOf(model));
      for (const [column, operator, value] of atLeastOne(conditions(model, where))) query = query.where(column, operator, value);
      return Number((await query.executeTakeFirstOrThrow()).numDeletedRows);
    }),
    count: (model, where) => engine.read(async (db) => {
      let query = on(db).selectFrom(tableOf(model)).select((select) => select.fn.countAll<bigint>().as('rows'));
      for (const [column, operator, value] of conditions(model, where)) query = query.where(column, operator, value);
      return Number((await query.executeTakeFirstOrThrow()).rows);
    }),
  };
}

function modelNamed(name: string): { readonly table: string; readonly columns: Readonly<Record<string, string>> } {
  if (Object.hasOwn(fieldsOf, name)) return fieldsOf[name as keyof typeof fieldsOf];
  throw new RangeError(`accounts have no model ${name}`);
}

function tableOf(model: string): string {
  return modelNamed(model).table;
}

function columnOf(model: string, field: string): string {
  const { columns } = modelNamed(model);
  if (Object.hasOwn(columns, field)) return columns[field]!;
  throw new RangeError(`accounts have no field ${model}.${field}`);
}

type Condition = readonly [column: string, operator: (typeof operators)[keyof typeof operators], value: unknown];

function conditions(model: string, where: readonly AccountCondition[]): Condition[] {
  return where.map(({ field, operator = 'eq', value, connector = 'AND' }) => {
    if (connector !== 'AND' || !Object.hasOwn(operators, operator)) throw new RangeError(`accounts have no condition ${connector} ${operator}`);
    const stored = Array.isArray(value) ? value.map((each) => storedForm(field, each)) : storedForm(field, value);
    return [columnOf(model, field), operators[operator as keyof typeof operators], stored];
  });
}

function atLeastOne(found: Condition[]): Condition[] {
  if (found.length === 0) throw new RangeError('a change of accounts needs a condition');
  return found;
}

function columnsFrom(model: string, row: AccountRow): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)
    .map(([field, value]) => [columnOf(model, field), storedForm(field, value)]));
}

function storedForm(field: string, value: unknown): unknown {
  if (field === 'token' && typeof value === 'string') return createHash('sha256').update(value).digest('hex');
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'boolean') return value ? 1 : 0;
  // No stored text contains it, and PostgreSQL accepts it in no text.
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value;
}

function rowFrom(model: string, row: Readonly<Record<string, unknown>>, where: readonly AccountCondition[]): AccountRow {
  const asked = where.find(({ field, operator = 'eq' }) => field === 'token' && operator === 'eq')?.value;
  return Object.fromEntries(Object.entries(modelNamed(model).columns).map(([field, column]) => {
    const value = row[column];
    if (field === 'token' && typeof asked === 'string') return [field, asked];
    if (column.endsWith('_ms') && value !== null) return [field, new Date(Number(value))];
    return [field, field === 'emailVerified' ? value === 1n : value];
  }));
}
