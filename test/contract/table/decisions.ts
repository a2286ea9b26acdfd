/** What the decisions promise where the interface is silent: everything but events, which have a file of their own. */
import { EVENT_DECISIONS } from './decisions-events.ts';
import type { Part } from './pending.ts';

const GENERAL = {
  'general.200': 'success is always 200',
  'general.times': 'times are RFC 3339 in UTC with milliseconds',
  'general.absent': 'what is absent is left out of a response, or null where the interface says so',
  'general.null': 'null on an optional field of a request is the same as leaving it out',
  'general.empty': 'an empty string is content',
  'general.order-headers': 'checked first: route and method; then by headers alone key, version, scope, rate',
  'general.order-body': 'checked then: size while it streams in, media type, JSON, validation, permission',
  'general.401-first': 'a 401 is answered before the body is read',
  'general.unknown-fields': 'unknown fields are ignored',
  'general.other-content': 'the content field of another event type is a 400',
  'general.misplaced': 'a field that means something elsewhere in the same request is a 400 that names its place',
  'general.parent_event_id': 'parent_event_id is a 400 that says to use parent.event_id',
  'general.other-names':
    'other names for causes, policies and deployment_id of an event, and session_id of an artifact event, are a 400 that says what to use',
  'general.duplicate-names':
    'a name that stands twice in an object of a body is a 400 that names it, on every route and at every depth',
  'content.duplicate-names':
    'a name that stands twice in JSON within a string: each value is checked, and the note says that there is one',
  'general.byte-order-mark': 'a byte order mark before the body is skipped, on every route',
  'general.as-written': 'metadata and JSON content are kept and given back as they were written, numbers included',
  'general.booleans': 'query booleans are true, false, 1 and 0 in any case',
  'general.prefer-wait': 'Prefer: wait=N shortens the deadline of one request, and Preference-Applied says so',
  'general.misspelt-content': 'an event without a content field and with an unknown key is a 400, not a reference',
  'general.path': 'a wrong type or a violated limit is a 400 with its path',
  'general.depth': 'JSON of 64 levels is taken, of 65 refused',
  'general.prototype': '__proto__ and constructor are ordinary keys',
  'general.code-points': 'characters are code points, letters are those of ASCII',
  'general.bytes': 'sizes are bytes of UTF-8, of the compact form where the value is JSON',
  'general.request-id': 'X-Request-Id is on every response: the caller’s, of at most 128 id characters, else a new one',
  'general.service-version': 'every response echoes service-version',
  'general.traceparent': 'traceparent is taken and passed on, and never needed',
  'general.healthz': 'GET /healthz says that the process gets on with its work, without key and version',
  'general.readyz':
    'GET /readyz says whether Redis is there, a configuration loaded and no drain under way, without key',
  'general.openapi': 'GET /openapi.json needs neither key nor version',
  'general.metrics': 'GET /metrics is on a port of its own, on loopback by default',
  'general.metrics-labels': 'its labels name no team, key or user',
} satisfies Part;

