/** Settings to paste, for the client chosen. */
import { Select, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { CodeBlock } from '../../parts/copying.tsx';
import { clientSettings } from './client-settings.ts';

const route = getRouteApi('/shell/start');
const groups = [...new Set(clientSettings.map(({ group }) => group))];
const choices = groups.map((group) => ({
  group,
  items: clientSettings
    .filter((each) => each.group === group)
    .map(({ id, name }) => ({ value: id, label: group.endsWith('SDK') ? `${group}, ${name}` : name })),
}));

export function Snippets({ gatewayUrl, serviceKey }: { readonly gatewayUrl: string; readonly serviceKey: string | null }) {
  const { tool } = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = clientSettings.find(({ id }) => id === tool) ?? clientSettings[0]!;
  return (
    <Stack gap="sm">
      <Select
        label="Client"
        data={choices}
        value={chosen.id}
        allowDeselect={false}
        maw={320}
        onChange={(id) => void navigate({ search: { tool: id ?? undefined }, replace: true, resetScroll: false })}
      />
      <CodeBlock name={`settings for ${chosen.name}`} code={chosen.code({ gatewayUrl, key: serviceKey ?? 'svc_live_…' })} />
      <Text size="xs" c="dimmed">
        {chosen.note === undefined ? null : <>{chosen.note} </>}
        {serviceKey === null ? 'Put your service key where it says svc_live_…. ' : 'Your service key is filled in. '}
        The headers for labels, project and run are removed before a call is forwarded.
      </Text>
    </Stack>
  );
}
