/** The platform's HTTP as types. Made by generate-client.ts of its OpenAPI document; do not edit. */

export interface paths {
    "/platform/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Thresholds of caps */
        get: operations["listAlerts"];
        put?: never;
        /** Set the alert thresholds of a cap, replacing earlier ones */
        post: operations["setAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/alerts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove the thresholds of a cap */
        delete: operations["removeAlert"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/assessments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The organization's Baselines, the current one first */
        get: operations["listAssessments"];
        put?: never;
        /** Make the Baseline; its tap key is read separately */
        post: operations["createAssessment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/assessments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The Baseline with its report */
        get: operations["showAssessment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/assessments/{id}/declared": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record a declared figure */
        post: operations["declareFigure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/assessments/{id}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the tap for good */
        post: operations["retireAssessment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/assessments/{id}/tap-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tap key, once */
        get: operations["readTapKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/assessments/{id}/tap-key/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the tap key; the new one is shown only once, and the old one stops working */
        post: operations["rotateTapKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Changes, newest first; optionally only those of one subject or of one kind */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/auth/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set a new password; ends every other session of the person */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/auth/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Join with a one-time link; starts a session */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/auth/organization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Switch this session to another organization that the person belongs to */
        post: operations["chooseOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/auth/password-links/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set a password with a one-time link; ends every other session of the person and starts a new one */
        post: operations["usePasswordLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is signed in, for which organization and in which role */
        get: operations["showSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/auth/sign-in/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin a session with an email and a password */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the session */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/auth/ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How people can sign in */
        get: operations["listWaysToSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Call records, newest first */
        get: operations["listCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/calls/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One call record */
        get: operations["showCall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/calls/{id}/cost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The cost of one call, line by line, if the prices in force still give it */
        get: operations["showCallCost"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/calls/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The receipt of one call */
        get: operations["showReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/caps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Caps with what was spent, in the order they were made */
        get: operations["listCaps"];
        put?: never;
        /** Set a cap; one of the same scope, subject and window keeps its id */
        post: operations["setCap"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/caps/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a cap */
        delete: operations["removeCap"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/caps/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a cap would have refused in the past thirty days, had it been set */
        get: operations["tryCap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/corrections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Corrections, by their days */
        get: operations["listCorrections"];
        put?: never;
        /** Store the differences from a cost export as corrections, replacing those of the same provider and days; no record is changed */
        post: operations["recordCorrections"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/corrections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a correction */
        delete: operations["removeCorrection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The calls that started in [from, to), oldest first, or their costs as a FOCUS table */
        get: operations["exportCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open invitations, oldest first */
        get: operations["listInvitations"];
        put?: never;
        /** Make a one-time link to join; it is shown only once */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw an open invitation */
        delete: operations["withdrawInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Service keys, oldest first, without the keys themselves */
        get: operations["listKeys"];
        put?: never;
        /** Make a service key; it is shown only once */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a service key for good */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        /** Rename, move, disable or enable a service key, or change when it expires; fields left out stay */
        patch: operations["setKey"];
        trace?: never;
    };
    "/platform/v1/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the secret of a service key, shown this once; the old one still works for the grace time */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The plan's throughput limits */
        get: operations["showLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Members, oldest first */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove the member */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /** Set a member's role */
        patch: operations["setMemberRole"];
        trace?: never;
    };
    "/platform/v1/members/{id}/password-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a one-time link that sets a member's password, for 24 hours; it is shown only once */
        post: operations["makeMemberPasswordLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Gateway nodes and their journals, as they last reported; only for owners of the first organization of the deployment */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The organizations that the caller belongs to */
        get: operations["listOrganizations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/organizations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The organization */
        get: operations["showOrganization"];
        put?: never;
        post?: never;
        /** Erase the organization for good: keys, sessions and secrets are destroyed, records keep only their figures */
        delete: operations["eraseOrganization"];
        options?: never;
        head?: never;
        /** Change settings; omitted fields stay as they are, null restores the default */
        patch: operations["setOrganization"];
        trace?: never;
    };
    "/platform/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Spend, calls, tokens, errors and latency by hour or day, with totals of the period before; the past week by default */
        get: operations["showOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/product": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where callers reach the gateway, and what it stands on */
        get: operations["showProduct"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The state of each provider key */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/providers/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Connect a provider key */
        put: operations["connectProvider"];
        post?: never;
        /** Destroy the provider key */
        delete: operations["disconnectProvider"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/providers/{provider}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check that the provider accepts the key */
        post: operations["testProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/receipt-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Public keys that receipts verify with */
        get: operations["showReceiptKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/receipt-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rotate the signing key; both keys sign the succession */
        post: operations["rotateReceiptKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Receipts in the order of the chain, with their signed end: all, or those of the calls that started in [from, to) */
        get: operations["exportReceipts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/reconciliations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compare a provider's usage or cost export with the records, line by line; nothing is changed */
        post: operations["reconcile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Refused calls by reason, key and time, counted by hour and kept for ninety days; the past week by default */
        get: operations["showRefusals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/run-grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign a grant: one run may have a budget up to this maximum */
        post: operations["mintGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs, newest first */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run */
        get: operations["showRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/runs/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a run for good */
        post: operations["closeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The limits on the calls of this key, and what is left of them */
        get: operations["showSelf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/self/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A run that this key started */
        get: operations["showOwnRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/self/runs/{run}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a run that this key started, for good */
        post: operations["closeOwnRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The usage of a month as one printable HTML page; last month by default */
        get: operations["showStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Management tokens, oldest first, without the tokens themselves */
        get: operations["listTokens"];
        put?: never;
        /** Make a management token; it is shown only once */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a management token for good */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/upstream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The declared upstream */
        get: operations["showUpstream"];
        /** Declare the upstream; it starts disabled */
        put: operations["declareUpstream"];
        post?: never;
        /** Destroy the declaration and its credential */
        delete: operations["removeUpstream"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/upstream/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Disable the upstream */
        post: operations["disableUpstream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/upstream/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enable the upstream */
        post: operations["enableUpstream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Calls, tokens and cost; times in order, everything else costliest first */
        get: operations["showUsage"];
        put?: never;
        /** The same, with what the calls would cost by this price file over the frozen list; the file does not take effect */
        post: operations["repriceUsage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your own saved views, by name */
        get: operations["listViews"];
        put?: never;
        /** Save a view, replacing one with the same name */
        post: operations["saveView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/views/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a saved view */
        delete: operations["removeView"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Webhooks */
        get: operations["listWebhooks"];
        put?: never;
        /** Create a webhook; only this response shows its secret */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a webhook and its deliveries */
        delete: operations["removeWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The last hundred deliveries, newest first */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platform/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test event to a webhook */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Alert: {
            /** @description Percent of the limit */
            at: number[];
            cap: string;
            id: string;
        };
        AuditEvent: {
            /** @enum {string} */
            action: "createOrganization" | "setOrganization" | "eraseOrganization" | "createKey" | "setKey" | "rotateKey" | "revokeKey" | "connectProvider" | "disconnectProvider" | "declareUpstream" | "enableUpstream" | "disableUpstream" | "removeUpstream" | "setCap" | "removeCap" | "closeRun" | "mintGrant" | "freeLeases" | "createUser" | "setMemberRole" | "removeMember" | "inviteMember" | "acceptInvitation" | "withdrawInvitation" | "linkIdentity" | "provideMember" | "withdrawMember" | "changePassword" | "makePasswordLink" | "usePasswordLink" | "createToken" | "revokeToken" | "createAssessment" | "readTapKey" | "rotateTapKey" | "retireAssessment" | "declareFigure" | "loadPrices" | "rotateMasterKey" | "rotateReceiptKey" | "setAlert" | "removeAlert" | "createWebhook" | "setWebhook" | "removeWebhook" | "testWebhook" | "capReached" | "capReset" | "recordCorrections" | "removeCorrection";
            actor: {
                id: string | null;
                /** @enum {string} */
                kind: "person" | "token" | "operator" | "system";
                name: string | null;
            };
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            at: string;
            detail: {
                [key: string]: unknown;
            };
            id: string;
            organization: string | null;
            subject: string | null;
        };
        Baseline: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            closesAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            /** Format: date */
            firstDay: string | null;
            id: string;
            keyRead: boolean;
            organization: string;
            prefix: string;
            readmitted: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            retiredAt: string | null;
            /** @enum {string} */
            state: "waiting" | "reporting" | "closed";
        };
        BaselineReport: {
            byDay: {
                cachedTokens: components["schemas"]["ReportedFigure"];
                calls: components["schemas"]["ReportedFigure"];
                cost: components["schemas"]["ModeledFigure"];
                /** Format: date */
                day: string;
                failures: components["schemas"]["ReportedFigure"];
                inputTokens: components["schemas"]["ReportedFigure"];
                latencyMs: {
                    p50: components["schemas"]["ReportedFigureOrNone"];
                    p90: components["schemas"]["ReportedFigureOrNone"];
                    p95: components["schemas"]["ReportedFigureOrNone"];
                    p99: components["schemas"]["ReportedFigureOrNone"];
                };
                noResponse: components["schemas"]["ReportedFigure"];
                outputTokens: components["schemas"]["ReportedFigure"];
                rateLimited: components["schemas"]["ReportedFigure"];
                retries: components["schemas"]["ReportedFigure"];
                serverErrors: components["schemas"]["ReportedFigure"];
                stopReasons: {
                    content_filter: components["schemas"]["ReportedFigure"];
                    error: components["schemas"]["ReportedFigure"];
                    length: components["schemas"]["ReportedFigure"];
                    other: components["schemas"]["ReportedFigure"];
                    stop: components["schemas"]["ReportedFigure"];
                    tool_calls: components["schemas"]["ReportedFigure"];
                };
                toolCalls: components["schemas"]["ReportedFigure"];
                unpricedCalls: components["schemas"]["ReportedFigure"];
            }[];
            byModel: {
                cachedTokens: components["schemas"]["ReportedFigure"];
                calls: components["schemas"]["ReportedFigure"];
                cost: components["schemas"]["ModeledFigure"];
                failures: components["schemas"]["ReportedFigure"];
                inputTokens: components["schemas"]["ReportedFigure"];
                latencyMs: {
                    p50: components["schemas"]["ReportedFigureOrNone"];
                    p90: components["schemas"]["ReportedFigureOrNone"];
                    p95: components["schemas"]["ReportedFigureOrNone"];
                    p99: components["schemas"]["ReportedFigureOrNone"];
                };
                model: string;
                noResponse: components["schemas"]["ReportedFigure"];
                outputTokens: components["schemas"]["ReportedFigure"];
                provider: string;
                rateLimited: components["schemas"]["ReportedFigure"];
                retries: components["schemas"]["ReportedFigure"];
                serverErrors: components["schemas"]["ReportedFigure"];
                stopReasons: {
                    content_filter: components["schemas"]["ReportedFigure"];
                    error: components["schemas"]["ReportedFigure"];
                    length: components["schemas"]["ReportedFigure"];
                    other: components["schemas"]["ReportedFigure"];
                    stop: components["schemas"]["ReportedFigure"];
                    tool_calls: components["schemas"]["ReportedFigure"];
                };
                toolCalls: components["schemas"]["ReportedFigure"];
                unpricedCalls: components["schemas"]["ReportedFigure"];
            }[];
            byProvider: {
                cachedTokens: components["schemas"]["ReportedFigure"];
                calls: components["schemas"]["ReportedFigure"];
                cost: components["schemas"]["ModeledFigure"];
                failures: components["schemas"]["ReportedFigure"];
                inputTokens: components["schemas"]["ReportedFigure"];
                latencyMs: {
                    p50: components["schemas"]["ReportedFigureOrNone"];
                    p90: components["schemas"]["ReportedFigureOrNone"];
                    p95: components["schemas"]["ReportedFigureOrNone"];
                    p99: components["schemas"]["ReportedFigureOrNone"];
                };
                noResponse: components["schemas"]["ReportedFigure"];
                outputTokens: components["schemas"]["ReportedFigure"];
                provider: string;
                rateLimited: components["schemas"]["ReportedFigure"];
                retries: components["schemas"]["ReportedFigure"];
                serverErrors: components["schemas"]["ReportedFigure"];
                stopReasons: {
                    content_filter: components["schemas"]["ReportedFigure"];
                    error: components["schemas"]["ReportedFigure"];
                    length: components["schemas"]["ReportedFigure"];
                    other: components["schemas"]["ReportedFigure"];
                    stop: components["schemas"]["ReportedFigure"];
                    tool_calls: components["schemas"]["ReportedFigure"];
                };
                toolCalls: components["schemas"]["ReportedFigure"];
                unpricedCalls: components["schemas"]["ReportedFigure"];
            }[];
            byTag: {
                cachedTokens: components["schemas"]["ReportedFigure"];
                calls: components["schemas"]["ReportedFigure"];
                cost: components["schemas"]["ModeledFigure"];
                failures: components["schemas"]["ReportedFigure"];
                inputTokens: components["schemas"]["ReportedFigure"];
                latencyMs: {
                    p50: components["schemas"]["ReportedFigureOrNone"];
                    p90: components["schemas"]["ReportedFigureOrNone"];
                    p95: components["schemas"]["ReportedFigureOrNone"];
                    p99: components["schemas"]["ReportedFigureOrNone"];
                };
                noResponse: components["schemas"]["ReportedFigure"];
                outputTokens: components["schemas"]["ReportedFigure"];
                rateLimited: components["schemas"]["ReportedFigure"];
                retries: components["schemas"]["ReportedFigure"];
                serverErrors: components["schemas"]["ReportedFigure"];
                stopReasons: {
                    content_filter: components["schemas"]["ReportedFigure"];
                    error: components["schemas"]["ReportedFigure"];
                    length: components["schemas"]["ReportedFigure"];
                    other: components["schemas"]["ReportedFigure"];
                    stop: components["schemas"]["ReportedFigure"];
                    tool_calls: components["schemas"]["ReportedFigure"];
                };
                tag: string;
                toolCalls: components["schemas"]["ReportedFigure"];
                unpricedCalls: components["schemas"]["ReportedFigure"];
            }[];
            declared: {
                amount: components["schemas"]["DeclaredFigure"];
                name: string;
            }[];
            /**
             * Format: date
             * @description The first of the seven days; null before they begin: the figures then cover everything
             */
            from: string | null;
            headroom: {
                at: string;
                /** @enum {string} */
                kind: "requests" | "tokens";
                limit: components["schemas"]["ReportedFigure"];
                model: string;
                provider: string;
                remaining: components["schemas"]["ReportedFigure"];
            }[];
            /** @description What was reported for other days; not included in the figures above */
            outside: {
                cachedTokens: components["schemas"]["ReportedFigure"];
                calls: components["schemas"]["ReportedFigure"];
                cost: components["schemas"]["ModeledFigure"];
                failures: components["schemas"]["ReportedFigure"];
                inputTokens: components["schemas"]["ReportedFigure"];
                latencyMs: {
                    p50: components["schemas"]["ReportedFigureOrNone"];
                    p90: components["schemas"]["ReportedFigureOrNone"];
                    p95: components["schemas"]["ReportedFigureOrNone"];
                    p99: components["schemas"]["ReportedFigureOrNone"];
                };
                noResponse: components["schemas"]["ReportedFigure"];
                outputTokens: components["schemas"]["ReportedFigure"];
                rateLimited: components["schemas"]["ReportedFigure"];
                retries: components["schemas"]["ReportedFigure"];
                serverErrors: components["schemas"]["ReportedFigure"];
                stopReasons: {
                    content_filter: components["schemas"]["ReportedFigure"];
                    error: components["schemas"]["ReportedFigure"];
                    length: components["schemas"]["ReportedFigure"];
                    other: components["schemas"]["ReportedFigure"];
                    stop: components["schemas"]["ReportedFigure"];
                    tool_calls: components["schemas"]["ReportedFigure"];
                };
                toolCalls: components["schemas"]["ReportedFigure"];
                unpricedCalls: components["schemas"]["ReportedFigure"];
            } | null;
            priceList: string;
            tagsOmitted: number;
            /**
             * Format: date
             * @description The day after the last
             */
            to: string | null;
            total: {
                cachedTokens: components["schemas"]["ReportedFigure"];
                calls: components["schemas"]["ReportedFigure"];
                cost: components["schemas"]["ModeledFigure"];
                failures: components["schemas"]["ReportedFigure"];
                inputTokens: components["schemas"]["ReportedFigure"];
                latencyMs: {
                    p50: components["schemas"]["ReportedFigureOrNone"];
                    p90: components["schemas"]["ReportedFigureOrNone"];
                    p95: components["schemas"]["ReportedFigureOrNone"];
                    p99: components["schemas"]["ReportedFigureOrNone"];
                };
                noResponse: components["schemas"]["ReportedFigure"];
                outputTokens: components["schemas"]["ReportedFigure"];
                rateLimited: components["schemas"]["ReportedFigure"];
                retries: components["schemas"]["ReportedFigure"];
                serverErrors: components["schemas"]["ReportedFigure"];
                stopReasons: {
                    content_filter: components["schemas"]["ReportedFigure"];
                    error: components["schemas"]["ReportedFigure"];
                    length: components["schemas"]["ReportedFigure"];
                    other: components["schemas"]["ReportedFigure"];
                    stop: components["schemas"]["ReportedFigure"];
                    tool_calls: components["schemas"]["ReportedFigure"];
                };
                toolCalls: components["schemas"]["ReportedFigure"];
                unpricedCalls: components["schemas"]["ReportedFigure"];
            };
        };
        BillSide: {
            calls: number | null;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            cost: string | null;
            inputTokens: number | null;
            outputTokens: number | null;
        };
        CallCost: {
            /**
             * @description The call's x-svc-request-id
             * @example req_0123456789abcdef0123456789abcdef
             */
            call: string;
            /**
             * @description US dollars with nine decimal places; null if it is not known
             * @example 0.012345600
             */
            cost: string | null;
            /** @description What was reported but is not in the cost because it has no price; empty if the cost is complete */
            costGaps: ("service_tier" | "region" | "audio" | "cache_write" | "web_search" | "web_fetch" | "file_search" | "code_interpreter" | "other_model")[];
            /** @enum {string} */
            costSource: "priced" | "upstream" | "fallback" | "unpriced" | "none";
            /**
             * @description The factor of token prices for the service tier
             * @example 0.5
             */
            factor: string | null;
            /** @description The cost is their sum, rounded once, half to even, to nine places */
            lines: {
                /**
                 * @description US dollars as exact decimal text, without trailing zeros
                 * @example 0.0000025
                 */
                amount: string | null;
                /** @description Tokens, or calls; no token is counted twice */
                count: number;
                /** @enum {string} */
                of: "input" | "cached" | "cacheWrite" | "output" | "reasoning" | "audioInput" | "audioOutput" | "webSearch" | "webFetch" | "fileSearch" | "codeInterpreter" | "call";
                /**
                 * @description The kind whose price applies if this one has none of its own
                 * @enum {string|null}
                 */
                paidAs: "input" | "cached" | "cacheWrite" | "output" | "reasoning" | "audioInput" | "audioOutput" | "webSearch" | "webFetch" | "fileSearch" | "codeInterpreter" | "call" | null;
                per: number;
                /**
                 * @description For `per` of them, before the factor; null: no price is known
                 * @example 0.0000025
                 */
                price: string | null;
            }[] | null;
            /** @description Date and hash of the list that priced the call */
            priceList: string | null;
            /**
             * @description no_cost: the call has none. reported: the upstream reported it. other_prices: the prices in force now do not give it.
             * @enum {string|null}
             */
            withoutLines: "no_cost" | "reported" | "other_prices" | null;
        };
        CallRecord: {
            audioInputTokens: number | null;
            audioOutputTokens: number | null;
            cachedTokens: number | null;
            cacheWriteTokens: number | null;
            /**
             * @description US dollars with nine decimal places; null if it is not known
             * @example 0.012345600
             */
            cost: string | null;
            /** @description What was reported but is not in the cost because it has no price; empty if the cost is complete */
            costGaps: ("service_tier" | "region" | "audio" | "cache_write" | "web_search" | "web_fetch" | "file_search" | "code_interpreter" | "other_model")[];
            /** @enum {string} */
            costSource: "priced" | "upstream" | "fallback" | "unpriced" | "none";
            durationMs: number | null;
            /** @description What the call was counted as, such as chat.completions; other for all other paths */
            endpoint: string;
            finishReason: string | null;
            firstByteMs: number | null;
            /**
             * @description The call's x-svc-request-id
             * @example req_0123456789abcdef0123456789abcdef
             */
            id: string;
            inputTokens: number | null;
            /** @description Id of the service key */
            key: string;
            /** @enum {string} */
            label: "measured";
            labels: string[];
            /** @description Labels that were too long or too many */
            labelsDropped: number;
            method: string;
            model: string | null;
            node: string;
            organization: string;
            /** @enum {string} */
            outcome: "completed" | "cut" | "caller_gone" | "failed" | "interrupted";
            outputTokens: number | null;
            /** @description As called, without its query */
            path: string;
            /** @description Date and hash of the list that priced the call */
            priceList: string | null;
            project: string | null;
            providerRequestId: string | null;
            reasoningTokens: number | null;
            requestBytes: number;
            responseBytes: number;
            run: string | null;
            /** @description The tier that served the call, in the provider's word */
            serviceTier: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            startedAt: string;
            /** @description The provider's; null if it did not answer */
            status: number | null;
            streamed: boolean;
            /** @description Calls of the provider's own tools, which have fees of their own; null if it reported none */
            toolCalls: {
                codeInterpreter: number;
                fileSearch: number;
                webFetch: number;
                webSearch: number;
            } | null;
            /**
             * @description none: none was due. unknown: it was due and did not come. partial: only a running figure came.
             * @enum {string}
             */
            usage: "reported" | "partial" | "unknown" | "none";
            /**
             * @description Why usage is unknown or partial
             * @enum {string|null}
             */
            usageReason: "absent" | "cut" | "caller_gone" | "interrupted" | "not_a_figure" | "not_readable" | "decode_failed" | "decode_limit" | "decode_late" | "deferred" | "not_reported" | "reader_fault" | "body_over_bound" | null;
            /** @description openai, anthropic, or upstream for the declared one */
            wire: string;
        };
        Cap: {
            /**
             * Format: date-time
             * @description When it is reached at the pace of the last seven days; null: not at this pace
             * @example 2026-09-23T14:00:00.000Z
             */
            forecastAt: string | null;
            gapCalls: number;
            id: string;
            key: string | null;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            limit: string;
            /** @enum {string} */
            mode: "refuse" | "pause";
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            pacePerDay: string;
            project: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            resetsAt: string | null;
            /** @enum {string} */
            scope: "organization" | "key" | "project";
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            spent: string;
            /** @enum {string} */
            state: "open" | "reached" | "shown";
            unknownCalls: number;
            /** @enum {string} */
            window: "day" | "week" | "month" | "year" | "lifetime";
        };
        CapTrial: {
            tried: {
                calls: number;
                /**
                 * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
                 * @example 12.500000000
                 */
                cost: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-09-23T14:00:00.000Z
                 */
                since: string;
            };
            windows: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-09-23T14:00:00.000Z
                 */
                reachedAt: string;
                refusedCalls: number;
                /**
                 * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
                 * @example 12.500000000
                 */
                refusedCost: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-09-23T14:00:00.000Z
                 */
                startsAt: string;
            }[];
            wouldRefuse: {
                calls: number;
                /**
                 * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
                 * @example 12.500000000
                 */
                cost: string;
            };
        };
        Correction: {
            /** @description SHA-256 of the file */
            bill: string;
            /**
             * @description Theirs minus ours
             * @example 12.500000000
             */
            correction: string;
            /**
             * Format: date
             * @example 2026-11-01
             */
            day: string;
            id: string;
            /** @description Null: the bill names none */
            model: string | null;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            ours: string;
            /** @enum {string} */
            provider: "openai" | "anthropic";
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            recordedAt: string;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            theirs: string;
        };
        DeclaredFigure: {
            /** @enum {string} */
            label: "declared";
            value: string;
        };
        Done: {
            /** @enum {boolean} */
            done: true;
        };
        ErasedOrganization: {
            /** @enum {boolean} */
            erased: true;
            id: string;
        };
        Error: {
            error: {
                /** @description For programs; stable */
                code: string;
                /** @description For people */
                message: string;
            };
        };
        GatewayNode: {
            callsForwarded: number;
            callsInFlight: number;
            callsRefused: number;
            eventLoopDelayMs: number;
            faults: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            heardAt: string;
            /** @description Name of the machine */
            host: string;
            id: string;
            journal: {
                bytes: number;
                /** @description How long rows may have waited to be shipped */
                lagMs: number;
                /** @description Ended calls that wait because the journal cannot be written */
                rowsInMemory: number;
                /** @description Ended calls that are not in the store yet */
                rowsToShip: number;
                /** @description Records that the store refused */
                setAside: number;
            };
            leases: number | null;
            liveRuns: number;
            /** @description Why it is not ready */
            reasons: string[];
            /** @description Version of Node */
            runtime: string;
            settingsAgeMs: number;
            spendDifferences: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            startedAt: string;
            /**
             * @description silent: no report for twenty seconds
             * @enum {string}
             */
            state: "ready" | "unready" | "stopped" | "silent";
            version: string;
        };
        Invitation: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: email
             * @description In lower case
             * @example ada@example.com
             */
            email: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            expiresAt: string;
            id: string;
            organization: string;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
        };
        Latency: {
            p50: number | null;
            p95: number | null;
        };
        Limits: {
            /** Format: uri */
            docs: string;
            note: string | null;
            requestsPerMin: number | null;
            /** @enum {string} */
            tier: "free" | "developer" | "team" | "growth" | "scale" | "enterprise";
            tokensPerMin: number | null;
        };
        ListedProviderConnection: components["schemas"]["ProviderConnection"] & {
            placeholder: boolean;
        };
        MadeInvitation: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: email
             * @description In lower case
             * @example ada@example.com
             */
            email: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            expiresAt: string;
            id: string;
            /** Format: uri */
            link: string;
            organization: string;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
        };
        ManagementToken: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            expiresAt: string | null;
            id: string;
            name: string | null;
            prefix: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            revokedAt: string | null;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
        };
        Member: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: email
             * @description In lower case
             * @example ada@example.com
             */
            email: string;
            id: string;
            organization: string;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
        };
        MintedManagementToken: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            expiresAt: string | null;
            id: string;
            name: string | null;
            prefix: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            revokedAt: string | null;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
            token: string;
        };
        MintedServiceKey: {
            id: string;
            key: string;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            maxRunBudget?: string;
            prefix: string;
        };
        ModeledFigure: {
            /** @enum {string} */
            label: "modeled";
            value: string | null;
        };
        NewWebhook: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            events: ("cap.threshold" | "cap.reached" | "cap.reset" | "spend.unusual" | "run.over_budget" | "baseline.reporting" | "baseline.closed")[] | null;
            id: string;
            secret: string;
            url: string;
        };
        Organization: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            drainSeconds: number | null;
            enforceKeyCaps: boolean;
            fallbackPrice: {
                /**
                 * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
                 * @example 12.500000000
                 */
                input: string;
                /**
                 * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
                 * @example 12.500000000
                 */
                output: string;
            } | null;
            id: string;
            /** @description Records, tap events and sums older than this many days are removed; null: none are */
            keepRecordsDays: number | null;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            maxRunBudget: string | null;
            name: string;
            /** @enum {string} */
            plan: "free" | "developer" | "team" | "growth" | "scale" | "enterprise";
            /**
             * Format: date-time
             * @description Some or all records of calls that started before this time have been removed; null: none have
             * @example 2026-09-23T14:00:00.000Z
             */
            recordsGoneBefore: string | null;
            requestsPerMinute: number | null;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            runCeiling: string | null;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            runExposure: string | null;
            tokensPerMinute: number | null;
        };
        Overview: {
            before: components["schemas"]["OverviewFigures"];
            /** @description The period up to that time, and the period before it up to as long before. Null: records of it were removed for their age, so that the two cannot be compared */
            comparison: {
                before: components["schemas"]["OverviewFigures"];
                total: components["schemas"]["OverviewFigures"];
                /**
                 * Format: date-time
                 * @description The end of the period or, while it runs, of its last full hour
                 * @example 2026-09-23T14:00:00.000Z
                 */
                until: string;
            } | null;
            series: (components["schemas"]["OverviewFigures"] & {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-09-23T14:00:00.000Z
                 */
                at: string;
            })[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            since: string;
            /** @enum {string} */
            step: "hour" | "day";
            total: components["schemas"]["OverviewFigures"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            until: string;
        };
        OverviewFigures: {
            cachedTokens: number;
            cacheWriteTokens: number;
            calls: number;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            cost: string;
            errorCalls: number;
            firstByteMs: components["schemas"]["Latency"];
            /** @description Something that was reported is not in the cost */
            gapCalls: number;
            inputTokens: number;
            latencyMs: components["schemas"]["Latency"];
            outputTokens: number;
            reasoningTokens: number;
            throttledCalls: number;
            /** @description No usage came, or a part of it. One with a part may also be in unpricedCalls or gapCalls. */
            unknownCalls: number;
            /** @description Usage came, but has no price */
            unpricedCalls: number;
        };
        OwnCap: {
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            headroom: string;
            id: string;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            limit: string;
            /** @enum {string} */
            mode: "refuse" | "pause";
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            resetsAt: string | null;
            /** @enum {string} */
            scope: "organization" | "key";
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            spent: string;
            /** @enum {string} */
            state: "open" | "reached" | "shown";
            /** @enum {string} */
            window: "day" | "week" | "month" | "year" | "lifetime";
        };
        OwnRun: components["schemas"]["Run"] & {
            /**
             * @description What is left of its budget; null: it has none
             * @example 12.500000000
             */
            headroom: string | null;
        };
        PasswordLink: {
            /** Format: uri */
            url: string;
        };
        PasswordSet: {
            /**
             * Format: email
             * @description In lower case
             * @example ada@example.com
             */
            email: string;
        };
        Product: {
            /** Format: uri */
            gatewayUrl: string;
            /** Format: uri */
            platformUrl: string;
            sandbox: boolean;
        };
        ProviderConnection: {
            organization: string;
            /** @enum {string} */
            provider: "openai" | "anthropic";
            /** @enum {string} */
            state: "missing" | "connected" | "unreadable";
        };
        ProviderTest: {
            accepted: boolean | null;
            organization: string;
            /** @enum {string} */
            provider: "openai" | "anthropic";
            /** @enum {string} */
            state: "connected";
            status: number;
        };
        Receipt: {
            call: string;
            /** @description The signed checkpoint that covers it */
            checkpoint: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-09-23T14:00:00.000Z
                 */
                at: string;
                first: number;
                /** @description SHA-256 in hexadecimal */
                hash: string;
                key: string;
                last: number;
                organization: string;
                /** @description SHA-256 in hexadecimal */
                previous: string;
                signature: string;
            } | null;
            figures: {
                audioInputTokens: string | null;
                audioOutputTokens: string | null;
                cachedTokens: string | null;
                cacheWriteTokens: string | null;
                cost: string | null;
                costGaps: string | null;
                costSource: string | null;
                durationMs: string | null;
                endpoint: string | null;
                firstByteMs: string | null;
                id: string | null;
                inputTokens: string | null;
                key: string | null;
                labelsDropped: string | null;
                method: string | null;
                node: string | null;
                organization: string | null;
                outcome: string | null;
                outputTokens: string | null;
                priceList: string | null;
                reasoningTokens: string | null;
                requestBytes: string | null;
                responseBytes: string | null;
                startedAt: string | null;
                status: string | null;
                streamed: string | null;
                toolCalls: string | null;
                usage: string | null;
                usageReason: string | null;
                wire: string | null;
            };
            /** @description SHA-256 in hexadecimal */
            hash: string;
            /** @description Whether the stored record gives this hash */
            matches: boolean;
            organization: string;
            /** @description SHA-256 in hexadecimal */
            previous: string;
            sequence: number;
            /** @description Null: erased */
            words: {
                finishReason: string | null;
                labels: string[];
                model: string | null;
                path: string;
                project: string | null;
                providerRequestId: string | null;
                run: string | null;
                /** @description SHA-256 in hexadecimal */
                salt: string;
                serviceTier: string | null;
            } | null;
            /** @description SHA-256 in hexadecimal */
            wordsDigest: string;
        };
        ReceiptKeys: {
            /** @description The key that signs now */
            key: string;
            keys: {
                follows: {
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     * @example 2026-09-23T14:00:00.000Z
                     */
                    at: string;
                    signedByItself: string;
                    signedByPrevious: string;
                } | null;
                id: string;
                /** @description Ed25519, 32 raw bytes, base64 */
                publicKey: string;
            }[];
            organization: string;
            pem: string;
        };
        Reconciliation: {
            /** @description Every line is equal */
            equal: boolean;
            lines: {
                /**
                 * Format: date
                 * @example 2026-11-01
                 */
                day: string;
                difference: components["schemas"]["BillSide"];
                model: string | null;
                ours: components["schemas"]["BillSide"];
                reasons: ("unknown_usage" | "cost_gaps" | "unpriced" | "past_the_gateway" | "other_prices" | "day_not_over")[];
                requestId: string | null;
                theirs: components["schemas"]["BillSide"];
                /** @enum {string} */
                verdict: "equal" | "ours_more" | "theirs_more" | "ours_only" | "theirs_only";
            }[];
            /**
             * Format: date-time
             * @description Set if the file begins before this time: some or all earlier records have been removed
             * @example 2026-09-23T14:00:00.000Z
             */
            recordsGoneBefore: string | null;
            totals: {
                difference: components["schemas"]["BillSide"];
                ours: components["schemas"]["BillSide"];
                theirs: components["schemas"]["BillSide"];
            };
        };
        RecordedCorrections: {
            corrections: components["schemas"]["Correction"][];
            days: {
                /**
                 * Format: date
                 * @example 2026-11-01
                 */
                first: string;
                /**
                 * Format: date
                 * @example 2026-11-01
                 */
                last: string;
            };
            /** @description Days of the file that are not over yet; nothing is recorded for them */
            openDays: string[];
            /** @enum {string} */
            provider: "openai" | "anthropic";
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            total: string;
        };
        Refusals: {
            /** @description In the period of the same length just before */
            before: number;
            /** @description Most frequent first */
            byCode: {
                code: string;
                refusals: number;
            }[];
            /** @description The period up to that time, and the period before it up to as long before. Null: counts of it are no longer kept, so that the two cannot be compared */
            comparison: {
                before: number;
                total: number;
                /**
                 * Format: date-time
                 * @description The end of the period or, while it runs, of its last full hour
                 * @example 2026-09-23T14:00:00.000Z
                 */
                until: string;
            } | null;
            organization: string;
            /** @description Most frequent first, at most 500 */
            rows: components["schemas"]["RefusalsOfKey"][];
            series: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-09-23T14:00:00.000Z
                 */
                at: string;
                byCode: {
                    [key: string]: number;
                };
            }[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            since: string;
            /** @enum {string} */
            step: "hour" | "day";
            total: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            until: string;
        };
        RefusalsOfKey: {
            /** @description The `error.code` of the answers */
            code: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            firstHour: string;
            /** @description Null: too many keys were refused to be counted separately */
            key: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            lastHour: string;
            refusals: number;
            /**
             * @description Scope of the budget that refused the call; null: no budget did
             * @enum {string|null}
             */
            scope: "organization" | "key" | "run" | null;
            /** @enum {string|null} */
            window: "run" | "day" | "week" | "month" | "year" | "lifetime" | null;
        };
        RemovedAlert: {
            id: string;
            /** @enum {boolean} */
            removed: true;
        };
        RemovedCap: {
            id: string;
            /** @enum {boolean} */
            removed: true;
        };
        RemovedCorrection: {
            id: string;
            /** @enum {boolean} */
            removed: true;
        };
        RemovedUpstream: {
            organization: string;
            /** @enum {boolean} */
            removed: true;
        };
        RemovedView: {
            id: string;
            /** @enum {boolean} */
            removed: true;
        };
        RemovedWebhook: {
            id: string;
            /** @enum {boolean} */
            removed: true;
        };
        ReportedBaseline: components["schemas"]["Baseline"] & {
            report: components["schemas"]["BaselineReport"];
        };
        ReportedFigure: {
            /** @enum {string} */
            label: "reported";
            value: number;
        };
        ReportedFigureOrNone: {
            /** @enum {string} */
            label: "reported";
            value: number | null;
        };
        RevokedServiceKey: {
            alreadyRevoked: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description It admits no calls until it is enabled again
             * @example 2026-09-23T14:00:00.000Z
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            expiresAt: string | null;
            id: string;
            /**
             * Format: date-time
             * @description To the minute; null: never used
             * @example 2026-09-23T14:00:00.000Z
             */
            lastUsedAt: string | null;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            maxRunBudget: string | null;
            name: string | null;
            prefix: string;
            project: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            revokedAt: string | null;
        };
        RotatedServiceKey: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            formerUntil: string;
            id: string;
            key: string;
            prefix: string;
        };
        Run: {
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            budget: string | null;
            /** @enum {string|null} */
            clampReason: "policy_max" | "grant_max" | "workspace_ceiling" | "exposure_headroom" | null;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            effective: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            endedAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            expiresAt: string | null;
            gapCalls: number;
            id: string;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            spent: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            startedAt: string;
            /** @enum {string} */
            state: "live" | "expired" | "over_budget" | "closed";
            unknownCalls: number;
        };
        RunGrant: {
            grant: string;
        };
        SavedView: {
            id: string;
            name: string;
            query: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            savedAt: string;
        };
        Self: {
            caps: components["schemas"]["OwnCap"][];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            expiresAt: string | null;
            id: string;
            limits: {
                requestsPerMin: number | null;
                /** @enum {string} */
                tier: "free" | "developer" | "team" | "growth" | "scale" | "enterprise";
                tokensPerMin: number | null;
            };
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            maxRunBudget: string | null;
            name: string | null;
            organization: string;
            prefix: string;
            project: string | null;
        };
        ServiceKey: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description It admits no calls until it is enabled again
             * @example 2026-09-23T14:00:00.000Z
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            expiresAt: string | null;
            id: string;
            /**
             * Format: date-time
             * @description To the minute; null: never used
             * @example 2026-09-23T14:00:00.000Z
             */
            lastUsedAt: string | null;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            maxRunBudget: string | null;
            name: string | null;
            prefix: string;
            project: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            revokedAt: string | null;
        };
        Session: {
            /**
             * Format: email
             * @description In lower case
             * @example ada@example.com
             */
            email: string | null;
            id: string;
            /** @enum {string} */
            kind: "person" | "token";
            /** @description An owner of the first organization, who sees the nodes of the deployment */
            operator: boolean;
            organization: {
                id: string;
                name: string;
            };
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
        };
        SignedOut: {
            /** @enum {boolean} */
            done: true;
            /** @description An address of the identity provider, where a browser signs out there too. Null: none */
            goOnTo: string | null;
        };
        TapKey: {
            key: string;
            prefix: string;
        };
        Upstream: {
            enabled: boolean;
            hasCredential: boolean;
            organization: string;
            /** @enum {string} */
            state: "connected" | "unreadable";
            url: string;
        };
        Usage: {
            /**
             * @description With adjusted: the recorded cost and its correction
             * @example 12.500000000
             */
            adjustedCost?: string;
            cachedTokens: number;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            cacheSavings: string | null;
            cacheWriteTokens: number;
            calls: number;
            /**
             * @description With adjusted: the differences from providers' bills
             * @example 12.500000000
             */
            correction?: string;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            cost: string;
            day?: string | null;
            endpoint?: string | null;
            /** @description Something that was reported is not in the cost */
            gapCalls: number;
            hour?: string | null;
            inputTokens: number;
            key?: string | null;
            label?: string | null;
            model?: string | null;
            month?: string | null;
            notRepricedCalls?: number;
            outputTokens: number;
            project?: string | null;
            reasoningTokens: number;
            /** @description With prices: calls that have a cost by them */
            repricedCalls?: number;
            /**
             * @description US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.
             * @example 12.500000000
             */
            repricedCost?: string;
            /**
             * @description What the same calls cost by their records
             * @example 12.500000000
             */
            repricedFrom?: string;
            repricedGapCalls?: number;
            run?: string | null;
            /** @description No usage came, or a part of it. One with a part may also be in unpricedCalls or gapCalls. */
            unknownCalls: number;
            /** @description Usage came, but has no price */
            unpricedCalls: number;
            wire?: string | null;
        };
        WaysToSignIn: {
            /** @description The provider's host, and the path that a browser opens; `?to=` is a path to go on to. Null: not configured. */
            openIdConnect: {
                name: string;
                start: string;
            } | null;
            /** @enum {boolean} */
            password: true;
        };
        Webhook: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            events: ("cap.threshold" | "cap.reached" | "cap.reset" | "spend.unusual" | "run.over_budget" | "baseline.reporting" | "baseline.closed")[] | null;
            id: string;
            url: string;
        };
        WebhookDelivery: {
            attempts: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            createdAt: string;
            error: string | null;
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            lastAttemptAt: string | null;
            /** @description The webhook-id, the same in every attempt */
            messageId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-09-23T14:00:00.000Z
             */
            nextAttemptAt: string | null;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            /** @description What the receiver answered last */
            status: number | null;
            type: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAlerts: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; all unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Thresholds of caps */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Alert"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setAlert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    at: number[];
                    cap: string;
                };
            };
        };
        responses: {
            /** @description Set the alert thresholds of a cap, replacing earlier ones */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `unknown_cap` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove the thresholds of a cap */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedAlert"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `unknown_alert` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAssessments: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization's Baselines, the current one first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Baseline"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAssessment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Make the Baseline; its tap key is read separately */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Baseline"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflicts with what exists: `baseline_exists` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showAssessment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The Baseline with its report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportedBaseline"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_baseline` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declareFigure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What the figure is of; one of the same name is replaced
                     * @example Last invoice
                     */
                    name: string;
                    /**
                     * @description US dollars from 0, below 9.2 billion, as decimal text with at most nine places
                     * @example 2.50
                     */
                    usd: string;
                };
            };
        };
        responses: {
            /** @description Record a declared figure */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportedBaseline"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_name`, `too_many_figures`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_baseline` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retireAssessment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End the tap for good */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Baseline"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_baseline` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readTapKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tap key, once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TapKey"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site`, `prefetch` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_baseline`, `tap_key_already_shown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateTapKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Replace the tap key; the new one is shown only once, and the old one stops working */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TapKey"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_baseline` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Gone for good: `tap_retired` */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                action?: "createOrganization" | "setOrganization" | "eraseOrganization" | "createKey" | "setKey" | "rotateKey" | "revokeKey" | "connectProvider" | "disconnectProvider" | "declareUpstream" | "enableUpstream" | "disableUpstream" | "removeUpstream" | "setCap" | "removeCap" | "closeRun" | "mintGrant" | "freeLeases" | "createUser" | "setMemberRole" | "removeMember" | "inviteMember" | "acceptInvitation" | "withdrawInvitation" | "linkIdentity" | "provideMember" | "withdrawMember" | "changePassword" | "makePasswordLink" | "usePasswordLink" | "createToken" | "revokeToken" | "createAssessment" | "readTapKey" | "rotateTapKey" | "retireAssessment" | "declareFigure" | "loadPrices" | "rotateMasterKey" | "rotateReceiptKey" | "setAlert" | "removeAlert" | "createWebhook" | "setWebhook" | "removeWebhook" | "testWebhook" | "capReached" | "capReset" | "recordCorrections" | "removeCorrection";
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                since?: string;
                subject?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Changes, newest first; optionally only those of one subject or of one kind */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEvent"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: password */
                    currentPassword: string;
                    /** Format: password */
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description Set a new password; ends every other session of the person */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_password`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `wrong_password`, `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many attempts: `too_many_attempts` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not right now: `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @example ada@example.com
                     */
                    email: string;
                    /** Format: password */
                    password: string;
                    token: string;
                };
            };
        };
        responses: {
            /** @description Join with a one-time link; starts a session */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_password`, `invalid_email`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `wrong_password` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `invitation_not_valid` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflicts with what exists: `email_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many attempts: `too_many_attempts` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not right now: `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    chooseOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    organization: string;
                };
            };
        };
        responses: {
            /** @description Switch this session to another organization that the person belongs to */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    usePasswordLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: password */
                    password: string;
                    token: string;
                };
            };
        };
        responses: {
            /** @description Set a password with a one-time link; ends every other session of the person and starts a new one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordSet"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_password`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `password_link_not_valid` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who is signed in, for which organization and in which role */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @example ada@example.com
                     */
                    email: string;
                    /** Format: password */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Begin a session with an email and a password */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `wrong_password` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many attempts: `too_many_attempts` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not right now: `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End the session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOut"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWaysToSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How people can sign in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaysToSignIn"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCalls: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                endpoint?: "chat.completions" | "completions" | "embeddings" | "responses" | "models" | "messages" | "other";
                key?: string;
                label?: string;
                /** @description Calls whose cost is not whole: usage unknown or partial, a model without a price, gaps, or any of these */
                lacks?: "unknown" | "unpriced" | "gaps" | "any";
                /** @description At most this many; 100 unless given. */
                limit?: number;
                model?: string;
                outcome?: "completed" | "cut" | "caller_gone" | "failed" | "interrupted";
                project?: string;
                run?: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                since?: string;
                /** @description A status: one such as 429, a class such as 4xx, or error: not reached, cut, 5xx or 429. */
                status?: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                until?: string;
                usage?: "reported" | "partial" | "unknown" | "none";
                wire?: "openai" | "anthropic" | "upstream";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Call records, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CallRecord"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One call record */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallRecord"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `unknown_call` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showCallCost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cost of one call, line by line, if the prices in force still give it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallCost"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_price_file` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `unknown_call` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt of one call */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `no_receipts` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCaps: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Caps with what was spent, in the order they were made */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Cap"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setCap: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description With scope key, and only then: the id of the service key
                     * @default null
                     */
                    key?: string | null;
                    /**
                     * @description The limit of a cap: US dollars from 0, below 9.2 billion, as decimal text with at most nine places
                     * @example 2.50
                     */
                    limit: string;
                    /**
                     * @default refuse
                     * @enum {string}
                     */
                    mode?: "refuse" | "pause";
                    /**
                     * @description With scope project, and only then
                     * @default null
                     */
                    project?: string | null;
                    /** @enum {string} */
                    scope: "organization" | "key" | "project";
                    /** @enum {string} */
                    window: "day" | "week" | "month" | "year" | "lifetime";
                };
            };
        };
        responses: {
            /** @description Set a cap; one of the same scope, subject and window keeps its id */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cap"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_setting`, `invalid_name`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `unknown_key` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeCap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove a cap */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedCap"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_cap` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    tryCap: {
        parameters: {
            query: {
                /** @description With scope key, and only then: the id of the service key */
                key?: string;
                /** @description US dollars from 0, below 9.2 billion, as decimal text with at most nine places */
                limit: string;
                /** @description With scope project, and only then */
                project?: string;
                scope: "organization" | "key" | "project";
                window: "day" | "week" | "month" | "year" | "lifetime";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a cap would have refused in the past thirty days, had it been set */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapTrial"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `unknown_key` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCorrections: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; all unless given. */
                limit?: number;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                since?: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Corrections, by their days */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Correction"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    recordCorrections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One of the provider's usage or cost exports as it is, JSON or CSV, at most 16 MiB */
                    file: string;
                    /** @enum {string} */
                    provider: "openai" | "anthropic";
                };
            };
        };
        responses: {
            /** @description Store the differences from a cost export as corrections, replacing those of the same provider and days; no record is changed */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordedCorrections"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_bill`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeCorrection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove a correction */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedCorrection"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `unknown_correction` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportCalls: {
        parameters: {
            query: {
                format?: "jsonl" | "csv" | "parquet" | "focus";
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                from: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The calls that started in [from, to), oldest first, or their costs as a FOCUS table */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.parquet": string;
                    "application/x-ndjson": string;
                    "text/csv; charset=utf-8; header=present": string;
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_price_file` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Open invitations, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @example ada@example.com
                     */
                    email: string;
                    /** @enum {string} */
                    role: "viewer" | "member" | "admin" | "owner";
                };
            };
        };
        responses: {
            /** @description Make a one-time link to join; it is shown only once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeInvitation"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_email`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    withdrawInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdraw an open invitation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_invitation` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Service keys, oldest first, without the keys themselves */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ServiceKey"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How long it is valid, in seconds; null or absent: it does not expire. */
                    expiresInSeconds?: number | null;
                    /**
                     * @description US dollars from 0, below 9.2 billion, as decimal text with at most nine places
                     * @example 2.50
                     */
                    maxRunBudget?: string | null;
                    name?: string | null;
                    project?: string | null;
                };
            };
        };
        responses: {
            /** @description Make a service key; it is shown only once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintedServiceKey"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_name`, `invalid_setting`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke a service key for good */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedServiceKey"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_key` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    disabled?: boolean;
                    /** @description How long it is valid, in seconds; null or absent: it does not expire. */
                    expiresInSeconds?: number | null;
                    /**
                     * @description US dollars from 0, below 9.2 billion, as decimal text with at most nine places
                     * @example 2.50
                     */
                    maxRunBudget?: string | null;
                    name?: string | null;
                    project?: string | null;
                };
            };
        };
        responses: {
            /** @description Rename, move, disable or enable a service key, or change when it expires; fields left out stay */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceKey"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_name`, `invalid_setting`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_key` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflicts with what exists: `key_revoked` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 0 */
                    graceSeconds?: number;
                };
            };
        };
        responses: {
            /** @description Replace the secret of a service key, shown this once; the old one still works for the grace time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedServiceKey"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_key` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflicts with what exists: `key_revoked` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan's throughput limits */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Members, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Member"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove the member */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_member` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflicts with what exists: `last_owner` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setMemberRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "viewer" | "member" | "admin" | "owner";
                };
            };
        };
        responses: {
            /** @description Set a member's role */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_member` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflicts with what exists: `last_owner` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    makeMemberPasswordLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Make a one-time link that sets a member's password, for 24 hours; it is shown only once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordLink"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_member` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listNodes: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; all unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gateway nodes and their journals, as they last reported; only for owners of the first organization of the deployment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["GatewayNode"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organizations that the caller belongs to */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Organization"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    eraseOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erase the organization for good: keys, sessions and secrets are destroyed, records keep only their figures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasedOrganization"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How long a call is read on after its caller has left; null: as the product decides */
                    drainSeconds?: number | null;
                    /** @description Whether caps of keys refuse calls */
                    enforceKeyCaps?: boolean;
                    fallbackPrice?: {
                        /**
                         * @description US dollars per million tokens, as decimal text with at most nine places
                         * @example 2.50
                         */
                        input: string;
                        /**
                         * @description US dollars per million tokens, as decimal text with at most nine places
                         * @example 2.50
                         */
                        output: string;
                    } | null;
                    /** @description Records, tap events and sums older than this many days are removed; null: none are */
                    keepRecordsDays?: number | null;
                    /**
                     * @description The most a run may declare: US dollars from 0, below 9.2 billion, as decimal text with at most nine places
                     * @example 2.50
                     */
                    maxRunBudget?: string | null;
                    /**
                     * @description The ceiling of a run: US dollars from 0, below 9.2 billion, as decimal text with at most nine places
                     * @example 2.50
                     */
                    runCeiling?: string | null;
                    /**
                     * @description The exposure of runs: US dollars from 0, below 9.2 billion, as decimal text with at most nine places
                     * @example 2.50
                     */
                    runExposure?: string | null;
                };
            };
        };
        responses: {
            /** @description Change settings; omitted fields stay as they are, null restores the default */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_setting`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showOverview: {
        parameters: {
            query?: {
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                since?: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Spend, calls, tokens, errors and latency by hour or day, with totals of the period before; the past week by default */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showProduct: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where callers reach the gateway, and what it stands on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Product"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; all unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of each provider key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ListedProviderConnection"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    connectProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: "openai" | "anthropic";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    credential: string;
                };
            };
        };
        responses: {
            /** @description Connect a provider key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderConnection"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_credential`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    disconnectProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: "openai" | "anthropic";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Destroy the provider key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderConnection"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `provider_not_connected` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: "openai" | "anthropic";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Check that the provider accepts the key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTest"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `provider_not_connected` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflicts with what exists: `provider_key_unreadable`, `sandbox_placeholder` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The provider did not answer: `provider_unreachable` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showReceiptKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Public keys that receipts verify with */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptKeys"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `no_receipts` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateReceiptKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Rotate the signing key; both keys sign the succession */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptKeys"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `no_receipts` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportReceipts: {
        parameters: {
            query?: {
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                from?: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Receipts in the order of the chain, with their signed end: all, or those of the calls that started in [from, to) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `no_receipts` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reconcile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One of the provider's usage or cost exports as it is, JSON or CSV, at most 16 MiB */
                    file: string;
                    /** @enum {string} */
                    provider: "openai" | "anthropic";
                };
            };
        };
        responses: {
            /** @description Compare a provider's usage or cost export with the records, line by line; nothing is changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconciliation"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_bill`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showRefusals: {
        parameters: {
            query?: {
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                since?: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Refused calls by reason, key and time, counted by hour and kept for ninety days; the past week by default */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusals"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    mintGrant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expiresInSeconds: number;
                    /**
                     * @description US dollars from 0, below 9.2 billion, as decimal text with at most nine places
                     * @example 2.50
                     */
                    max: string;
                    run: string;
                };
            };
        };
        responses: {
            /** @description Sign a grant: one run may have a budget up to this maximum */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunGrant"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_grant`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Runs, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Run"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    closeRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End a run for good */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showSelf: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits on the calls of this key, and what is left of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Self"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_key`, `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showOwnRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A run that this key started */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnRun"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    closeOwnRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End a run that this key started, for good */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnRun"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showStatement: {
        parameters: {
            query?: {
                /** @description A whole month, in UTC; not together with since and until. */
                month?: string;
                project?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage of a month as one printable HTML page; last month by default */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_price_file` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Management tokens, oldest first, without the tokens themselves */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ManagementToken"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How long it is valid, in seconds; null or absent: it does not expire. */
                    expiresInSeconds?: number | null;
                    name?: string | null;
                    /** @enum {string} */
                    role: "viewer" | "member" | "admin" | "owner";
                };
            };
        };
        responses: {
            /** @description Make a management token; it is shown only once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintedManagementToken"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_name`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke a management token for good */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementToken"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_token` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The declared upstream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upstream"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `upstream_not_declared` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declareUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default  */
                    credential?: string;
                    url: string;
                };
            };
        };
        responses: {
            /** @description Declare the upstream; it starts disabled */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upstream"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_upstream_url`, `invalid_credential`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Destroy the declaration and its credential */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedUpstream"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `upstream_not_declared` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    disableUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Disable the upstream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upstream"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `upstream_not_declared` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    enableUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Enable the upstream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upstream"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `upstream_not_declared` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showUsage: {
        parameters: {
            query?: {
                /** @description Adds the differences from providers' bills; only by day, month, model and wire */
                adjusted?: "true" | "false";
                /** @description The dimensions of the rows: one or two of model, key, project, label, run, day, month, hour, wire, endpoint, as in day,model. */
                by?: string;
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                endpoint?: "chat.completions" | "completions" | "embeddings" | "responses" | "models" | "messages" | "other";
                key?: string;
                label?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
                model?: string;
                /** @description A whole month, in UTC; not together with since and until. */
                month?: string;
                /** @description Adds the cost at built-in list prices or at the prices in force now. Reads every record. */
                prices?: "list" | "current";
                project?: string;
                run?: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                since?: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                until?: string;
                wire?: "openai" | "anthropic" | "upstream";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Calls, tokens and cost; times in order, everything else costliest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Usage"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                        /**
                         * Format: date-time
                         * @description Set if the range begins before this time: some or all earlier records were removed because of their age
                         * @example 2026-09-23T14:00:00.000Z
                         */
                        recordsGoneBefore: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    repriceUsage: {
        parameters: {
            query?: {
                /** @description Adds the differences from providers' bills; only by day, month, model and wire */
                adjusted?: "true" | "false";
                /** @description The dimensions of the rows: one or two of model, key, project, label, run, day, month, hour, wire, endpoint, as in day,model. */
                by?: string;
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                endpoint?: "chat.completions" | "completions" | "embeddings" | "responses" | "models" | "messages" | "other";
                key?: string;
                label?: string;
                /** @description At most this many; 100 unless given. */
                limit?: number;
                model?: string;
                /** @description A whole month, in UTC; not together with since and until. */
                month?: string;
                project?: string;
                run?: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                since?: string;
                /** @description A time: an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, or a duration ago (15m, 24h, 7d). */
                until?: string;
                wire?: "openai" | "anthropic" | "upstream";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    prices: unknown[];
                };
            };
        };
        responses: {
            /** @description The same, with what the calls would cost by this price file over the frozen list; the file does not take effect */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Usage"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                        /**
                         * Format: date-time
                         * @description Set if the range begins before this time: some or all earlier records were removed because of their age
                         * @example 2026-09-23T14:00:00.000Z
                         */
                        recordsGoneBefore: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_price_file`, `invalid_cursor`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listViews: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; all unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your own saved views, by name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SavedView"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    saveView: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /**
                     * @description Of the page's address, as it stands there without the question mark
                     * @example by=model&range=30d
                     */
                    query: string;
                };
            };
        };
        responses: {
            /** @description Save a view, replacing one with the same name */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_name`, `too_many_views`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove a saved view */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedView"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_view` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; all unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Webhooks */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    events?: ("cap.threshold" | "cap.reached" | "cap.reset" | "spend.unusual" | "run.over_budget" | "baseline.reporting" | "baseline.closed")[] | null;
                    /**
                     * @description https, at a public address
                     * @example https://example.com/hook
                     */
                    url: string;
                };
            };
        };
        responses: {
            /** @description Create a webhook; only this response shows its secret */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_webhook_url`, `too_many_webhooks`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not plain JSON: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove a webhook and its deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedWebhook"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `unknown_webhook` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description The nextCursor of the previous page of the same list and organization. */
                cursor?: string;
                /** @description At most this many; all unless given. */
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last hundred deliveries, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"][];
                        /** @description Opaque. Send it as cursor to get the next page; null: this is the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input`, `invalid_cursor` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `unknown_webhook` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a test event to a webhook */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description The input is malformed or cannot be accepted: `invalid_input` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid session, token or key: `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not allowed: `forbidden`, `cross_site` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found: `unknown_organization`, `unknown_webhook` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the platform: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
