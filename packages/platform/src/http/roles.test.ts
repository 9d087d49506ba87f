/**
 * Which role may do what, each role on each operation, as one table written by hand from rules: Roles and compared with
 * the app both ways; for management tokens and for people's sessions alike.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasRightsOf, roles, type Role } from '@metergate/core/account/role.ts';
import { operations } from './app.ts';
import { platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

/** The least role; null: nobody needs to be signed in. */
const rights: Readonly<Record<string, Role | null>> = {
  listWaysToSignIn: null, signIn: null, signOut: null, acceptInvitation: null, showProduct: null,
  showSession: 'viewer', chooseOrganization: 'viewer', changePassword: 'viewer', listWaysIn: 'viewer', endWayIn: 'viewer',
  beginMachineSignIn: null, takeMachineKey: null, findMachineSignIn: 'viewer', showMachineSignIn: 'viewer', allowMachineSignIn: 'member',
  refuseMachineSignIn: 'viewer',
  listOrganizations: 'viewer', showOrganization: 'viewer', setOrganization: 'admin', eraseOrganization: 'owner',
  listMembers: 'admin', setMemberRole: 'admin', removeMember: 'admin',
  listInvitations: 'admin', inviteMember: 'admin', withdrawInvitation: 'admin',
  listKeys: 'viewer', createKey: 'member', revokeKey: 'member', setKey: 'member', rotateKey: 'member', makeTestCall: 'member',
  usePasswordLink: null, showSelf: null, endOwnKey: null, showOwnRun: null, closeOwnRun: null, makeMemberPasswordLink: 'owner',
  listProviders: 'admin', connectProvider: 'admin', disconnectProvider: 'admin', testProvider: 'admin',
  showUpstream: 'admin', declareUpstream: 'admin', enableUpstream: 'admin', disableUpstream: 'admin', removeUpstream: 'admin',
  listNamedUpstreams: 'admin', showNamedUpstream: 'admin', declareNamedUpstream: 'admin', enableNamedUpstream: 'admin',
  disableNamedUpstream: 'admin', removeNamedUpstream: 'admin',
  listCaps: 'viewer', setCap: 'admin', removeCap: 'admin',
  listRuns: 'viewer', showRun: 'viewer', showRunStory: 'viewer', closeRun: 'member', mintGrant: 'admin',
  listCalls: 'viewer', showCall: 'viewer', showCallCost: 'viewer',
  showUsage: 'viewer', showOverview: 'viewer', showRefusals: 'viewer', listRefusals: 'viewer', showRefusal: 'viewer', find: 'viewer',
  listNodes: 'owner', showFigureProof: 'owner', showPrices: 'viewer',
  listViews: 'viewer', saveView: 'viewer', removeView: 'viewer', exportCalls: 'viewer', downloadUsage: 'viewer', showLimits: 'viewer',
  listTokens: 'admin', createToken: 'admin', revokeToken: 'admin', listAudit: 'admin',
  reconcile: 'viewer', repriceUsage: 'viewer', recordCorrections: 'admin', listCorrections: 'viewer', removeCorrection: 'admin',
  tryCap: 'viewer', showReceipt: 'viewer', rotateReceiptKey: 'admin',
  listAlerts: 'viewer', setAlert: 'admin', removeAlert: 'admin', listWebhooks: 'viewer', createWebhook: 'admin', removeWebhook: 'admin',
  testWebhook: 'admin', listWebhookDeliveries: 'viewer',
  listMonths: 'viewer', showMonth: 'viewer', exportMonth: 'viewer', closeMonth: 'admin', reopenMonth: 'owner',
  showAllocationRules: 'viewer', setAllocation: 'admin', removeAllocation: 'admin', showAllocation: 'viewer', tryAllocation: 'viewer',
  exportReceipts: 'viewer', showReceiptKeys: 'viewer', showStatement: 'viewer', showTeamStatement: 'viewer', exportLedger: 'viewer',
  showStatementRows: 'viewer',
  listBudgets: 'viewer', setBudget: 'admin', removeBudget: 'admin',
  createAssessment: 'admin', listAssessments: 'viewer', showAssessment: 'viewer', readTapKey: 'admin', rotateTapKey: 'admin',
  retireAssessment: 'admin', declareFigure: 'admin',
};

/** Asked with a service key, without a role. */
const byKey = new Set(operations.filter(({ serviceKey }) => serviceKey === true).map(({ id }) => id));

let platform: PlatformFixture;
let acme: TestOrganization;
const cookies: Partial<Record<Role, string>> = {};
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
  for (const role of roles) cookies[role] = await platform.signIn(acme.emails[role]);
});

test('the table names every operation of the app, and no other', () => {
  assert.deepEqual(operations.map(({ id }) => id).sort(), Object.keys(rights).sort());
});

/** A token stands for no person. */
const ofPeople = new Set(['showMachineSignIn', 'allowMachineSignIn', 'refuseMachineSignIn']);

/** An erasure would end the table, and a new password the sessions: so these requests lack a required field. */
const unharmed = (path: string): string => path.replace('{id}', 'nothing').replace('{provider}', 'nothing').replace('{month}', '2026-01');

for (const { id, method, path, body } of operations) {
  const least = rights[id];
  test(`${id} is for ${least ?? 'anyone'}${least === null ? '' : ' and above'}`, async () => {
    for (const role of least === null ? [] : roles) {
      for (const who of [{ token: acme.tokens[role] }, { cookie: cookies[role]! }]) {
        const { status, body: answer } = await platform.ask(`/platform/v1${unharmed(path)}`, {
          method: method.toUpperCase(), ...who, ...(body === undefined ? {} : { body: {} }),
        });
        const error = (answer as { error?: { code: string } }).error?.code ?? null;
        const isFor = hasRightsOf(role, least!) && !('token' in who && ofPeople.has(id));
        assert.equal(error === 'forbidden' && status === 403, !isFor, `${role} on ${id}: ${status} ${error}`);
        assert.equal(status === 401, byKey.has(id), 'a service key alone opens its own view');
        assert.ok(status < 500, `${role} on ${id}: ${status}`);
      }
    }
    const nobody = await platform.ask(`/platform/v1${unharmed(path)}`, { method: method.toUpperCase(), ...(body === undefined ? {} : { body: {} }) });
    assert.equal(nobody.status === 401, least !== null || byKey.has(id));
  });
}
