/** Characters as people count them in limits: code points. */
import type { Compute } from './kind.js';

export const characters: Compute = ({ text }) => {
  let pairs = 0;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) !== 0xd800 || (text.charCodeAt(i + 1) & 0xfc00) !== 0xdc00) continue;
    pairs++;
    i++;
  }
  return { value: text.length - pairs };
};