const ERRORS = {
  'error.issues': 'at most 50 issues are listed',
  'error.no-echo': 'a rejected value is never repeated',
  'error.invalid_json': '400 invalid_json',
  'error.validation_failed': '400 validation_failed',
  'error.version_required': '400 version_required',
  'error.unsupported_version': '400 unsupported_version',
  'error.version_not_supported_for_endpoint': '400 version_not_supported_for_endpoint',
  'error.unsupported_content_part': '400 unsupported_content_part',
  'error.content_too_large': '400 content_too_large: a text or content over its limit of bytes',
  'error.too_many_events': '400 too_many_events',
  'error.missing_api_key': '401 missing_api_key with WWW-Authenticate: Bearer',
  'error.invalid_api_key': '401 invalid_api_key with WWW-Authenticate; unknown, expired and revoked look alike',
  'error.permission-scope': '403 permission_denied: the key lacks the scope',
  'error.permission-grant': '403 permission_denied: a POST names what is the team’s own and not granted to the key',
  'error.not_found-lookup':
    '404 on look-ups: absent, another team’s, environment’s or deployment’s, all with the same body',
  'error.not_evaluable': '422 not_evaluable without Retry-After',
  'error.not_found-post': '404 on a POST that names another team’s environment or deployment',
  'error.method_not_allowed': '405 method_not_allowed',
  'error.unsupported_media_type': '415 unsupported_media_type: a body that is not JSON',
  'error.result_not_ready': '409 result_not_ready with Retry-After',
  'error.idempotency_in_progress': '409 idempotency_in_progress with Retry-After',
  'error.idempotency_mismatch': '409 idempotency_mismatch without Retry-After',
  'error.request_too_large': '413 request_too_large, while the body streams in',
  'error.rate_limited': '429 rate_limited with Retry-After, RateLimit and RateLimit-Policy',
  'error.internal_error': '500 internal_error, which tells nothing of the bug',
  'error.overloaded': '503 overloaded with Retry-After',
  'error.unavailable': '503 unavailable with Retry-After',
  'error.shutting_down': '503 shutting_down with Retry-After',
  'error.evaluation_timeout': '504 evaluation_timeout',
  'error.type': 'type is one of seven, by the status',
} satisfies Part;

const VERSIONS = {
  'version.missing': 'a missing header is 400 version_required, and names the accepted values',
  'version.unknown': 'an unknown value is 400 unsupported_version',
  'version.check': 'POST /api/session/check: all three versions',
  'version.artifact': '/api/artifact…: all three versions',
  'version.risk': 'GET /api/radar/risk: all three versions',
  'version.protect': 'GET /api/protect/get_by_id: all three versions',
  'version.session-lookup': 'GET /api/session…: all three versions, always with the envelope',
  'version.session-post': 'POST /api/session: from 2026-04-15 on',
  'version.event': '/api/event and /api/events: 2026-06-01 only',
  'version.run-graph': 'GET /api/run/graph: 2026-06-01 only',
} satisfies Part;

const SESSIONS = {
  'session.policies': 'policies or policy_ids: 1 to 100 ids',
  'session.unknown-policy': 'an empty list, or an id the deployment does not have, is a 400 with its path',
  'session.policies-none':
    'where policies that are named do not apply to the direction or sources at hand, a note says so',
  'session.artifact-part':
    'an artifact part is {type, content, external_artifact_id}, or has the image under artifact, or its fields in itself',
  'session.text-parts': 'input_text, output_text and refusal are text parts too',
  'session.earlier-parts': 'parts that are not known, and image_url, are skipped in earlier messages',
  'session.context-refuses-nothing':
    'earlier messages that cannot be used are skipped or cut, the note says how many, and only the last one can be refused',
  'session.everything':
    'every member of a message with text in it is checked: calls, results, reasoning, citations, names',
  'session.unread': 'what nobody can read in the checked message is named in the note, with its path',
  'session.redacted-beside':
    'where text is redacted beside the content of a message, the whole message is given with marks',
  'session.no-content': 'ids, types, times, counts, metadata and signatures have no content where they look like it',
  'session.tool-calls':
    'an assistant may have no content beside tool_calls; names and arguments of its calls are part of its text',
  'session.spoken': 'what else a message says (thoughts, the transcript of what was said aloud) is part of its text',
  'session.image-parts':
    'image_url and input_image are 400 unsupported_content_part, and the answer names the artifact part',
  'session.new-id': 'each check makes a new internal_session_id, and the external id leads to the newest',
  'session.merge-key': 'messages are merged by deployment and external_session_id',
  'session.overlap-id': 'messages that come again are dropped by metadata.message.id',
  'session.overlap-content': 'messages that come again are dropped by the longest overlap of role and content',
  'session.kept': 'previous messages are kept as far back as policies look: at most 100 messages, 256 KiB',
  'session.no-verdict':
    'by external id: the newest check with a verdict, pending or given up; one that was answered 400, 422 or 503 hides none',
  'session.include-alone': 'include_context without an external id is ignored',
  'session.joins':
    'internal_session_id joins the session of an earlier check: its messages are context, its external id is kept; of another team or deployment it is 404',
  'session.user-order': 'the user of the last message beats that of the session',
  'session.location':
    'the location of a user is taken flat and under user.location, and kept as it came however malformed',
  'session.role': 'an unknown base role is a 400',
  'session.messages': '1 to 1,000 messages',
  'session.text': '1 MiB of text in the message that is checked, a setting up to the limit of a body',
  'session.artifacts': '16 artifact parts in the last message',
  'session.external': 'external_session_id of 256 characters',
  'session.image-fault': 'an image that fails leaves the session flagged by others, or an error',
  'session.metadata': 'metadata is kept as sent, found in history, and never our clock',
  'session.post': 'POST /api/session takes the same body and answers with the envelope of 4.2',
  'session.lookup-artifacts':
    'a look-up has the images of that very check and those that came by themselves for the session, newest 100, and none of other checks',
  'session.pending': 'by external id, a check that is under way is 409 from its acceptance on',
  'session.uuid': 'a malformed UUID in a look-up is a 400',
} satisfies Part;

