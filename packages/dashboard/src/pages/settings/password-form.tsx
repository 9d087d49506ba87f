/** Sets a new password; every other session of the person ends. */
import { Button, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { ask, sentenceOf } from '../../api/client.ts';
import { tellDone } from '../../app/notices.ts';
import { FormFault } from '../../parts/form-fault.tsx';
import { SecretInput } from '../../parts/secret-input.tsx';

export function PasswordForm() {
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '', again: '' },
    validate: { again: (again, { newPassword }) => (again === newPassword ? null : 'The two passwords are not the same.') },
  });
  const changing = useMutation({
    mutationFn: ({ currentPassword, newPassword }: typeof form.values) =>
      ask.POST('/platform/v1/auth/change-password', { body: { currentPassword, newPassword } }),
    onSuccess: () => {
      form.reset();
      tellDone('The password is changed. Your other sessions ended.');
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => changing.mutate(values))}>
      <Stack maw={380}>
        <FormFault sentence={changing.error === null ? null : sentenceOf(changing.error)} />
        <SecretInput label="Current password" autoComplete="current-password" required {...form.getInputProps('currentPassword')} />
        <SecretInput
          label="New password"
          description="12 characters or more."
          autoComplete="new-password"
          required
          maxLength={256}
          {...form.getInputProps('newPassword')}
        />
        <SecretInput label="New password again" autoComplete="new-password" required maxLength={256} {...form.getInputProps('again')} />
        <Group>
          <Button type="submit" loading={changing.isPending}>
            Change the password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
