/**
 * Every route of the platform, ready to be asked without a socket.
 *
 * To add a resource: write its operations (`operation({...})` of operation.ts) in a file under `http/resources/` and name
 * their list in `operations` below. That makes the routes under `/platform/v1`, their checks and their part of the OpenAPI
 * document. Anything outside `/platform/v1` (the tap's endpoint, a page) goes into `extensions`: a function that gets the app and its parts
 * and adds plain routes, with their own authentication and errors.
 * Bodies of operations are read by mount.ts; an extension reads its own.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { UnwantedWork } from '@metergate/store/threads/others-first.ts';
import { describeApp } from './describe.ts';
import { HashingBusy } from '../auth/passwords.ts';
import { ReportsOutOfMemory } from '../reports/running-thread.ts';
import { answerToFault, busy, errorResponse, HttpRefusal, notFound, tooLargeReport, unread } from './envelope.ts';
import { mount } from './mount.ts';
import type { Operation } from './operation.ts';
import type { PlatformParts } from './parts.ts';
import { alertOperations } from './resources/alerts.ts';
import { budgetOperations } from './resources/budgets.ts';
import { assessmentsOperations } from './resources/assessments.ts';
import { auditOperations } from './resources/audit.ts';
import { authOperations } from './resources/auth.ts';
import { callOperations } from './resources/calls.ts';
import { capOperations } from './resources/caps.ts';
import { namedUpstreamOperations, providerOperations, upstreamOperations } from './resources/destinations.ts';
import { exportOperations } from './resources/exports.ts';
import { findOperations } from './resources/find.ts';
import { keyOperations } from './resources/keys.ts';
import { limitsOperations } from './resources/limits.ts';
import { memberOperations } from './resources/members.ts';
import { organizationOperations } from './resources/organizations.ts';
import { nodeOperations } from './resources/nodes.ts';
import { overviewOperations } from './resources/overview.ts';
import { priceOperations } from './resources/prices.ts';
import { productOperations } from './resources/product.ts';
import { receiptOperations } from './resources/receipts.ts';
import { refusalOperations } from './resources/refusals.ts';
import { runOperations } from './resources/runs.ts';
import { selfOperations } from './resources/self.ts';
import { tokenOperations } from './resources/tokens.ts';
import { reconciliationOperations } from './resources/reconciliations.ts';
import { allocationOperations } from './resources/allocation.ts';
import { monthOperations } from './resources/months.ts';
import { statementOperations } from './resources/statements.ts';
import { usageOperations } from './resources/usage.ts';
import { viewOperations } from './resources/views.ts';
import { machineSignInOperations } from './resources/machine-sign-ins.ts';
import { wayInOperations } from './resources/ways-in.ts';
import { serveOidc } from './oidc-routes.ts';
import { serveDashboard } from './pages/dashboard.ts';
import { limitsPage, limitsPath } from './pages/limits-page.ts';
import { pageHeaders } from './pages/page-style.ts';
import { securityHeaders } from './security-headers.ts';

/** Every operation under `/platform/v1`. */
export const operations: readonly Operation[] = [
  ...productOperations, ...priceOperations,
  ...authOperations, ...machineSignInOperations, ...wayInOperations,
  ...organizationOperations,
  ...memberOperations,
  ...keyOperations,
  ...providerOperations,
  ...upstreamOperations, ...namedUpstreamOperations,
  ...capOperations,
  ...alertOperations, ...budgetOperations,
  ...runOperations,
  ...callOperations,
  ...overviewOperations,
  ...refusalOperations,
  ...findOperations,
  ...viewOperations,
  ...nodeOperations,
  ...reconciliationOperations, ...monthOperations, ...allocationOperations, ...statementOperations, ...usageOperations,
  ...exportOperations,
  ...receiptOperations,
  ...tokenOperations,
  ...auditOperations,
  ...limitsOperations,
  ...assessmentsOperations,
  ...selfOperations,
];

type Extension = (app: OpenAPIHono, parts: PlatformParts) => void;

/** Routes that are not operations. */
const extensions: readonly Extension[] = [
  (app) => {
    app.get(limitsPath, (context) => context.html(limitsPage(), 200, pageHeaders));
  },
  serveOidc,
];

export function platformApp(parts: PlatformParts): OpenAPIHono {
  const app = new OpenAPIHono();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(securityHeaders)) {
      // Whoever needs another value (a page's own script, a file that may be cached) sets it.
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    }
  });
  mount(app, parts, operations);
  for (const extend of extensions) extend(app, parts);
  describeApp(app, parts.publicUrl);
  serveDashboard(app, () => parts.reports?.begin());
  app.notFound(() => errorResponse(notFound()));
  app.onError((fault) => {
    if (fault instanceof HttpRefusal) return errorResponse(fault);
    if (fault instanceof HashingBusy) return errorResponse(busy());
    if (fault instanceof UnwantedWork) return errorResponse(unread());
    parts.report(fault);
    return errorResponse(fault instanceof ReportsOutOfMemory ? tooLargeReport() : answerToFault(fault));
  });
  return app;
}
