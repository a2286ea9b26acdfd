/**
 * What each table and column of history means. `weir migrate` stores it as comments, so that SQL tools show it, and
 * docs/history/dictionary.md is made of it. A column that several tables have in the same sense stands in `SHARED` once.
 */

export interface TableWords {
  /** whether people read it; the others serve look-ups */
  people: boolean;
  about: string;
  /** columns whose meaning is not that of `SHARED` */
  columns?: Readonly<Record<string, string>>;
}

const SHARED: Readonly<Record<string, string>> = {
  ts: 'time in the id of the item (UTC)',
  team: 'team of the API key',
  scope: 'environment of an event, deployment of a session or an image',
  kind: 'how it was sent: event, events (a batch), session or artifact (an image)',
  id: 'internal id of the item',
  request_id: 'internal id of its request',
  version: '1, and more when a dead letter was replayed: the highest counts',
  sequence: 'order of results: the highest is the latest',
  config: 'version of the configuration that judged it: number in configurations',
  key: 'id of the API key',
  received: 'when the request arrived (UTC)',
  completed: 'when its verdict was stored (UTC)',
  type: 'type of the event; message for a session, artifact for an image',
  field: 'field that was checked, such as content or arguments',
  role: 'who wrote it: user, assistant, system or tool; or empty',
  name: 'name of the tool, or empty',
  call_id: 'id of the call of the tool, or empty',
  format: 'format of the content, as the caller named it, or empty',
  event_id: 'event, by the id of the caller',
  run_id: 'run of an event, by the id of the caller, or empty',
  external_session_id: 'session, by the id of the caller, or empty',
  external_artifact_id: 'image, by the id of the caller, or empty',
  user_id: 'user that the metadata name, by the id of the caller, or empty',
  user_email: 'user that the metadata name, by e-mail address in small letters, or empty',
  status: 'completed or failed: it has a verdict on everything, or not',
  flagged: 'verdict; null when it could not be evaluated',
  not_evaluated: 'policies that could not be evaluated',
  note: 'what was not as it should be, such as why a policy could not be evaluated; or empty',
  error: 'error that the caller was answered with (JSON), or empty',
  policies: 'policies that were evaluated, as returned (JSON, by id)',
  explained: 'severities and evidence, as explain=true adds them (JSON), or empty',
  evaluated: 'ids of the policies that were evaluated',
  'violation.id': 'violated policies: ids',
  'violation.name': 'violated policies: names',
  'violation.severity': 'violated policies: low, medium or high',
  'violation.sources': 'violated policies: by text, image or both',
  'violation.detectors': 'violated policies: detectors that fired',
  'evidence.policy': 'finds: id of the policy',
  'evidence.detector': 'finds: detector, such as pii:CREDIT_CARD',
  'evidence.view': 'finds: form of the text that it was found in, such as raw',
  'evidence.source': 'finds: text or image',
  'evidence.start': 'finds: offset of the first UTF-16 unit',
  'evidence.end': 'finds: offset behind the last UTF-16 unit',
  'link.kind': 'declared causes: parent or link',
  'link.relation': 'declared causes: relation, as the caller named it',
  'link.run_id': 'declared causes: run',
  'link.event_id': 'declared causes: event, by the id of the caller',
  'link.internal_id': 'declared causes: internal id of the event; zeros: none',
  policy_id: 'id of the policy',
  policy_name: 'its name when the item was checked',
  severity: 'low, medium or high, when the item was checked',
  sources: 'what it was violated by: text, image or both',
  hour: 'begin of the hour (UTC)',
  metric_id: 'id of the metric in the configuration',
  metric_name: 'its name when the item was checked',
  label: 'what the value is of, such as a language; or empty',
  number: 'version of the configuration: config in results',
  applied: 'when it was applied (UTC)',
};

const RESULTS = 'Every checked item once, with its newest verdict';

