/** Sections 4 to 9 of the interface: endpoints, authentication, events, errors, limits, versions. */
import type { Part } from './pending.ts';

const SESSION_ENDPOINTS = {
  '4.headers': 'every request carries Authorization and service-version',
  '4.json': 'every response is JSON',
  '4.1.answer': 'POST /api/session/check answers 200, flat, with the fields of 2.4',
  '4.1.1': 'only the last message is checked, earlier ones are context',
  '4.1.2':
    'a last message of user, system, developer or tool is input, of assistant output; any-direction always applies',
  '4.1.3': 'all policies of the deployment are evaluated unless a list restricts them',
  '4.1.4': 'previous messages of the session are merged in, so that only new ones need be sent',
  '4.1.5': 'metrics of a session check are computed in the background',
  '4.1.6': 'outcomes belong to a user where metadata.user.id or metadata.user.email is there',
  '4.2.path': 'GET /api/session/{internal_session_id} takes the UUID of a check',
  '4.2.deployment_id':
    'deployment_id is optional, verifies where the session ran, and defaults to the key’s deployment',
  '4.2.answer': 'it answers 200 with {session, artifacts}',
  '4.3.query': 'GET /api/session needs external_session_id; deployment_id defaults to the key’s',
  '4.3.latest': 'it returns the session that was submitted last in the same deployment',
  '4.3.answer': 'it answers with the envelope of 4.2',
  '4.3.post': 'POST /api/session takes the body of a check and answers with the envelope',
} satisfies Part;

const ARTIFACT_ENDPOINTS = {
  '4.4.internal_artifact_id': 'GET /api/artifact/get_by_id finds by internal_artifact_id',
  '4.4.external_artifact_id': 'GET /api/artifact/get_by_id finds by external_artifact_id',
  '4.4.deployment_id': 'deployment_id overrides the deployment of the key',
  '4.4.one': 'exactly one of the two ids is required',
  '4.4.latest': 'of several with one external id the last created in the deployment is returned',
  '4.4.answer': 'it answers 200 with 2.5',
  '4.4.bad-request': 'a bad request is 400',
  '4.5.body': 'POST /api/artifact takes content, external_artifact_id and role',
  '4.5.session': 'an artifact may be linked to a session',
  '4.5.stored': 'its result has an internal_artifact_id and is found by 4.4',
  '4.5.no-conditions': 'conditions do not apply to it',
} satisfies Part;

const EVENT_ENDPOINTS = {
  '4.6.body': 'POST /api/event takes an event object',
  '4.6.place': 'environment_id and run_id are taken at the top level or inside the event',
  '4.6.artifact': 'content of an artifact event is the object of 2.6',
  '4.6.answer': 'it answers with the verdict at the top level: flagged, policies, event, run_id',
  '4.6.saved': 'every event with content is checked and saved on its own',
  '4.6.no-retry-keys': 'the same run_id and event_id sent twice make two results with different internal ids',
  '4.6.version': 'it needs version 2026-06-01',
  '4.7.events': 'POST /api/events takes up to 50 events',
  '4.7.buckets': 'results come in buckets by type, indexed by event_id',
  '4.7.reference-batch': 'an event may refer to an earlier one of its batch',
  '4.7.reference-stored': 'an event may refer to a stored one',
  '4.7.conditions': 'conditions are evaluated for each event of a batch by itself',
  '4.8.path': 'GET /api/event/{internal_event_id} takes a UUID and answers 200 with 2.8',
  '4.8.environment_id': 'environment_id is required',
  '4.8.404': 'no such event, another team’s or another environment’s: 404',
  '4.9.environment_id': 'GET /api/event requires environment_id',
  '4.9.run_id': 'GET /api/event requires run_id',
  '4.9.event_id': 'GET /api/event requires event_id',
  '4.9.type': 'type is optional and one of the six',
  '4.9.latest': 'it returns the latest result of run_id and event_id in the environment',
  '4.9.type-differs': 'it is 404 where the latest result has another type than asked for',
  '4.9.references': 'references in a check resolve the same way, to the latest result of the same type',
} satisfies Part;

const OTHER_ENDPOINTS = {
  'protect.check':
    'POST /api/protect/check takes a session check with external_id and include_policy_names, and answers an item of 2.9',
  '4.10.deployment_id': 'GET /api/protect/get_by_id takes deployment_id, else the default deployment of the key',
  '4.10.include_policy_names': 'include_policy_names is a boolean, false by default, and adds name to each violation',
  '4.10.external': 'it finds by the caller’s id',
  '4.10.internal': 'it finds by the internal id',
  '4.10.answer': 'it answers 200 with {list: […]} of items of 2.9',
  '4.11.one': 'GET /api/radar/risk takes email or id, not both',
  '4.11.identifier': 'the identifier is one sent as metadata.user.email or metadata.user.id of session checks',
  '4.11.level': 'the level follows from recent violations of that identifier: serious or repeated ones raise it',
  '4.11.answer': 'it answers 200 with a level of 2.10',
  '4.12': 'an operation loads the durable parents and links of a run',
} satisfies Part;

