/**
 * The version that this package reports to the server. A test checks that it equals package.json's.
 */
export const version = '0.2.0';
