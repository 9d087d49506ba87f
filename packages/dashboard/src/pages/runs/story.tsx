/** A run's story: one line of time, then what happened one after the other, and what would let it go on. */
import { Alert, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RefusalHelp } from '../../parts/refusal-help.tsx';
import { shortDollars, wholeCount } from '../../shown/amounts.ts';
import { ownMoment, utcClock } from '../../shown/moments.ts';
import { refusalWords } from '../../shown/refusal-words.ts';
import { refusedNow, storyEntries, type Story, type StoryEntry } from '../../shown/run-story.ts';
import { runStateWords } from './run-state.tsx';
import { StoryChart } from './story-chart.tsx';

export function RunStory({ of: story }: { readonly of: Story }) {
  const refused = refusedNow(story);
  return (
    <Stack gap="sm">
      <StoryChart of={story} />
      {refused === null ? null : (
        <Alert color={story.run.state === 'live' ? 'yellow' : 'gray'} title={`Calls are refused: ${refusalWords(refused)}`}>
          <RefusalHelp of={refused} />
        </Alert>
      )}
      <ol className="story-list" aria-label="What happened">
        {storyEntries(story).map((entry, at) => (
          <li key={at} className={`story-${entry.is}`}>
            <time dateTime={new Date(entry.atMs).toISOString()} title={ownMoment(new Date(entry.atMs))} className="dim nowrap">
              {utcClock(new Date(entry.atMs))}
            </time>
            <div>{said(entry, story)}</div>
          </li>
        ))}
      </ol>
      {story.moreRefusals ? (
        <Text size="xs" c="dimmed">
          Only the newest {wholeCount(story.refusals.length)} refused calls are shown.
        </Text>
      ) : null}
      {story.recordsGoneBefore === null ? null : (
        <Text size="xs" className="warn">
          Records of its first calls were removed for their age.
        </Text>
      )}
    </Stack>
  );
}

function said(entry: StoryEntry, { run }: Story): ReactNode {
  switch (entry.is) {
    case 'began':
      return entry.budget === null ? 'Began, without a budget' : `Began, with a budget of ${shortDollars(entry.budget)}`;
    case 'lowered':
      return `Budget ${entry.from === null ? 'named' : `lowered from ${shortDollars(entry.from)}`}: ${shortDollars(entry.to)}`;
    case 'called':
      return (
        <>
          <Link
            to="/calls"
            search={{ run: run.id, since: new Date(entry.atMs).toISOString(), until: new Date(entry.untilMs).toISOString() }}>
            {wholeCount(entry.calls)} {entry.calls === 1 ? 'call' : 'calls'}
          </Link>
          , {shortDollars(entry.cost.toFixed(9))}
          {entry.failedCalls === 0 ? null : <span className="bad">, {wholeCount(entry.failedCalls)} failed</span>}
        </>
      );
    case 'refused':
      return (
        <>
          <span className="bad">Refused</span>
          {entry.times === 1 ? ': ' : ` ${wholeCount(entry.times)} times: `}
          <Link to="/refusals" search={{ id: entry.last.id }}>
            {refusalWords(entry.last)}
          </Link>
        </>
      );
    case 'ended':
      return `Ended: ${runStateWords(entry.state).toLowerCase()}`;
  }
}