const ARTIFACTS = {
  'artifact.body': 'body and links of POST /api/artifact',
  'artifact.wait': 'it waits for the deadline, then answers processing',
  'artifact.limits': '10 MiB, 50 megapixels, 16,384 pixels a side, four formats, the first frame',
  'artifact.400': '400 only for what the JSON alone shows',
  'artifact.fetch': 'http and https only, three redirects, 10 s, private addresses refused, no oracle',
  'artifact.policies': 'conditions do not apply; policies of the deployment that look at images do',
  'artifact.looks':
    'a policy looks at a source that it names where a detector of it can; else it is in no map of an item of it',
  'artifact.looks-none': 'where no policy looks at an item its map is empty, and a note says so',
} satisfies Part;

const VIEWS = {
  'protect.one': 'exactly one of internal_id and external_id, else 400',
  'protect.list': 'newest first, at most 100',
  'protect.none': 'no match is an empty list',
  'protect.view': 'a read view of session checks: their ids are its ids',
  'risk.answer': 'risk_level and window_days',
  'risk.score': 'the weight of the highest flagged severity of each distinct session check, summed over the window',
  'risk.levels': 'elevated from 4, severe from 10',
  'risk.severity-today': 'severities are those of the configuration in force',
  'risk.configurable': 'window, weights and thresholds are configuration',
  'risk.user': 'the user is that of the last message, else of the session, else of the newest earlier message',
  'risk.email': 'e-mail is trimmed and lower-cased',
  'risk.one': 'both or neither identifier is 400',
  'risk.never-seen': 'a user never seen in the team is 404',
} satisfies Part;

const REGIONS = {
  'regions.number':
    'an installation may have a number from 1 to 15 and a name, set at its first start; another one is refused later',
  'regions.ids': 'four bits of an id are the number of its region, 0 where there is none',
  'regions.name': 'every answer and every series of metrics has the name of the region',
  'regions.rows': 'rows of history have the name of the region',
  'regions.wrong_region':
    'regions names the others: an id of another region is 404 wrong_region with the name of that region',
  'regions.keys': 'a key that names regions counts in these alone',
  'regions.apply': 'weir apply --to applies a file to several installations, to all of them or to none',
  'regions.drift': 'weir status --of says where installations differ in their configuration',
} satisfies Part;

