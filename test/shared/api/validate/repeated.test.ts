/** Names that stand twice in an object of a body (decisions, General). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseBody } from '#weir/ingress/parse/parse-body';
import { repeatedNames, repeatsNames } from '#weir/shared/api/validate/repeated';
import { json as anyJson } from '../../../fuzz/values.ts';
import { assertBounded } from '../../../support/effort.ts';

const found = (json: string): string[] => repeatedNames(Buffer.from(json), json).map(({ path }) => path);

/** Issues of a body of this kind, as `path code`. */
function refused(kind: Parameters<typeof parseBody>[0], json: string): string[] {
  const result = parseBody(kind, Buffer.from(json));
  assert.equal(result.ok, false, json.slice(0, 200));
  return result.ok === false ? result.issues.map(({ path, code }) => `${path} ${code}`) : [];
}

const image = '{"kind":"image","url":"https://example.org/a.png"}';

describe('a name that stands twice in an object', () => {
  it('is refused with its path, in every kind of body and at every depth [general.duplicate-names]', () => {
    const event = (members: string): string => `{"environment_id":"prod","event":{"type":"message",${members}}}`;
    const batch = (members: string): string => `{"environment_id":"prod","events":[{"type":"tool",${members}}]}`;
    const session = (members: string): string => `{"messages":[{"role":"user",${members}}]}`;
    const cases: [Parameters<typeof parseBody>[0], string, string][] = [
      ['event', event('"role":"user","content":"card 4111 1111 1111 1111","content":"hi"'), 'event.content'],
      ['event', `{"environment_id":"a",${event('"content":"x","role":"user"').slice(1)}`, 'environment_id'],
      ['events', batch('"output":"x","output":"y"'), 'events[0].output'],
      ['events', batch('"output":{"rows":[0,{"a":1,"b":[{"c":1,"c":1}]}]}'), 'events[0].output.rows[1].b[0].c'],
      [
        'events',
        batch('"output":"x","metadata":{"user":{"tier":"free","tier":"paid"}}'),
        'events[0].metadata.user.tier',
      ],
      ['events', batch('"output":"x","parent":{"event_id":"a","event_id":"b"}'), 'events[0].parent.event_id'],
      ['events', batch('"output":"x","extra":{"a":1,"a":2}'), 'events[0].extra.a'],
      ['session', session('"content":"card","content":"hi"'), 'messages[0].content'],
      ['session', session('"content":[{"type":"text","text":"card","text":"hi"}]'), 'messages[0].content[0].text'],
      ['session', '{"messages":[],"messages":[{"role":"user","content":"x"}]}', 'messages'],
      ['artifact', `{"content":${image},"content":${image}}`, 'content'],
      ['artifact', `{"content":{"url":"https://example.org/b.png",${image.slice(1)}}`, 'content.url'],
      ['guardrail', '{"texts":["card"],"texts":["hi"]}', 'texts'],
    ];
    for (const [kind, json, path] of cases) {
      assert.deepEqual(refused(kind, json), [`${path} repeated`]);
      // As a person writes it, and however the name is written.
      assert.deepEqual(refused(kind, json.replaceAll(/(?<=[,{}[\]])(?=["{])/g, '\n\t ')), [`${path} repeated`]);
      const name = path.split('.').at(-1)!.split('[')[0]!;
      const escaped = `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`;
      const at = json.lastIndexOf(`"${name}":`);
      const written = json.slice(0, at) + escaped + json.slice(at + name.length + 2);
      assert.deepEqual(refused(kind, written), [`${path} repeated`]);
    }
  });

  it('is refused beside an image that is not read', () => {
    const data = 'A'.repeat(40_000);
    for (const json of [
      `{"content":{"kind":"image","data":"${data}","data":"AAAA"}}`,
      `{"content":{"kind":"image","data":"AAAA","data":"${data}"}}`,
      `{"content":{"kind":"image","data":"${data}","data":"${data}"}}`,
    ])
      assert.deepEqual(refused('artifact', json), ['content.data repeated']);
    const twice = `{"role":"user","content":{"kind":"image","data":"${data}"},"role":"user"}`;
    assert.deepEqual(refused('artifact', twice), ['role repeated']);
  });

  it('may be any name; one that may be content is not told, but its object', () => {
    for (const name of ['__proto__', 'constructor', 'é', '日本', 'a-b', '$ref', '@type', 'x.y']) {
      assert.deepEqual(found(`{"m":{"${name}":1,"b":2,"${name}":3}}`), [`m.${name}`]);
      assert.deepEqual(found(`{"m":{"${name}":1},"n":{"${name}":1}}`), []);
    }
    for (const name of [
      '',
      ' ',
      '4111 1111 1111 1111',
      '4111111111111111',
      'Jane Doe',
      'x'.repeat(65),
      '\\ud800',
      '0',
    ]) {
      const json = `{"m":{"${name}":1,"b":2,"${name}":3}}`;
      const [issue, ...more] = repeatedNames(Buffer.from(json), json);
      assert.deepEqual(more, []);
      assert.equal(issue?.path, 'm', name);
      assert.match(issue!.message, /at its member number 3/);
      assert.ok(name.length < 2 || !JSON.stringify(issue).includes(name));
    }
    // What differs in its bytes alone, or in its last letter alone.
    assert.deepEqual(found('{"a":1,"A":1,"\\u0061b":1,"a b":1,"é":1,"e\\u0301":1,"":1}'), []);
    assert.deepEqual(found(`{"${'x'.repeat(5000)}a":1,"${'x'.repeat(5000)}b":1}`), []);
    assert.deepEqual(found('{"\\ud83d\\ude00":1,"😀":1}').length, 1);
    assert.deepEqual(found('{"\\ud800":1,"\\ufffd":1}'), [], 'UTF-8 has no half of a pair, JSON has');
  });

  it('is found in objects of any size, each name of which is told', () => {
    for (const size of [2, 15, 16, 17, 18, 100, 5000, 10_000]) {
      const members = Array.from({ length: size }, (_, i) => `"name_${i % 10}_${i.toString(36)}":{"a":${i}}`);
      assert.deepEqual(found(`[{${members.join()}}]`), [], String(size));
      const last = members.at(-1)!;
      const again = [...members.slice(0, -1), members[0]!.split(':')[0] + last.slice(last.indexOf(':'))];
      assert.deepEqual(found(`[{${again.join()}}]`), ['[0].name_0_0'], String(size));
    }
    const many = Array.from({ length: 200 }, (_, i) => `"n${i % 90}":1`).join();
    assert.equal(found(`{${many}}`).length, 50);
  });

  /** Every string of JSON, one after the other, so that none begins at the end of another; a colon follows names. */
  const STRING = /"(?:[^"\\]|\\.)*"(:?)/g;

  it('is found where JSON.parse loses a member, and nowhere else', () => {
    const members = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 0
        : Object.values(value).reduce((sum: number, inner) => sum + members(inner), 0) +
          (Array.isArray(value) ? 0 : Object.keys(value).length);
    let repeated = 0;
    const renamed = fc.tuple(fc.array(anyJson, { maxLength: 4 }), fc.nat(), fc.nat()).map(([value, from, to]) => {
      const json = JSON.stringify(value);
      const names = [...json.matchAll(STRING)].filter(([, colon]) => colon !== '');
      if (names.length === 0) return { json, written: 0 };
      const { index } = names[from % names.length]!;
      const other = names[to % names.length]![0];
      return {
        json: json.slice(0, index) + other + json.slice(index + names[from % names.length]![0].length),
        written: names.length,
      };
    });
    fc.assert(
      fc.property(renamed, ({ json }) => {
        // Strings may look like names, so members are counted where each has a name of its own.
        let count = 0;
        const distinct = json.replaceAll(STRING, (text, colon) => (colon === '' ? text : `"n${count++}":`));
        const lost = members(JSON.parse(json)) < members(JSON.parse(distinct));
        if (lost) repeated++;
        assert.equal(repeatsNames(json), lost, json);
        assert.equal(repeatsNames(JSON.stringify(JSON.parse(json), null, 2)), false);
      }),
      { numRuns: 2000 },
    );
    assert.ok(repeated > 50, `${repeated} values have a name twice`);
  });

  it('takes time in proportion, whatever the names are', () => {
    const many = (member: (i: number) => string): string => Array.from({ length: 200_000 }, (_, i) => member(i)).join();
    for (const json of [
      `{${many((i) => `"${i.toString(36)}":0`)}}`,
      `{"a":0,${many((i) => `"${i.toString(36)}":0`)},"a":1}`,
      `{${many(() => '"a":0')}}`,
      `[${many(() => '{"a":0,"a":0}')}]`,
      `{${many((i) => `"${'x'.repeat(60)}${i}":{"a":0,"b":0}`)}}`,
      `{"${'\\u0061'.repeat(200_000)}":0,"${'a'.repeat(200_000)}":0}`,
    ]) {
      // It takes a tenth of a second; each name compared with each would take half a minute.
      assertBounded(() => void repeatedNames(Buffer.from(json), json));
    }
  });

  it('is not looked for below the levels that a body may have', () => {
    const deep = (levels: number): string => `${'{"a":'.repeat(levels)}{"b":1,"b":1}${'}'.repeat(levels)}`;
    assert.equal(found(deep(63)).length, 1);
    assert.deepEqual(found(deep(64)), []);
    assert.deepEqual(found(deep(50_000)), []);
    assert.deepEqual(refused('events', deep(50_000)), [' too_deep']);
  });
});
