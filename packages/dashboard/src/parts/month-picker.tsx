/** The picker of a page's month. Its form in the address is `2026-10`. */
import '@mantine/dates/styles.layer.css';
import { MonthPickerInput } from '@mantine/dates';

export function MonthPicker({ month, onChange }: { readonly month: string; readonly onChange: (month: string | undefined) => void }) {
  return (
    <MonthPickerInput
      aria-label={`Month: ${monthTitle(month)}`}
      w={160}
      value={`${month}-01`}
      maxDate={new Date()}
      ariaLabels={{ previousYear: 'Year before', nextYear: 'Year after' }}
      popoverProps={{ withRoles: false }}
      onChange={(value) => onChange(value?.slice(0, 7))}
    />
  );
}

/** As one says it: `October 2026`. */
export function monthTitle(month: string): string {
  return new Date(`${month}-01`).toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** The month that was over last. */
export function lastMonth(now: Date): string {
  return monthBefore(now.toISOString().slice(0, 7));
}

export function monthBefore(month: string): string {
  const first = new Date(`${month}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() - 1);
  return first.toISOString().slice(0, 7);
}
