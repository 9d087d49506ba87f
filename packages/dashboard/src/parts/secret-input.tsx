/** A field whose text is hidden until its button is pressed. The button says which field it is of. */
import { PasswordInput, type PasswordInputProps } from '@mantine/core';

export function SecretInput({ label, ...field }: PasswordInputProps & { readonly label: string }) {
  return <PasswordInput label={label} visibilityToggleButtonProps={{ 'aria-label': `Show or hide: ${label}` }} {...field} />;
}
