/**
 * Whether parts of Node that are not public may be used: its HTTP parser, the shared buffer of accepted sockets, the collector of its engine. Each is
 * only used where it is found and behaves as expected; with METERGATE_PUBLIC_NODE=1 none is, which shows whether a fault comes from them.
 */
export const mayUseInternals = process.env['METERGATE_PUBLIC_NODE'] !== '1';
