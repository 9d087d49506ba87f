/** Things to copy: an id beside its text, a block of code, a secret that is shown only once. */
import { ActionIcon, Alert, Box, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { Check, Copy, TriangleAlert } from 'lucide-react';

function CopyIcon({ value, name }: { readonly value: string; readonly name: string }) {
  return (
    <CopyButton value={value} timeout={1_500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${name}`}>
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={copied ? 'Copied' : `Copy ${name}`}>
            {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

export function CopyableId({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <span className="mono clip">{id}</span>
      <CopyIcon value={id} name={name} />
    </Group>
  );
}

export function CodeBlock({ code, name }: { readonly code: string; readonly name: string }) {
  return (
    <Box pos="relative">
      <pre className="code" tabIndex={0} aria-label={name}>
        {code}
      </pre>
      <Box pos="absolute" top={6} right={6} bg="var(--page)">
        <CopyIcon value={code} name={name} />
      </Box>
    </Box>
  );
}

/** Never kept in a cache: it lives only as long as the component that shows it. */
export function SecretOnce({ secret, name }: { readonly secret: string; readonly name: string }) {
  return (
    <Alert icon={<TriangleAlert size={18} aria-hidden />} title={`Copy the ${name} now`} styles={{ title: { color: 'var(--warn)' } }}>
      <Text size="sm" mb="xs">
        It is shown only once. Nobody can read it again, here or on the server.
      </Text>
      <CodeBlock code={secret} name={name} />
    </Alert>
  );
}