const DEADLINE = {
  'deadline.session': 'a late session is 504; its look-up 409 result_not_ready until it is stored',
  'deadline.artifact': 'a late artifact is 200 processing',
  'deadline.event': 'a late event is 504; its look-up 409 until it is stored',
  'deadline.batch': 'a late batch is 504',
  'deadline.goes-on': 'after a 504 the work goes on',
  'deadline.result': 'the 504 carries result with id and result_url, for a batch items',
  'failure.session': 'a session that could not be evaluated, and nothing flagged: 503 unavailable',
  'failure.lasting':
    'where a repetition changes nothing, a session that could not be evaluated is 422 not_evaluable, and so is its look-up; an event is failed with a note',
  'failure.artifact': 'an artifact that could not be evaluated: 200 failed, flagged null, note',
  'failure.event': 'an event that could not be evaluated, and nothing flagged: 200, failed, note',
  'failure.batch': 'in a batch, that event is failed with a note',
  'failure.clean': 'a clean answer means that every applicable policy was evaluated',
  'failure.partial': 'flagged by others: policies not evaluated are left out of the map, and a note counts them',
  'failure.fail_closed': 'fail_closed of a team turns what could not be evaluated into flagged',
  'failure.dead-letter': 'a check that ends as a dead letter is failed: session look-up 500, event failed with a note',
  'failure.nothing-for-ever': 'nothing stays not ready for ever',
  'idempotency.retry': 'a retry with the same Idempotency-Key re-attaches to the same check',
  'idempotency.mismatch': 'the same key with another body is 409',
  'idempotency.limits':
    'a key has at most 255 characters, is kept an hour, and there are 100,000 per API key, beyond that 429',
  'idempotency.accepted': 'only accepted checks are remembered',
} satisfies Part;

const CONFIGURATION = {
  'config.checked': 'a configuration is YAML or JSON, checked before it is applied; a bad one changes nothing',
  'config.applied': 'it applies everywhere at once, without a restart',
  'config.versioned': 'it is versioned, and the version is on every stored result',
  'config.defaults': 'what is required is required, and everything else has its default',
  'config.short':
    'a file without environments or deployments has one of each, default, with all policies; the only team need not be named',
  'config.short-ids': 'an absent policy id is the UUIDv5 of team and name, which check-config shows',
  'config.short-names': 'names may stand wherever ids do; one that stands twice or equals an id is an error',
  'config.short-keys': 'a file without keys can be checked and tested, and is not applied; npm start adds its demo key',
  'config.short-rename': 'apply warns where a rename makes another id',
  'config.boolean': 'a condition must be boolean; that holds in check-config and apply, and not for what is stored',
  'config.drops':
    'apply says what it changes, and drops all keys, environments, deployments or policies of a team on demand only',
  'config.grants': 'absent or empty deployments and environments of a key grant none',
  'config.no-default': 'without default_deployment a request must name one',
  'config.scopes': 'POST needs check, GET read, risk risk',
  'config.detect-once': 'detect is evaluated once per item: text parts joined by a newline',
  'config.detect-image': 'detect is evaluated for each image alone',
  'config.detect-three': 'any, all and not are three-valued: could not run is the third value',
  'config.warnings': 'what is allowed in a configuration and does nothing is warned of',
  'config.offsets': 'offsets of evidence are in UTF-16 units of the text as sent',
  'config.when-steps':
    'a condition that would take too many steps could not be evaluated: nothing is called clean for it',
  'config.when': 'when is CEL over metadata and event (type, role, name); a missing key is no match, not an error',
  'config.shadow': 'a policy in the shadow is evaluated, and is in no answer, flagged, risk or fail_closed',
  'config.keys': 'keys are wk_, 32 random bytes and a checksum, shown once, stored as SHA-256',
  'config.key-lookup': 'the server looks up the SHA-256 of whatever it is sent',
  'config.key-expiry': 'a key ends when it expires or is left out, and two live keys may overlap',
  'config.metrics': 'configured metrics are computed',
  'config.retention': 'contents and results are kept as many days as is configured',
  'config.masked':
    'with retention.content masked, what redact=true would return is stored: no store has what was found once it is evaluated',
  'config.no-content':
    'with content_days 0 no content is kept: none in ClickHouse, none in Redis once it is archived and rewritten',
} satisfies Part;

