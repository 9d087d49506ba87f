/**
 * The version this package tells the server. A test holds it equal to package.json's.
 */
export const version = '0.1.0';
