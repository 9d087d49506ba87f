/** Why a form was not accepted, above its fields. */
import { Alert } from '@mantine/core';

/** Null: nothing is shown. */
export function FormFault({ sentence }: { readonly sentence: string | null }) {
  return sentence === null ? null : (
    <Alert color="red" role="alert" styles={{ message: { color: 'var(--bad)' } }}>
      {sentence}
    </Alert>
  );
}
