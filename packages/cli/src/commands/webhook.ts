/** `metergate webhook`: the addresses that an organization's events are sent to. Rules: Interfaces; docs/alerts.md. */
import { webhookEvents, type WebhookEvent } from '@metergate/core/alert/webhook-event.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { createWebhook, listDeliveries, listWebhooks, removeWebhook, testWebhook } from '@metergate/platform/use-cases/webhooks/webhooks.ts';
import { command, commandGroup, UsageFault } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { onStore, showing } from '../command-line/on-store.ts';
import { settingsOfServer } from '../command-line/settings-of-server.ts';
import { fields, listed, secondsText } from '../command-line/table.ts';

const idArgument = { type: 'positional', required: true, valueHint: 'ID', description: 'Its id, as webhook list shows it' } as const;

const create = command({
  description: 'Create a webhook and show its secret once',
  args: {
    org: orgArgument,
    url: { type: 'string', required: true, valueHint: 'URL', description: 'Its URL, https and public' },
    events: { type: 'string', valueHint: 'E,…', description: `Events to send: ${webhookEvents.join(', ')}; all by default` },
  },
  run: ({ org, url, events }, tools) => {
    const wanted = events === undefined ? null : eventsOf(events);
    return onStore(tools, async (context, config) => {
      const { upstreamAllow } = await settingsOfServer(context.store, config, tools.env);
      const made = await createWebhook(context, { organization: org, url, events: wanted }, { allow: upstreamAllow });
      if (isRefusal(made)) return made;
      const text = `${fields([['id', made.id], ['url', made.url], ['events', made.events?.join(', ') ?? 'all'], ['secret', made.secret]])}\n`
        + 'The secret is not shown again. Receivers verify the header webhook-signature with it (Standard Webhooks).';
      return { json: made, text };
    });
  },
});

/** `cap.reached,run.over_budget` → those events. @throws UsageFault */
function eventsOf(text: string): WebhookEvent[] {
  return text.split(',').map((word) => webhookEvents.find((event) => event === word.trim())
    ?? fault(`--events must be some of ${webhookEvents.join(', ')}.`));
}

function fault(sentence: string): never {
  throw new UsageFault(sentence);
}

const list = command({
  description: 'List webhooks',
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => listWebhooks(context, org),
    (shown) => listed(shown, 'This organization has no webhooks.', {
      ID: ({ id }) => id, URL: ({ url }) => url, EVENTS: ({ events }) => events?.join(', ') ?? 'all',
    }, { shrinks: ['EVENTS', 'URL'] })),
});

const remove = command({
  description: 'Remove a webhook and its deliveries',
  takesAway: true,
  args: { id: idArgument },
  run: ({ id }, tools) => showing(tools, (context) => removeWebhook(context, id),
    (removed) => ({ json: removed, text: 'The webhook is removed.' })),
});

const test = command({
  description: 'Have a running platform send a test event within seconds',
  args: { id: idArgument },
  run: ({ id }, tools) => showing(tools, (context) => testWebhook(context, id),
    (delivery) => ({ json: delivery, text: `A test event is on its way. See: metergate webhook deliveries ${id}` })),
});

const deliveries = command({
  description: 'Show the last deliveries of a webhook, newest first',
  args: { id: idArgument },
  run: ({ id }, tools) => showing(tools, (context) => listDeliveries(context, id),
    (shown) => listed(shown, 'Nothing was sent there yet.', {
      CREATED: ({ createdAt }) => secondsText(createdAt), EVENT: ({ type }) => type, STATE: ({ state }) => state,
      ATTEMPTS: ({ attempts }) => attempts, ANSWER: ({ status, error }) => status ?? error,
      'NEXT ATTEMPT': ({ nextAttemptAt }) => secondsText(nextAttemptAt),
    }, { shrinks: ['ANSWER', 'EVENT'], drops: ['NEXT ATTEMPT'] })),
});

export const webhook = commandGroup('Make, list, test and remove webhooks, and show their deliveries', { create, list, remove, test, deliveries });
