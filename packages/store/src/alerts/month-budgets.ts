/** Budgets of months as the store holds them: one for each organization, scope, subject and month. Decision 148. */
import { idPrefix, newId, type OrganizationId } from '@metergate/core/id.ts';
import type { BudgetScope, SentBudgetEvents } from '@metergate/core/alert/month-budget.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { Selectable } from 'kysely';
import { raiseNotice, type Happening } from './raise-notice.ts';
import { nameRefusal } from '../engine/names.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { sendingIn } from '../engine/send.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';
import type { MonthBudgetTable } from '../schema/month-schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import type { ChangeCheck } from '../settings/change-check.ts';
import { lockOrganization, unknownOrganization } from '../settings/organizations.ts';

export interface MonthBudget {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly scope: BudgetScope;
  /** A project, a person's email or a label; null for the organization. */
  readonly subject: string | null;
  /** The first instant of the month; null: every month without another budget. */
  readonly monthMs: number | null;
  readonly amount: NanoDollars;
  /** Percent of the amount at which webhooks are notified, upwards, each once. */
  readonly at: readonly number[];
  /** What was sent of it; null: nothing. */
  readonly told: SentBudgetEvents | null;
}

export interface MonthBudgets {
  /**
   * One of the same scope, subject and month keeps its id. Refuses `unknown_organization`, `invalid_name`, `invalid_setting` beyond 500, and what
   * `check` refuses; it gets the budget that is there, or null.
   */
  set(budget: Omit<MonthBudget, 'id' | 'told'>, check?: ChangeCheck<MonthBudget | null>): Promise<MonthBudget | StoreRefusal>;
  /** By scope, subject and month. */
  list(organization: OrganizationId): Promise<MonthBudget[]>;
  /** `within`: of this organization only. Refuses `unknown_budget`. */
  remove(id: string, within?: OrganizationId): Promise<MonthBudget | StoreRefusal>;
  /** Raises events of a budget and keeps that they were sent, together. */
  tell(budget: MonthBudget, told: SentBudgetEvents, happenings: readonly Happening[]): Promise<void>;
}

const budgetsMax = 500;
const subjectCharactersMax = 256;

export function monthBudgetsIn(context: StoreContext): MonthBudgets {
  const { engine, background, randomBytes } = context;
  return {
    set: async ({ organization, scope, subject, monthMs, amount, at }, check) => refusalOf(subject)
      ?? engine.write<MonthBudget | StoreRefusal>(async (transaction) => {
        const { send, all } = sendingIn(transaction);
        holdOffErasures(engine.kind, send);
        // An erasure takes the two in this order.
        await all();
        const isThere = await lockOrganization(engine.kind, transaction, organization);
        if (!isThere || (await erasedAmong(engine.kind, send, [organization])).size > 0) return unknownOrganization();
        const values = { organization, scope, subject: subject ?? '', month_ms: monthMs ?? 0, amount_nano: amount, at: JSON.stringify(at) };
        const there = check === undefined ? undefined : await transaction.selectFrom('month_budget').selectAll()
          .where('organization', '=', organization).where('scope', '=', scope).where('subject', '=', values.subject)
          .where('month_ms', '=', BigInt(values.month_ms)).executeTakeFirst();
        const refusal = check?.(there === undefined ? null : budgetOf(there)) ?? null;
        if (refusal !== null) return refusal;
        const row = await transaction.insertInto('month_budget').values({ id: newId(idPrefix.budget, randomBytes), ...values, told: null })
          .onConflict((conflict) => conflict.columns(['organization', 'scope', 'subject', 'month_ms'])
            .doUpdateSet({ amount_nano: amount, at: values.at })).returningAll().executeTakeFirstOrThrow();
        const { count } = await transaction.selectFrom('month_budget').select(({ fn }) => fn.countAll<bigint>().as('count'))
          .where('organization', '=', organization).executeTakeFirstOrThrow();
        return Number(count) <= budgetsMax ? budgetOf(row)
          : refuse('invalid_setting', `There may be at most ${budgetsMax} budgets. Remove one first.`);
      }, ({ id }) => ({ action: 'setBudget', organization, subject: id })),
    list: (organization) => engine.read(async (db) => (await db.selectFrom('month_budget').selectAll().where('organization', '=', organization)
      .orderBy('scope').orderBy('subject').orderBy('month_ms').execute()).map(budgetOf)),
    remove: (id, within) => engine.write<MonthBudget | StoreRefusal>(async (transaction) => {
      const row = id.includes('\0') ? undefined
        : await transaction.selectFrom('month_budget').selectAll().where('id', '=', id).executeTakeFirst();
      if (row === undefined || (within !== undefined && row.organization !== within)) {
        return unknownBudget();
      }
      await lockOrganization(engine.kind, transaction, row.organization);
      const removed = await transaction.deleteFrom('month_budget').where('id', '=', id).returningAll().executeTakeFirst();
      return removed === undefined ? unknownBudget() : budgetOf(removed);
    }, ({ organization }) => ({ action: 'removeBudget', organization, subject: id })),
    async tell({ id }, told, happenings) {
      await background.write(async (transaction) => {
        await transaction.updateTable('month_budget').set({ told: JSON.stringify(told) }).where('id', '=', id).execute();
        for (const happening of happenings) await raiseNotice(context, transaction, happening);
      });
    },
  };
}

const unknownBudget = (): StoreRefusal => refuse('unknown_budget', 'There is no budget with this id.');

function refusalOf(subject: string | null): StoreRefusal | null {
  return subject === null ? null : nameRefusal('What a budget is for', subject, subjectCharactersMax);
}

function budgetOf({ id, organization, scope, subject, month_ms: monthMs, amount_nano: amount, at, told }: Selectable<MonthBudgetTable>): MonthBudget {
  return {
    id, organization: organization as OrganizationId, scope: scope as BudgetScope, subject: subject === '' ? null : subject,
    monthMs: monthMs === 0n ? null : Number(monthMs), amount: nanoDollars(amount), at: JSON.parse(at) as number[],
    told: told === null ? null : JSON.parse(told) as SentBudgetEvents,
  };
}
