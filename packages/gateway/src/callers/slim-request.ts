/**
 * A request as Node reads it in, whose `headers` hold only what is read from them, by Node or here. Node makes an object of all fields of each
 * request, for the one that it looks at itself; all others are read from `rawHeaders`, as they came.
 */
import { IncomingMessage } from 'node:http';
import { HeaderNames } from '@metergate/core/call/header-names.ts';

/** Node asks for the expectation, for what an HTTP/1.0 caller accepts and, if set to require one, for the host. */
const asked = new HeaderNames(['expect', 'te', 'host', 'connection', 'upgrade']);

type AddLine = (this: IncomingMessage, name: string, value: string, headers: object) => void;
/** Node's own, which enters one line into `headers`; not in its types. */
const addLine = (IncomingMessage.prototype as IncomingMessage & { _addHeaderLine?: AddLine })._addHeaderLine;

class SlimRequest extends IncomingMessage {
  _addHeaderLine(name: string, value: string, headers: object): void {
    if (asked.has(name)) addLine!.call(this, name, value, headers);
  }
}

/** For `createServer`. A Node that makes `headers` in another way makes them whole. */
export const RequestClass: typeof IncomingMessage = addLine === undefined ? IncomingMessage : SlimRequest;
