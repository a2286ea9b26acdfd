/** A self-signed certificate for `names`, made on the spot, so that no private key lies in the repository. */
import { generateKeyPairSync, sign } from 'node:crypto';

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? Buffer.from([body.length])
      : body.length < 256
        ? Buffer.from([0x81, body.length])
        : Buffer.from([0x82, body.length >> 8, body.length & 255]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const integer = (value: number): Buffer => der(0x02, Buffer.from([value]));
const time = (text: string): Buffer => der(0x17, Buffer.from(text));

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));

export function createCertificate(names: string[]): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('weir test')))));
  const alternatives = sequence(...names.map((entry) => der(0x82, Buffer.from(entry))));
  const extensions = sequence(
    sequence(oid('551d11'), der(0x04, alternatives)),
    sequence(oid('551d13'), der(0x01, Buffer.from([0xff])), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
  );
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ECDSA_SHA256,
    name,
    sequence(time('200101000000Z'), time('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const certificate = sequence(body, ECDSA_SHA256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.match(/.{1,64}/g)!.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