const ADAPTERS = {
  'adapter.litellm': 'POST /beta/litellm_basic_guardrail_api answers NONE, or BLOCKED with a reason',
  'adapter.litellm-redact':
    'where all violated policies say action redact, it answers GUARDRAIL_INTERVENED with the changed texts',
  'adapter.litellm-key': 'it also takes x-api-key, needs no version, and uses the default deployment of the key',
  'adapter.litellm-texts': 'it checks the entries of texts that stand in no message: all of them where there are none',
  'adapter.litellm-images': 'it checks the entries of images likewise, and the images of the newest turn',
  'adapter.litellm-calls': 'it checks tools, and those tool_calls that stand in no message before the newest turn',
  'adapter.litellm-turn':
    'it checks the messages behind the last one of the assistant, or the last one; of a response the answer; by their roles',
  'adapter.litellm-operator': 'system and developer messages before the first of the user are context',
  'adapter.litellm-all': 'with litellm.check all it checks every message',
  'adapter.litellm-unread': 'it is an error where something of the newest turn cannot be looked at',
  'adapter.litellm-user': 'request_data gives the user of the check and its metadata',
  'adapter.litellm-session':
    'the id of the conversation is the external session of the check, whose messages count once',
  'adapter.litellm-reason': 'the reason names each policy once',
  'adapter.off': 'WEIR_DIALECTS says which interfaces of other services are served; the others are 404',
  'adapter.moderations':
    'POST /v1/moderations checks a text in the default deployment of the key; no version is needed',
  'adapter.moderations-each': 'of a list of texts each has a check and a result of its own, in order',
  'adapter.moderations-parts': 'text and image_url parts are checked together',
  'adapter.moderations-categories':
    'every category of OpenAI is there, with a score, and with what was looked at; moderations of the deployment says which policies it is made of',
  'adapter.moderations-refused': 'what it cannot check is a 400 that names the place',
  'adapter.perspective':
    'POST /v1alpha1/comments:analyze checks a comment in the default deployment of the key, and answers scores for attributes',
  'adapter.perspective-key': 'the key may come as ?key=, which is never logged',
  'adapter.perspective-policies': 'policies of the deployment are attributes by their names',
  'adapter.perspective-spans': 'spanAnnotations asks for the scores of each sentence, with offsets in code points',
  'adapter.perspective-language':
    'a language that is not known is an error by the name that the Perspective API has for it',
  'adapter.perspective-unkept': 'doNotStore drops the text and its metadata, and keeps the verdict',
  'adapter.perspective-errors': 'errors have the form of Google APIs, with the code of Weir as their reason',
  'adapter.presidio':
    'POST /analyze checks each text in the default deployment of the key, and answers what was found, with offsets in code points',
  'adapter.presidio-entities':
    'entities are those of pii, SECRET, and policies by their names; one that no policy looks for is a 400, and what is violated is never shown clean',
  'adapter.presidio-unseen': 'a text that some policy has not looked at is an error, never an empty list',
  'adapter.presidio-errors': 'errors have the form of Presidio, with what Weir says beside',
  'adapter.presidio-anonymize':
    'POST /anonymize replaces finds as Presidio does: replace, redact, mask, hash and keep; nothing is checked or stored',
  'adapter.presidio-keyless':
    'a request without a key counts as one of the key that names its address, by the connection alone, and on no other path; a wrong key is a 401',
  'adapter.presidio-conflicts': 'finds that overlap are resolved by the rules of Presidio',
  'adapter.agentgateway':
    'POST /request checks the newest turn of a prompt of agentgateway, and answers an action: go on, refuse, or go on with marks',
  'adapter.agentgateway-answers': 'POST /response checks all choices of an answer, as output',
  'adapter.portkey':
    'POST /portkey/webhook checks the newest turn of a request of Portkey, or all of a response, in the forms of several models',
  'adapter.portkey-errors': 'whatever is wrong is a 200 with verdict false, since Portkey lets pass what is an error',
  'adapter.portkey-beside':
    'what stands beside the messages is checked too, and what no model is known for is checked whole',
  'adapter.envoy':
    '/envoy/authz/ and a path checks the body of a request that Envoy asks about: the newest turn of a call of a model, or all of JSON or a text',
  'adapter.envoy-paths': 'it takes every path and method, and nothing but x-api-key as a key',
  'adapter.envoy-empty': 'without a body only GET, HEAD, OPTIONS and DELETE may pass',
  'adapter.envoy-partial': 'a body that was cut off is refused',
  'adapter.nemo':
    'POST /v1/guardrail/checks answers success or blocked, by policy as well; errors have their message as detail',
  'adapter.nemo-turn': 'it checks the newest turn, and the answer to it that stands at the end',
  'adapter.moderations-whole': 'where one of several texts has no verdict, the answer is its error',
} satisfies Part;

