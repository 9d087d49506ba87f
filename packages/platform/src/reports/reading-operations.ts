/** The operations that only read, and may take long. */
import type { Operation } from '../http/operation.ts';
import { assessmentsOperations } from '../http/resources/assessments.ts';
import { capOperations } from '../http/resources/caps.ts';
import { callOperations } from '../http/resources/calls.ts';
import { exportOperations } from '../http/resources/exports.ts';
import { findOperations } from '../http/resources/find.ts';
import { receiptOperations } from '../http/resources/receipts.ts';
import { overviewOperations } from '../http/resources/overview.ts';
import { runOperations } from '../http/resources/runs.ts';
import { refusalOperations } from '../http/resources/refusals.ts';
import { correctionsOperation, reconciliationOperations } from '../http/resources/reconciliations.ts';
import { allocationReadings } from '../http/resources/allocation.ts';
import { monthReadings } from '../http/resources/months.ts';
import { statementOperations } from '../http/resources/statements.ts';
import { usageOperations } from '../http/resources/usage.ts';

const resources: readonly Operation[] = [
  ...assessmentsOperations, ...callOperations, ...capOperations, ...exportOperations, ...findOperations, ...overviewOperations, ...receiptOperations,
  ...reconciliationOperations, ...refusalOperations, ...runOperations,
  ...monthReadings, ...allocationReadings, ...statementOperations, ...usageOperations,
];

export const readingOperations: readonly Operation[] = [
  ...resources.filter(({ readsLong }) => readsLong === true), correctionsOperation,
];
