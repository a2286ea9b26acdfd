/** What callers receive, in words. */
import { ERROR_STATUS } from '../errors.js';
import { LIMITS } from '../limits.js';
import { type ComponentName, type Described, type RequestName, time, uuid } from './forms.js';

const TIME_FORM = 'RFC 3339 in UTC, with milliseconds';
const NOT_EVALUATED =
  'A policy that cannot look at this kind of content, and one that could not be evaluated, is left out; of the latter `note` says how many';

export const ANSWER_FIELDS: Described<Exclude<ComponentName, RequestName>> = {
  EventResult: {
    about: 'Verdict on one event.',
    fields: {
      flagged: 'Whether at least one policy is violated.',
      policies: `Result of each policy that was evaluated, by policy id. ${NOT_EVALUATED}.`,
      event: {
        about: 'The event that was checked, or that was referred to.',
        fields: {
          type: 'Kind of event.',
          status:
            '`completed`: checked and stored. `failed`: could not be checked, see `note`. `referenced`: an earlier result. `not_found`: there is no such earlier event.',
          updated_at: time(`When the verdict was reached, ${TIME_FORM}; null when nothing was found.`),
          created_at: time(`When the event arrived, ${TIME_FORM}; absent when nothing was found.`),
          event_id: 'Id of the event, yours or generated.',
          external_session_id: 'Your id of the conversation, when one was sent.',
          internal_event_id: uuid('Unique id of this result; absent when nothing was found.'),
          run_id: 'Id of the run, yours or generated.',
        },
      },
      run_id: 'The same as `event.run_id`; only in the answer of a single check.',
      note: 'What a person should know about this verdict, when there is something.',
      metadata: {
        about: 'Metadata that came with the event, when there was some; only in look-ups.',
        schema: { type: 'object', additionalProperties: true },
      },
    },
  },
  EventPolicyResult: {
    about: 'Verdict of one policy on an event.',
    fields: {
      flagged: 'Whether the policy is violated.',
      name: 'Name of the policy.',
      enabled_by_conditions: {
        about: 'Conditions that selected the policy for this event.',
        fields: { id: 'Id of the condition.', name: 'Name of the condition.' },
      },
    },
  },
  EventsResponse: {
    about: 'Verdicts on a batch, twice over: by type and id, and in the order of the request.',
    fields: {
      flagged: 'Whether any event is flagged. False says that the batch is clean only where `failed` is 0.',
      failed: {
        type: 'integer',
        about: 'How many events could not be evaluated; each has the status `failed` and a note.',
        minimum: 0,
        maximum: LIMITS.eventsPerBatch,
      },
      run_id: 'Run of all events; absent when they differ.',
      results: 'Results by type of event, then by `event_id`. Every type is present. Of equal ids, the last.',
      order: { about: 'A line per event, in the order of the request.', maxItems: LIMITS.eventsPerBatch },
    },
  },
  BatchOrderEntry: {
    about: 'One event of the batch.',
    fields: {
      index: {
        type: 'integer',
        about: 'Place in the request, from 0.',
        minimum: 0,
        maximum: LIMITS.eventsPerBatch - 1,
      },
      type: 'Kind of event; with `event_id` it leads to the full result in `results`.',
      event_id: 'Id of the event, yours or generated.',
      run_id: 'Id of its run, yours or generated.',
      internal_event_id: uuid('Unique id of the result; absent when a reference found nothing.'),
      status: 'See the status of an event result.',
      flagged: 'Whether the event is flagged.',
      result: 'The full result, when a later event of the batch with the same type and id has taken its place.',
    },
  },
  SessionResult: {
    about: 'Verdict on the last message of a chat.',
    fields: {
      flagged: 'Whether at least one policy is violated.',
      internal_session_id: uuid('Unique id of this check.'),
      external_session_id: 'Your id of the chat, when one was sent.',
      policies: `Result of each policy that was evaluated, by policy id. ${NOT_EVALUATED}.`,
      note: 'What a person should know about this verdict, when there is something.',
    },
  },
  PolicyResult: {
    about: 'Verdict of one policy on a chat message.',
    fields: {
      name: 'Name of the policy.',
      flagged: 'Whether the policy is violated.',
      flagged_source: 'What kind of content violates it; empty when it is not violated.',
    },
  },
  SessionEnvelope: {
    about: 'A session check and the images that belong to it.',
    fields: { session: 'The check.', artifacts: 'Results of images of the chat, newest first; at most 100.' },
  },
  ArtifactResult: {
    about: 'Verdict on an image.',
    fields: {
      status: '`processing` until the image is checked; `failed` when it could not be fetched, read or checked.',
      flagged: 'Whether at least one policy is violated; null while it is not known, and on failure.',
      policies: `Result of each policy that was evaluated, by policy id. ${NOT_EVALUATED}.`,
      kind: 'Kind of artifact.',
      internal_artifact_id: uuid('Unique id of this check.'),
      external_artifact_id: 'Your id of the image; null when none was sent.',
      internal_session_id: uuid('Unique id of the session check that it belongs to; null where there is none.'),
      external_session_id: 'Your id of the chat that it belongs to; null where there is none.',
      created_at: time(`When the image arrived, ${TIME_FORM}.`),
      updated_at: time(`When it was checked, ${TIME_FORM}; null until then.`),
      note: 'What a person should know about this verdict, such as why the image could not be fetched; or null.',
    },
  },
  RunGraph: {
    about: 'How the events of a run follow from each other, a page at a time.',
    fields: {
      run_id: 'Id of the run.',
      environment_id: 'Environment of the run.',
      nodes: 'Events of this page, in the order of submission.',
      edges: 'Parents and links of the events of this page.',
      next_cursor: '`cursor` of the next page; null on the last one.',
    },
  },
  RunGraphNode: {
    about: 'A checked event.',
    fields: {
      internal_event_id: uuid('Unique id of the result.'),
      event_id: 'Id of the event, yours or generated.',
      type: 'Kind of event.',
      role: 'Who wrote it; of messages.',
      status: '`completed`, or `failed` when the event could not be checked.',
      flagged: 'Whether the event is flagged.',
      created_at: time(`When the event arrived, ${TIME_FORM}.`),
    },
  },
  RunGraphEdge: {
    about: 'A relation between two events, from cause to effect.',
    fields: {
      kind: 'Whether it was declared as `parent` or in `links`.',
      source: 'Internal id of the cause; what the caller named when there is no such event.',
      target: uuid('Internal id of the effect.'),
      relation: 'Relation of a link.',
      resolved:
        'Whether the cause is known: it resolved when the effect was checked, or is found before it at the time of reading.',
    },
  },
  ProtectList: {
    about: 'Session checks as the protect view shows them.',
    fields: { list: { about: 'Newest first; empty when nothing matches.', maxItems: LIMITS.protectItems } },
  },
  ProtectItem: {
    about: 'One session check.',
    fields: {
      external_id: 'Your id of the chat, when one was sent.',
      internal_id: uuid('Unique id of the check.'),
      violation: 'Whether any policy is violated.',
      violations: 'Result of each policy that was evaluated, by policy id.',
    },
  },
  ProtectViolation: {
    about: 'Verdict of one policy.',
    fields: {
      violation: 'Whether the policy is violated.',
      name: 'Name of the policy, when names were asked for.',
      violation_source: 'What kind of content violates it; empty when it is not violated.',
    },
  },
  UserRisk: {
    about: 'How risky a user has been lately.',
    fields: {
      risk_level: 'From the number and severity of recent violations of this user.',
      window_days: { type: 'integer', about: 'How many days back violations count.', minimum: 1 },
    },
  },
  GuardrailResponse: {
    about: 'What the gateway should do.',
    fields: {
      action: '`NONE`: go on. `BLOCKED`: refuse.',
      blocked_reason: 'Why, for people; with `BLOCKED`.',
    },
  },
  Probe: { about: 'All is well.', fields: { status: 'Always `ok`; anything else is a 503.' } },
  Issue: {
    about: 'One thing that is wrong with the request. The value itself is never repeated.',
    fields: {
      path: 'Where: `events[3].content`, or the name of a parameter or header. Empty: the whole body.',
      code: 'What, for programs.',
      message: 'What, for people.',
    },
  },
  ErrorBody: {
    about: 'Why there is no answer.',
    fields: {
      error: {
        about: 'The error.',
        fields: {
          type: 'Kind of error.',
          code: { about: 'The error, for programs.', schema: { type: 'string', enum: Object.keys(ERROR_STATUS) } },
          message: 'The error, for people.',
          param: 'The field, parameter or header at fault.',
          issues: { about: 'Everything that is wrong with the request.', maxItems: LIMITS.issues },
          request_id: 'The value of the header `X-Request-Id`; quote it when you report a problem.',
          result: {
            about: 'Where the result of a check will be that was not finished in time.',
            fields: {
              internal_session_id: uuid('Id of a session check.'),
              internal_event_id: uuid('Id of an event check.'),
              result_url: { about: 'Path and query of the look-up: 409 until it is ready.', format: 'uri-reference' },
            },
          },
          items: {
            about: 'Where the results of a batch will be that was not finished in time; references are left out.',
            maxItems: LIMITS.eventsPerBatch,
            fields: {
              index: {
                type: 'integer',
                about: 'Place in the request, from 0.',
                minimum: 0,
                maximum: LIMITS.eventsPerBatch - 1,
              },
              event_id: 'Id of the event, yours or generated.',
              internal_event_id: uuid('Id to look the result up by.'),
            },
          },
        },
      },
    },
  },
};
