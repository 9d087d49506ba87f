/** Where notices appear. */
import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';

export function NoticesPlace() {
  return <Notifications position="bottom-right" autoClose={4_000} />;
}
