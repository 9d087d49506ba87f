/** For tests: a self-signed certificate for a name, as PEM, with its key. Encoded by hand, because Node cannot make one. */
import { generateKeyPairSync, sign } from 'node:crypto';

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const time = (text: string): Buffer => der(0x17, Buffer.from(text));

const commonName = hex('0603550403');
const ecdsaWithSha256 = sequence(hex('06082a8648ce3d040302'));
const subjectAltName = hex('0603551d11');
const basicConstraints = hex('0603551d13');
const mayIssue = sequence(hex('0101ff'));

export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

export function selfSigned(name: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const named = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))));
  const extensions = der(0xa3, sequence(
    sequence(subjectAltName, der(0x04, sequence(der(0x82, Buffer.from(name))))),
    sequence(basicConstraints, hex('0101ff'), der(0x04, mayIssue)),
  ));
  const version3 = der(0xa0, hex('020102'));
  const toBeSigned = sequence(version3, hex('020101'), ecdsaWithSha256, named, sequence(time('200101000000Z'), time('491231235959Z')), named,
    publicKey.export({ type: 'spki', format: 'der' }), extensions);
  const signature = der(0x03, hex('00'), sign('sha256', toBeSigned, privateKey));
  const encoded = sequence(toBeSigned, ecdsaWithSha256, signature).toString('base64').replaceAll(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${encoded}\n-----END CERTIFICATE-----\n`,
  };
}
