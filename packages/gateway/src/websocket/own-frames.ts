/** The frames that the gateway itself writes: never compressed, which no extension requires, and masked towards a provider. RFC 6455, 5. */
import { randomBytes } from 'node:crypto';
import { opcodes } from './frames.ts';

/** Who reads the frame. A provider accepts only masked frames, a caller only unmasked ones. */
type FrameReader = 'caller' | 'provider';

/** One whole message. */
export function messageFrame(payload: Buffer, opcode: number, reader: FrameReader): Buffer {
  return frame(opcode, payload, reader);
}

/** Closes with a code and a reason; of the reason at most 123 bytes leave. */
export function closeFrame(code: number, reason: string, reader: FrameReader): Buffer {
  const words = Buffer.from(reason, 'latin1').subarray(0, 123);
  const payload = Buffer.allocUnsafe(2 + words.length);
  payload.writeUInt16BE(code);
  words.copy(payload, 2);
  return frame(opcodes.close, payload, reader);
}

function frame(opcode: number, payload: Buffer, reader: FrameReader): Buffer {
  const isMasked = reader === 'provider';
  const lengthBytes = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8;
  const headBytes = 2 + lengthBytes + (isMasked ? 4 : 0);
  const bytes = Buffer.allocUnsafe(headBytes + payload.length);
  bytes[0] = 0x80 | opcode;
  bytes[1] = (isMasked ? 0x80 : 0) | (lengthBytes === 0 ? payload.length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) bytes.writeUInt16BE(payload.length, 2);
  else if (lengthBytes === 8) bytes.writeBigUInt64BE(BigInt(payload.length), 2);
  payload.copy(bytes, headBytes);
  if (isMasked) {
    const mask = randomBytes(4);
    mask.copy(bytes, headBytes - 4);
    for (let at = 0; at < payload.length; at += 1) bytes[headBytes + at]! ^= mask[at & 3]!;
  }
  return bytes;
}