const AUTHENTICATION = {
  '5.1': 'every request carries Authorization: Bearer and a key',
  '5.2': 'sessions run in the deployment of the key unless deployment_id names one',
  '5.2.artifacts': 'artifacts run in the deployment of the key unless deployment_id names one',
  '5.3': 'event operations choose their environment by environment_id',
  '5.4': 'a result of another team or environment is 404 on event look-ups',
  '5.5': 'keys are made by the command line, kept as a digest, and rotated by having two of them',
} satisfies Part;

const EVENT_RULES = {
  '6.1': 'the pieces of an interaction are checked each by itself, as events of the six types',
  '6.2.conditions': 'conditions match the metadata of an event and select policies',
  '6.2.metrics': 'conditions select metrics',
  '6.2.selectors': 'selectors by type, field and direction filter the policies',
  '6.2.context': 'an event is evaluated against the earlier events',
  '6.2.internal_event_id': 'each completed result has an internal_event_id',
  '6.3.no-condition': 'where no active condition matches, no policy is evaluated',
  '6.3.no-condition-metrics': 'where no active condition matches, no metric is queued',
  '6.3.type-field': 'policies of events that are no messages are filtered by type and field',
  '6.3.artifact': 'selectors such as artifact plus image choose policies for images',
  '6.4': 'message events with content need role',
  '6.5': 'events of one run are one conversation where no external_session_id is sent',
  '6.6': 'artifact events take inline image checks only; one that cannot be fetched or validated is failed',
  '6.7': 'an image goes as an artifact event or to the artifact endpoint, and is found there',
  '6.9': 'earlier events of the conversation, most recent first, bounded in number and bytes, are the context',
} satisfies Part;

const ERRORS = {
  '7.artifact-400': 'an artifact look-up that is rejected is 400',
  '7.event-404': 'an event look-up is 404: absent, another team or environment, another type than asked for',
  '7.event-failed': 'an event that could not be validated or fetched is a result failed, not an HTTP error',
  '7.artifact-failed': 'an image that cannot be fetched is a result failed, flagged null, explained in note',
  '7.event-not_found': 'a reference that does not resolve is a result not_found',
  '7.body': 'errors have the body that is documented',
  '7.codes': 'every error has its code and its HTTP status',
} satisfies Part;

const LIMITS = {
  '8.events': '50 events in a batch are taken, 51 refused',
  '8.links': '50 links of an event are taken, 51 refused',
  '8.declarations': '500 parents and links in a batch are taken, 501 refused',
  '8.body': 'a body of 32 MiB is taken, one byte more refused',
  '8.content': '256 KiB in a content field are taken, one byte more refused',
  '8.metadata': '256 KiB of metadata of an event are taken, one byte more refused',
  '8.ids': 'run_id and event_id of 128 characters are taken, of 129 refused',
  '8.names': 'external_session_id, name, call_id, format and external_artifact_id: 256 characters taken, 257 refused',
  '8.characters': 'ids are made of letters, digits, dot, underscore, colon and hyphen, and of nothing else',
  '8.rate': 'a key may have a limit of requests per minute, which holds over all ingress processes',
  '8.image': 'images have limits of bytes, pixels and sides',
  '8.session': 'session checks have limits of messages, text and ids',
} satisfies Part;

const VERSIONS = {
  '9.1': 'every request carries service-version, a date',
  '9.2.sessions': 'sessions take 2025-12-01',
  '9.2.risk': 'user risk takes 2025-12-01',
  '9.2.artifacts': 'artifacts take 2025-12-01',
  '9.2.retrieval': 'session look-ups take 2026-04-15, with the envelope',
  '9.2.events': 'events take 2026-06-01 and no other version',
  '9.3': 'a version that is being given up is announced in headers',
} satisfies Part;

export const INTERFACE_OPERATIONS: readonly Part[] = [
  SESSION_ENDPOINTS,
  ARTIFACT_ENDPOINTS,
  EVENT_ENDPOINTS,
  OTHER_ENDPOINTS,
  AUTHENTICATION,
  EVENT_RULES,
  ERRORS,
  LIMITS,
  VERSIONS,
];
