/** The JSON of a body. */

/**
 * The value of a body that was validated when it was accepted. Throws, in words of our own, on one that is no JSON any more:
 * the words of the engine quote the text, and they go into logs and dead letters.
 */
export function readBody(body: Uint8Array): unknown {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the body of the entry is not valid JSON');
  }
}
