import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cause } from '#weir/shared/api/validate/issues';
import { validateEvents } from '../../../support/model/check-input.ts';

const UUID = '01890000-0000-7000-8000-00000000000A';
const cause = (run: string, event: string, internal = ''): Cause => ({
  run_id: run,
  event_id: event,
  internal_event_id: internal,
});

function causesOf(events: object[], rest: object = { run_id: 'r' }): Cause[] | undefined {
  const judged = validateEvents({ environment_id: 'prod', ...rest, events });
  assert.ok(judged.ok, JSON.stringify(judged));
  return judged.value.causes;
}
const tool = (more: object): object => ({ type: 'tool', output: 'x', ...more });

describe('declared causes of a batch', () => {
  it('are absent if none is declared', () => {
    assert.equal(causesOf([tool({}), { type: 'tool', event_id: 'a' }]), undefined);
    assert.equal(causesOf([tool({ links: [], parent: null })]), undefined);
  });

  it('are looked up if no earlier event of the batch has their ids', () => {
    const found = causesOf([
      tool({ event_id: 'a', parent: { event_id: 'b' } }),
      tool({ event_id: 'b', parent: { event_id: 'a' } }),
      tool({ event_id: 'a', run_id: 'q', parent: { event_id: 'b' }, links: [{ event_id: 'b', run_id: 'r' }] }),
      tool({ links: [{ event_id: 'a', run_id: 'q' }, { internal_event_id: UUID }] }),
    ]);
    assert.deepEqual(found, [cause('r', 'b'), cause('q', 'b'), cause('', '', UUID.toLowerCase())]);
  });

  it('are listed once each, and not for references', () => {
    const parent = { event_id: 'far', run_id: 'away' };
    const links = [{ internal_event_id: UUID }, { internal_event_id: UUID.toLowerCase() }, parent];
    assert.deepEqual(causesOf([tool({ parent, links }), tool({ parent })]), [
      cause('away', 'far'),
      cause('', '', UUID.toLowerCase()),
    ]);
    assert.equal(causesOf([{ type: 'tool', event_id: 'e', parent, links }]), undefined);
  });

  it('are not looked up in a generated run, and do not resolve to a reference', () => {
    assert.equal(causesOf([tool({ parent: { event_id: 'a' } })], {}), undefined);
    const found = causesOf([{ type: 'tool', event_id: 'a' }, tool({ parent: { event_id: 'a' } })]);
    assert.deepEqual(found, [cause('r', 'a')]);
  });

  it('have the limit of declarations', () => {
    const events = Array.from({ length: 10 }, (_, i) =>
      tool({ links: Array.from({ length: 50 }, (__, k) => ({ event_id: `${i}-${k}` })) }),
    );
    assert.equal(causesOf(events)?.length, 500);
  });
});