const MASKS = {
  'erase.user':
    'DELETE /api/user takes what names the user from every store and file, and what names it by the other identifier alone',
  'erase.session': 'DELETE /api/session/{id} takes the chat of the check, with its images',
  'erase.run': 'DELETE /api/run takes all events of a run',
  'erase.event': 'DELETE /api/event/{id} takes that event alone',
  'erase.scope': 'erasing needs the scope erase, which no other implies',
  'erase.foreign': 'what is another team’s, or was not granted, is 404 to whoever would erase it or see its receipt',
  'erase.command': 'weir erase takes what the interface takes, and refuses in a sentence what that refuses',
  'erase.teams': 'what another team says of the same user stays',
  'erase.again': 'what is sent after an erasure stays',
  'erase.exports': 'the receipt names exports of its scope and time that were begun before',
  'export.files':
    'weir export writes a file for each table and day, as Parquet or JSON lines, and notes who ran it, of what, and how much',
  'export.unknown':
    'an export is of a team, an environment and a deployment that there are, or that have left something',
  'export.resumes': 'an export goes on where it was cut off: a file has its name when it is complete',
  'export.erased': 'what is erased is in no export, and one waits for erasures under way',
  'export.waits': 'an export has all that was accepted before',
  'erase.kill': 'an erasure goes on after any process is killed, and takes nothing else',
  'masks.restore':
    'redact=reversible numbers the marks and adds sealed, with which POST /api/restore puts the values back',
  'masks.not-opened': 'a seal that is not of the API key, or was changed, is a 400 that repeats nothing',
  'masks.conflict': 'seals with two values for one mark are a 400',
  'masks.own-texts': 'a text of the caller that reads like a mark stays as it is',
  'masks.exact': 'restored, redacted content is what was sent',
  'masks.stored-nothing': 'no seal, value or API key is stored or handed on',
  'masks.retry': 'a retry has a seal that opens, for the same marks',
  'masks.restore-scope': 'restoring needs the scope check, and neither a worker nor the queue',
} satisfies Part;

const LABELS = {
  'labels.post':
    'POST /api/label stores true_alarm, false_alarm or missed for an item and a policy, by id or name, with a note and a reviewer',
  'labels.scope': 'labels need the scope review, which no other implies',
  'labels.foreign': 'an item of another team or scope is a 404, as it is looked up; so is an unknown policy',
  'labels.match':
    'true_alarm and false_alarm are for flagged verdicts, missed for others, and none for an item without a verdict: else 400',
  'labels.replace': 'a later label of the same reviewer replaces the earlier one',
  'labels.withdraw':
    'withdrawn takes the label of a reviewer back: look-ups, the queue, reports and figures are as if it had not been given',
  'labels.shown': 'labels=true adds to look-ups of events, sessions and images what was said of their verdicts',
  'labels.queue': 'GET /api/label/queue has flagged verdicts without a label, of what the key was granted alone',
  'labels.kept':
    'a label that was answered 200 is there after ingress and ClickHouse were killed; while ClickHouse is away it is a 503',
} satisfies Part;

const APPEALS = {
  'appeals.made':
    'POST /api/appeal stores what a user has against the verdict of a policy that flagged an item, once, with a note and a reference',
  'appeals.decided':
    'an appeal is open until a label that came later: true_alarm, the verdict stands; false_alarm, it is overturned; the newest one counts',
  'appeals.scope': 'appeals need the scope check, look-ups of an item read, and the list of open ones review',
  'appeals.foreign': 'an appeal to an item of another team or scope, or a look-up of one, is a 404, as it is looked up',
  'appeals.open':
    'GET /api/appeal/open has every open appeal of what the key was granted once, page by page, the oldest first',
  'appeals.queue':
    'open appeals come first in the queue of labels, whatever was said before, and leave it once they are decided',
  'appeals.hooks':
    'webhooks that ask for it are told of appeals that are opened and decided, at least once, without the note',
  'appeals.unchanged': 'a label that is taken back tells webhooks of an appeal only where that changes its state',
  'appeals.kept': 'an appeal that was answered 200 is there after ClickHouse was killed; while it is away it is a 503',
  'appeals.bound': 'a team makes at most 10,000 appeals in 24 hours: more are a 429',
  'appeals.erased': 'an erasure of an item takes its appeals with it',
} satisfies Part;

