/** Which models may be asked for, as names and patterns. */
import { TagsInput, type TagsInputProps } from '@mantine/core';

export function ModelsInput(props: TagsInputProps) {
  return (
    <TagsInput
      label="Models that may be asked for"
      description="Names or patterns such as gpt-5*. None: all of them."
      placeholder="gpt-5*"
      splitChars={[',', ' ']}
      maxTags={64}
      {...props}
    />
  );
}
