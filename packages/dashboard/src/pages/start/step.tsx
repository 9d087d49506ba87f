/** One step of getting started. One that is done is a line, which opens when it is asked for. */
import { Button, Group, Text, ThemeIcon, Title } from '@mantine/core';
import { Check } from 'lucide-react';
import { useState, type ReactNode } from 'react';

interface StepProps {
  readonly at: number;
  readonly title: string;
  readonly done: boolean;
  /** What is there already; shown while the step is closed. */
  readonly found?: ReactNode;
  /** Open although it is done: what it just gave is shown nowhere else. */
  readonly kept?: boolean;
  readonly children: ReactNode;
}

export function Step({ at, title, done, found, kept = false, children }: StepProps) {
  const [asked, setAsked] = useState<boolean | null>(null);
  const open = kept || (asked ?? !done);
  return (
    <section className="panel">
      <Group className={open ? 'panel-head' : 'panel-head closed'} gap="sm" justify="space-between" wrap="nowrap">
        <Group gap="sm" wrap="nowrap" className="grow">
          <ThemeIcon size={26} radius="xl" variant={done ? 'filled' : 'default'} className="no-shrink">
            {done ? (
              <Check size={15} aria-label="done" />
            ) : (
              <Text span fz="xs" fw={700}>
                {at}
              </Text>
            )}
          </ThemeIcon>
          <div className="grow">
            <Title order={2} fz="md">
              {title}
            </Title>
            {open || found === undefined ? null : (
              <Text size="xs" c="dimmed" component="div">
                {found}
              </Text>
            )}
          </div>
        </Group>
        {done && !kept ? (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-expanded={open}
            aria-label={`${open ? 'Close' : 'Open'}: ${title}`}
            onClick={() => setAsked(!open)}>
            {open ? 'Close' : 'Open'}
          </Button>
        ) : null}
      </Group>
      {open ? <div style={{ padding: '1rem' }}>{children}</div> : null}
    </section>
  );
}
