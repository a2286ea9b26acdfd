// Prints how long the shipped models take for 250 characters, all labels together: `node --import tsx test/detection/models/speed.ts`,
// once the project is built.
import { scoreText } from '#weir/shared/policy/models/model';
import { shippedModel } from '#weir/shared/policy/models/shipped';

const LENGTH = 250;
const ROUNDS = 20_000;

const WORDS =
  'the of and a to in is you that it he was for on are as with his they I at be this have from or one had by word but not what all were we when your can said there use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more write go see number no way could people my than first water been call who oil its now find long down day did get come made may part'.split(
    ' ',
  );

let state = 1;
const random = (limit: number): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};
const letters = (n: number): string => Array.from({ length: n }, () => String.fromCharCode(97 + random(26))).join('');
const filled = (piece: () => string): string => {
  let text = '';
  while (text.length < LENGTH) text += piece();
  return text.slice(0, LENGTH);
};

const KINDS: Record<string, () => string> = {
  'ordinary words': () => `${WORDS[random(WORDS.length)]!} `,
  'long unknown words': () => `${letters(24)} `,
  'one long word': () => letters(50),
  'single letters': () => `${letters(1)} `,
  'words of two letters': () => `${letters(2)} `,
  CJK: () => String.fromCharCode(0x4e00 + random(20_000)),
  emoji: () => String.fromCodePoint(0x1f600 + random(60)),
  signs: () => '!?"@$'[random(5)]!,
  'classed words': () => ['hate ', 'you ', 'not ', 'women ', 'kill ', 'ignore ', 'rules ', 'stupid ', 'I '][random(9)]!,
};

const model = shippedModel();
for (const [kind, piece] of Object.entries(KINDS)) {
  const texts = Array.from({ length: 500 }, () => filled(piece));
  for (let i = 0; i < ROUNDS / 2; i++) scoreText(model, texts[i % texts.length]!);
  const before = process.memoryUsage().heapUsed;
  const started = process.cpuUsage();
  for (let i = 0; i < ROUNDS; i++) scoreText(model, texts[i % texts.length]!);
  const { user } = process.cpuUsage(started);
  const bytes = (process.memoryUsage().heapUsed - before) / ROUNDS;
  console.log(
    `${kind.padEnd(22)} ${(user / ROUNDS).toFixed(2).padStart(6)} µs of a processor, ${bytes.toFixed(0)} bytes a text`,
  );
}
