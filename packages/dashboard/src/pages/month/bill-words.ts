/** The words of a comparison with a bill. */
import type { paths, Shown } from '../../api/client.ts';
import { providerNames } from '../../shown/provider-names.ts';

export type Line = Shown<'Reconciliation'>['lines'][number];
export type ChosenSeller = NonNullable<paths['/platform/v1/reconciliations']['post']['requestBody']>['content']['application/json']['provider'];

export const sellerNames = {
  ...providerNames,
  azure: 'Azure',
  google: 'Google Cloud',
  bedrock: 'AWS Bedrock',
  openrouter: 'OpenRouter',
} satisfies Record<ChosenSeller, string>;

/** Its calls go to an upstream that the organization declares, perhaps by name. */
export function isBehindUpstream(seller: ChosenSeller): boolean {
  return seller !== 'openai' && seller !== 'anthropic';
}

export const verdictWords = {
  equal: 'Equal',
  ours_more: 'More here',
  theirs_more: 'More on the bill',
  ours_only: 'Only here',
  theirs_only: 'Only on the bill',
  not_matched: 'Its name is not known here',
} satisfies Record<Line['verdict'], string>;

export const reasonWords = {
  unknown_usage: 'calls without reported usage',
  cost_gaps: 'calls whose cost lacks something',
  unpriced: 'calls or fees without a price',
  past_the_gateway: 'somebody calls the provider past the gateway',
  other_prices: 'the same counts at another price',
  day_not_over: 'the day is not over',
  tools_not_split: 'fees of tools are within the cost of calls',
  listed_twice: 'the bill lists a request twice',
  day_equal: "the day's sums are equal, so the bill has it under another name",
  lines_not_matched: 'other lines of the day have names that are not known here',
  day_cut: 'the file may have a part of this day only',
} satisfies Record<Line['reasons'][number], string>;