const HISTORY = {
  'history.key': 'GET /api/key says what the key may do and see, and the policies of its team, never the secret',
  'history.list':
    'GET /api/history has every archived item that the filter takes once, in its newest version, the newest first, page by page',
  'history.filter': 'each filter and each verdict chooses what it says, alone and together',
  'history.figures':
    'figures are those of the items that are listed, in total, by step, and by policy, source, condition, user and shadow',
  'history.users': 'GET /api/users has the users who were flagged, with the level that user risk gives each',
  'history.own':
    'lists and figures have nothing of another team, or of an environment or deployment that the key was not granted',
  'history.text':
    'text lists the items in which a policy, or the one that is named, has found it, whether in capitals or not, needs the scope content, and each item is told',
  'history.conversation':
    'a conversation has the items of a session in their order, page by page, with what was said for keys with the scope content, which is told',
  'history.wrong': 'a filter that cannot be meant is a 400 that names it, and a name that was not granted a 404',
  'history.times': 'a day or an hour that there is not is a 400, and a leap second the second after it',
  'history.away': 'while ClickHouse is away lists and figures are 503, never empty',
} satisfies Part;

const TRY = {
  'try.verdict': 'POST /api/try answers for an event, a chat and an image what the check would with explain=true',
  'try.scores': 'a try says what each detector with scores scored beside its threshold, also where it does not fire',
  'try.conditions': 'a try of an event says which active conditions matched, and which could not be told',
  'try.cost': 'a try says what it took: microseconds of a thread, of images and of backends, and steps of conditions',
  'try.edited':
    'edited policies take the place of those with their id or name, or are new; edited conditions that of all of the environment',
  'try.refused': 'edits that check-config would refuse are a 400 with its words and the path of each place',
  'try.foreign':
    'edits name no address, file or variable, and only backends, models and lists that the active version has for the team',
  'try.stores': 'a try leaves no result, row, index, context, risk, metric, kept answer or delivery',
  'try.context': 'a try looks at no earlier text but those that are sent',
  'try.scope': 'a try needs the scope try, which no other implies, and what its check needs: 403 and 404 as there',
  'try.limits': 'a try has exactly one event, chat or image, in a body of at most 256 KiB, else 413',
  'try.turns': 'tries of a team run one at a time in a process, each for at most two seconds, else 504',
  'try.backtest':
    'POST /api/try/backtest compares stored verdicts with those of edited policies, page by page: what is flagged then and now, newly, no longer, could not be told, is not stored',
  'try.backtest.scope':
    'a backtest needs the scopes try and content, each page is told to the audit log, and of another team it sees nothing',
  'try.backtest.labels': 'with the scope review, a backtest says what becomes of labelled items',
  'try.tests':
    'POST /api/try/test evaluates cases as weir test reads them, with pass or fail and why, as many as there is time for',
  'try.hostile': 'a try that takes all of its thread delays no check, and the next try has another thread',
} satisfies Part;

const CONFIGURE = {
  'configure.own':
    'what a key of the scope configure is shown of the configuration has nothing of another team, no secret and no address',
  'configure.versions':
    'GET /api/configuration/versions lists the versions that are kept once each, the newest first, page by page, and says who has applied those that changed something of the team, and nothing more of the others',
  'configure.changes': 'GET /api/configuration/versions/{version} says in words what weir config diff says of the team',
  'configure.policies':
    'GET /api/configuration/policies lists the policies of the team once each, page by page, with detectors that are cut where they are long',
  'configure.wrong': 'a version that is not kept and a policy that is not there are a 404, a number that is none a 400',
  'configure.bounded':
    'questions about versions take turns, run on a thread, and are a 503 where Redis does not answer in time',
} satisfies Part;