export const DICTIONARY: Readonly<Record<string, TableWords>> = {
  results: { people: true, about: RESULTS },
  violations: {
    people: true,
    about: 'A row for each item and live policy that it violates',
    columns: { conditions: 'active conditions of the environment that selected the policy: id and name of each' },
  },
  matches: {
    people: true,
    about: 'A row for each find of a detector, by the policy that it is evidence of',
    columns: {
      detector: 'what fired, such as pii:CREDIT_CARD, terms or regex:0',
      view: 'form of the text that it was found in; raw is as sent',
      source: 'text or image',
      in_json: 'whether it is in JSON: offsets are those in the string at path then',
      path: 'JSON Pointer of the string in JSON, or empty',
      start: 'offset of the first UTF-16 unit',
      end: 'offset behind the last UTF-16 unit',
      score: 'how sure the detector is, 0 to 1; 1 where it has no scores',
    },
  },
  policy_hourly: {
    people: true,
    about: 'What each live policy did, by hour and version of the configuration',
    columns: { items: 'items that it was evaluated on', flagged: 'items that violate it' },
  },
  user_activity: {
    people: true,
    about: 'What the users of sessions did, by day',
    columns: {
      day: 'day (UTC)',
      checks: 'session checks',
      flagged: 'session checks that are flagged',
      failed: 'session checks without a verdict on everything',
      violations: 'policies that they violate, summed up',
      high: 'those of high severity',
      latest: 'time of the latest session check (UTC)',
    },
  },
  contents: {
    people: true,
    about: 'What was checked, to be joined by id (read with FINAL)',
    columns: { content: 'as sent; JSON in compact form', metadata: 'metadata (JSON), or empty' },
  },
  images: {
    people: true,
    about: 'What was measured of each image, also of one that failed (read with FINAL)',
    columns: {
      kind: 'jpeg, png, webp or gif; empty when it was not recognised',
      width: 'pixels, as it is shown; 0 when unknown',
      height: 'pixels, as it is shown; 0 when unknown',
      bytes: 'as received; 0 when unknown',
      hash: 'PDQ hash in 64 hexadecimal digits, or empty',
      quality: 'quality of the hash, 0 to 100',
      fetch_ms: 'milliseconds that fetching took',
      decode_ms: 'milliseconds that decoding took',
      session_id: 'internal id of the session check that it is linked to; zeros: none',
    },
  },
  metrics: {
    people: true,
    about: 'Metrics of items, a row for each (read with FINAL)',
    columns: {
      kind: 'kind of the metric, such as tokens',
      value: 'the figure; NaN where there is none',
      note: 'why there is no value, or empty',
    },
  },
  metrics_hourly: {
    people: true,
    about: 'Metrics of items by hour',
    columns: {
      kind: 'kind of the metric, such as tokens',
      items: 'items with a value',
      without_value: 'items without a value',
      value_sum: 'sum of the values',
      value_min: 'lowest value',
      value_max: 'highest value',
      value_avg: 'mean of the values; NaN where there is none',
      quantiles: 'state: quantilesTDigestMerge(0.5, 0.9, 0.99)(quantiles) gives them over any hours',
    },
  },
  shadow_violations: {
    people: true,
    about: 'A row for each item and policy in the shadow that it would violate',
    columns: {
      detectors: 'detectors that fired',
      live_flagged: 'what the item was answered: flagged',
      live_policies: 'ids of the live policies that it violates',
    },
  },
  shadow_checks: {
    people: true,
    about: 'Items that policies in the shadow are for (read with FINAL)',
    columns: {
      flagged: 'what the item was answered; null when it could not be evaluated',
      live: 'ids of the live policies that it violates',
      evaluated: 'ids of the policies in the shadow that were evaluated',
      not_evaluated: 'policies in the shadow that could not be',
    },
  },
  configurations: {
    people: true,
    about: 'Versions of the configuration that were applied (read with FINAL)',
    columns: {
      id: 'number, hash of its content and installation',
      user: 'who applied it',
      host: 'from which machine',
      message: 'why, as weir apply --message says',
      configuration: 'all of it but the keys, with defaults (JSON)',
    },
  },
  configuration_policies: {
    people: true,
    about: 'The policies of each version of the configuration',
    columns: {
      configuration_id: 'id in configurations',
      policy_id: 'id of the policy',
      team: 'team that it belongs to',
      name: 'its name',
      severity: 'low, medium or high',
      detect: 'what it detects (JSON)',
    },
  },
  items: { people: false, about: `${RESULTS} after merges: read the view results` },
  names: {
    people: false,
    about: 'Where the ids of callers lead, of sessions and images',
    columns: {
      kind: 'what the name is of',
      name: 'id of the caller, or an internal id of a session',
    },
  },
  run_events: { people: false, about: 'The events of runs, in the order of the run graph' },
  user_checks: {
    people: false,
    about: 'Session checks of users, for their risk',
    columns: {
      kind: 'whether user is an id or an e-mail address',
      user: 'user, by that',
      violations: 'ids of the policies that flagged it',
    },
  },
  schema_migrations: {
    people: false,
    about: 'Migrations that were applied',
    columns: {
      version: 'number of the migration',
      name: 'its file, without .sql',
      checksum: 'SHA-256 of the file',
      applied: 'when (UTC)',
    },
  },
};

/** Engines of what stores nothing. Their columns are those of the tables behind them. */
const PASSED_THROUGH: Readonly<Record<string, string>> = {
  Null: 'Takes inserts and stores nothing: its views write the rows of other tables',
  MaterializedView: 'Writes what is inserted into one table as rows of another',
};

/** The words of a table; those of one that a shard stores are the same. */
function wordsOf(table: string): TableWords | undefined {
  const name = table.replace(/_local$/, '');
  return Object.hasOwn(DICTIONARY, name) ? DICTIONARY[name] : undefined;
}

/** What a table is, or undefined when nobody has said. */
export const aboutTable = (table: string, engine: string): string | undefined =>
  PASSED_THROUGH[engine] ?? wordsOf(table)?.about;

/** What a column is. Undefined when nobody has said, and in tables that store nothing. */
export function aboutColumn(table: string, engine: string, column: string): string | undefined {
  const words = wordsOf(table);
  if (PASSED_THROUGH[engine] !== undefined || words === undefined) return undefined;
  const own = words.columns ?? {};
  return Object.hasOwn(own, column) ? own[column] : Object.hasOwn(SHARED, column) ? SHARED[column] : undefined;
}
