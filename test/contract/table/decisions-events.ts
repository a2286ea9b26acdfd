/** What the decisions promise of events, batches and the run graph. */
import type { Part } from './pending.ts';

export const EVENT_DECISIONS = {
  'event.agree': 'environment_id and run_id given at the top and inside must agree, else 400',
  'event.json-content':
    'a checkable field is a string, or JSON whose keys, strings and numbers as written are checked, in order',
  'event.plain-number':
    'a number of JSON with an exponent or a fraction of zeros is checked in its plain form, too, and so is one with an exponent in a string',
  'event.json-string':
    'a string in a tool, function or agent event that is JSON is read both as it stands and decoded, and any string that has JSON in it',
  'event.message-images':
    'an image part in a list of parts in message.content is 400 unsupported_content_part, naming the artifact event',
  'event.images-within':
    'images and other files in other content: the text is checked, and the note says how many there are',
  'event.beside-content': 'content in fields beside the one that is checked is named in the note',
  'event.session-beside': 'external_session_id is taken beside event as it is beside events',
  'event.reference-links': 'parent and links of a reference are kept out, with a note',
  'event.json-size': 'the size of JSON is that of its compact form',
  'event.two-fields': 'more than one checkable field is a 400',
  'event.image-size': 'content.data of an artifact event is at most 256 KiB as sent',
  'event.external-artifact': 'external_artifact_id of an artifact event is in history, and not found by 4.4',
  'event.parent': 'parent is one reference: event_id with an optional run_id, or internal_event_id',
  'event.links': 'links are references with an optional relation of 64 characters, by default caused_by',
  'event.link-run': 'a reference without run_id means the run of the event itself',
  'event.short-references': 'parent and elements of links may be an event_id alone',
  'event.role-postfix': 'a role with a postfix after a hyphen is the role without it',
  'event.scalar-content': 'a number or a boolean as arguments or output is checked as it is written',
  'event.link-unresolved': 'a parent or link that does not resolve is kept, with a note, and is never an error',
  'event.link-foreign': 'a parent or link to what is another team’s or environment’s is noted exactly as absent',
  'event.reference-run': 'a reference-only event needs a run_id: its own, that of the batch, or a generated one',
  'event.null-content': 'an event with a role whose content is null is a 400, not a reference',
  'batch.reference-run': 'a reference without run_id means the run that is generated for its batch',
  'event.reference-latest':
    'it resolves to the latest result of run and event id, or to nothing if that has another type',
  'event.reference-failed': 'a failed result can be referred to; references cannot',
  'event.referenced': 'referenced returns the stored verdict and ids',
  'event.not_found': 'not_found is 200 with flagged false, no policies and no internal_event_id',
  'event.run-index': 'events of a run are found by environment and run, whatever their external_session_id',
  'event.generated-ids': 'generated ids are evt_ or run_ and a UUIDv7 without hyphens',
  'event.no-condition': 'no matching condition: completed, not flagged, {}, and the note says so',
  'event.enabled-by':
    'enabled_by_conditions is on every policy; a policy selected twice is evaluated once and lists both',
  'event.direction': 'user is input, assistant output; other types are filtered by type and field alone',
  'event.selectors': 'events of a policy: a type means all of its fields, type.field that one',
  'event.selector-image': 'artifact.image selects artifacts of kind image',
  'event.sources': 'a policy whose sources lack that of the event is not evaluated',
  'event.sources-session':
    'on sessions events plays no part; the map has every policy of the direction that looks at a source of the item',
  'event.context': 'context: earlier events of the environment and the external session, else the run; 50 or 64 KiB',
  'event.context-generated':
    'a run that was generated is a context too: of its batch, and of events that send its id back',
  'batch.answer': 'a batch is answered with flagged, failed, run_id, results and order, as documented',
  'batch.failed': 'failed counts the events that could not be evaluated, and references to such events',
  'batch.size': '1 to 50 events',
  'batch.buckets': 'all six buckets are always there, named as the types',
  'batch.duplicates':
    'the same type and id twice: both saved, the bucket holds the last, order both, the first with result',
  'batch.defaults': 'run_id and external_session_id at the top are defaults, an event’s own value wins',
  'batch.generated-run': 'where no run is named, one is generated for the batch',
  'batch.one-environment': 'a batch has one environment',
  'batch.mixed-runs': 'run_id at the top of the answer is left out where the events differ',
  'batch.all-or-nothing': 'an invalid event fails the whole batch, with its path, and nothing is saved',
  'batch.failures': 'what fails in evaluation fails for its event alone',
  'batch.sequential': 'events of a run are in sequence: a reference sees earlier ones, and no later one',
  'graph.answer': 'GET /api/run/graph answers with nodes and edges as documented',
  'graph.paged': 'it is paged by limit and cursor',
  'graph.direction': 'edges run from cause to effect',
  'graph.pinned': 'what resolves when an event is checked is pinned: the graph shows that very event for good',
  'graph.resolved':
    'what does not resolve then is resolved when it is read, to an earlier event if there is one, never to itself',
  'graph.unknown-run': 'an unknown run is 404',
} satisfies Part;