const OPERATE = {
  'operate.key':
    'only a key without a team has the scope operate; it has no other one, and is 403 wherever something of a team is asked for',
  'operate.status': 'GET /api/operation/status says what weir status says',
  'operate.lists':
    'dead letters and refused requests of all teams and partitions are listed once each, page by page, without what was sent',
  'operate.replay':
    'a dead letter and refused rows are replayed once; what is not there is a 404, and a letter that cannot be replayed a 400 with the reason',
  'operate.bounded': 'questions of operators take turns, and one that Redis does not answer in time is a 503',
} satisfies Part;

const AUDIT = {
  'audit.content': 'the audit log tells who was shown stored content, when and from where, and has nothing of it',
  'audit.acts':
    'the audit log tells of labels, appeals, tries, erasures, replays and configurations, with who asked for them',
  'audit.keys':
    'the audit log tells of keys that were added, changed or removed, or have expired, and no secret of them',
  'audit.own':
    'a key of scope audit sees the entries of its team, and configurations; operators see those of all teams',
  'audit.pages': 'GET /api/audit has every entry once, page by page, the newest first',
  'audit.first': 'what the audit log cannot be told of is not done, and content is not shown',
  'audit.kept': 'entries of an outage of ClickHouse wait, and are stored in whole',
} satisfies Part;

const LOGIN = {
  'login.flow': 'a person signs in by an authorization code with PKCE, state and nonce, in the browser that began it',
  'login.mapping':
    'the first entry of logins that names a group of the person says what they may do; without one it is a 403',
  'login.cookie': 'the cookie is HttpOnly, SameSite=Strict, and Secure over TLS; Redis has the hash of its token alone',
  'login.csrf': 'a POST or DELETE that comes with the cookie needs the CSRF token in a header, else 403',
  'login.routes': 'the cookie counts on no route that checks something, and nowhere beside a key',
  'login.ends':
    'a login ends by signing out, without use, when it is too old, and when no group of the person is named any more',
  'login.audit': 'the audit log tells of people who sign in, are refused or sign out, and names them in what they do',
} satisfies Part;

const STREAMS = {
  'stream.sequence':
    'sequence counts from 0; the newest one again with the same delta has the same answer, with another it is a 409, and so is a gap',
  'stream.safe': 'what stands before safe_until cannot become a part of a find of a detector of bounded reach',
  'stream.delayed': 'policies that look at sentences, or at the end, are named in delayed_policies',
  'stream.sticky': 'flagged is sticky',
  'stream.stored':
    'a stream is stored once: at its first flagged piece, at the last one, or when it expires with something handed on',
  'stream.limits': 'a stream holds 1 MiB, an API key has 1,000 streams and 64 MiB, then 429',
  'stream.team': 'a stream belongs to the team of its key',
} satisfies Part;

const EDGE = {
  'edge.held-bytes':
    'bodies that one key does not finish leave other teams what they need of the bytes that ingress holds',
  'edge.stalled': 'a body that stands still is ended, one that comes on is not',
  'edge.values': 'a body with too many values or levels is refused before it is parsed',
  'edge.parse-time': 'a body whose parsing takes too long is given up, and that one alone',
  'edge.parse-turns': 'teams take turns for the parsing of large bodies',
  'edge.strangers': 'too many requests without a valid key from one address are 429; a valid key from there is served',
  'edge.connections': 'one address has a bounded number of connections',
} satisfies Part;

export const DECISIONS: readonly Part[] = [
  GENERAL,
  ERRORS,
  VERSIONS,
  SESSIONS,
  ARTIFACTS,
  EVENT_DECISIONS,
  VIEWS,
  REGIONS,
  DEADLINE,
  CONFIGURATION,
  ADAPTERS,
  MASKS,
  LABELS,
  APPEALS,
  HISTORY,
  TRY,
  CONFIGURE,
  OPERATE,
  AUDIT,
  LOGIN,
  STREAMS,
  EDGE,
];
