/** The product's mark and name. */
import { Group, Text } from '@mantine/core';
import mark from '../mark.svg';

export function Brand() {
  return (
    <Group gap={8} wrap="nowrap">
      <img src={mark} alt="" width={24} height={24} decoding="sync" />
      <Text fw={700} fz="md" lh={1}>
        Metergate
      </Text>
    </Group>
  );
}
