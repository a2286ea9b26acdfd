import assert from 'node:assert/strict';
import { it } from 'node:test';
import { explainRefusal } from '#weir/shared/streams/client';

/** An error as the client makes it of an error reply. */
const reply = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

it('what Redis refuses is explained without keys, values or addresses', () => {
  const said: [message: string, reason: RegExp][] = [
    ["READONLY You can't write against a read only replica.", /is a replica, .* name the primary/],
    ['NOREPLICAS Not enough good replicas to write.', /min-replicas-to-write/],
    ['MISCONF Errors writing to the AOF file: No space left on device', /cannot save them: .* space on its disk/],
    ['MOVED 1234 10.0.0.7:6379', /node of a Cluster/],
    ['CLUSTERDOWN Hash slot not served', /node of a Cluster/],
    ["NOPERM User weir has no permissions to access one of the keys used as arguments 'secret'", /ACL/],
    [
      'WRONGTYPE Operation against a key holding the wrong kind of value: secret',
      /refuses what Weir asks \(WRONGTYPE\)/,
    ],
  ];
  for (const [message, reason] of said) {
    const explained = explainRefusal(reply(message));
    assert.match(explained, reason);
    assert.doesNotMatch(explained, /secret|10\.0\.0\.7/);
  }
  assert.match(
    explainRefusal(new Error('connect ECONNREFUSED 10.0.0.7:6379')),
    /^Redis cannot be reached, or does not/,
  );
});
