/** Which of two names, that of the answer and the one that was asked for, a call is priced by. Rule 6d. Pure. */

interface NamedModels {
  /** As the answer names it. */
  readonly model: string | null;
  readonly requestedModel: string | null;
  readonly toUpstream: boolean;
}

/**
 * The answer's model, else the one that was asked for. Bedrock's answers name Anthropic's models without what their price depends on: whether they
 * were asked for in a region or anywhere. The name that was asked for is then the whole name of the same model.
 */
export function pricedModelOf({ model, requestedModel, toUpstream }: NamedModels): string | null {
  if (model === null || requestedModel === null || !toUpstream) return model ?? requestedModel;
  return requestedModel.includes(`anthropic.${model}`) ? requestedModel : model;
}
