/** The picker of a page's month. Its form in the address is `2026-10`. */
import '@mantine/dates/styles.layer.css';
import { MonthPickerInput } from '@mantine/dates';
import { monthTitle } from '../shown/months.ts';

export function MonthPicker({ month, onChange }: { readonly month: string; readonly onChange: (month: string | undefined) => void }) {
  return (
    <MonthPickerInput
      aria-label={`Month: ${monthTitle(month)}`}
      size="xs"
      w={160}
      value={`${month}-01`}
      maxDate={new Date()}
      ariaLabels={{ previousYear: 'Year before', nextYear: 'Year after' }}
      popoverProps={{ withRoles: false }}
      onChange={(value) => onChange(value?.slice(0, 7))}
    />
  );
}
