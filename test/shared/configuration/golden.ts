// Mistakes in configurations, each with what its author is told.
import { id } from '../policy/support.ts';

export const SHA = 'ab'.repeat(32);

/** A configuration with one policy whose fields after `name` are `rest`. */
const policy = (rest: string): string =>
  `version: 1\nteams: [{id: t}]\npolicies:\n- id: ${id(1)}\n  team: t\n  name: P\n${rest.replace(/^/gm, '  ')}\n`;
export const detect = (rest: string): string => policy(`detect: ${rest}`);

const backend = (rest: string): string => `version: 1\nteams: [{id: t}]\nbackends:\n- {id: guard, team: t, ${rest}}\n`;
const asking = (rest: string): string => {
  const of = (name: string, team: string): string => `{id: ${name}, team: ${team}, url: "http://h/v1", model: m}`;
  return `version: 1\nteams: [{id: t}, {id: u}]\nbackends: [${of('guard', 't')}, ${of('other', 'u')}]\npolicies:\n- {id: ${id(1)}, team: t, name: P, detect: {${rest}}}\n`;
};

/** Each line is what somebody sees who made this mistake. */
export const GOLDEN: [name: string, text: string, problems: string[]][] = [
  [
    'an empty file',
    '',
    [
      'f.yaml:1:1: expected an object with version, teams, keys, policies, metrics, deployments, environments, risk, retention, packs, backends, notify, logins, regions, found nothing',
    ],
  ],
  ['no version', 'teams: []', ['f.yaml:1:1: version: is required: expected version: 1']],
  ['another version', 'version: 2', ['f.yaml:1:10: version: expected version: 1, the only one there is']],
  [
    'a misspelt key',
    'version: 1\npolicys: []',
    ['f.yaml:2:1: policys: unknown key "policys"; did you mean "policies"?'],
  ],
  ['a list that is none', 'version: 1\nteams: {id: t}', ['f.yaml:2:8: teams: expected a list, found an object']],
  [
    'tags that are no paths in metadata',
    'version: 1\nteams:\n- {id: t, tags: [user..tier, 7]}\n- id: u\n  tags: tenant',
    [
      'f.yaml:3:18: teams[0].tags[0]: expected a path in metadata such as tenant or user.tier: names of letters, digits, "_" and "-" joined by ".", 128 characters at most',
      'f.yaml:3:30: teams[0].tags[1]: expected a path in metadata such as tenant or user.tier: names of letters, digits, "_" and "-" joined by ".", 128 characters at most, found a number; put it in quotes',
      'f.yaml:5:9: teams[1].tags: expected a list, found a string',
    ],
  ],
  [
    'more tags than a team may have',
    `version: 1\nteams:\n- {id: t, tags: [${Array.from({ length: 17 }, (_, i) => `t${i}`).join()}]}`,
    ['f.yaml:3:17: teams[0].tags: expected at most 16 items, found 17'],
  ],
  [
    'a number for an id',
    'version: 1\nteams: [{id: 7}]',
    [
      'f.yaml:2:14: teams[0].id: expected an id of 1 to 128 letters, digits, ".", "_", ":" or "-", found a number; put it in quotes',
    ],
  ],
  ['a team twice', 'version: 1\nteams: [{id: t}, {id: t}]', ['f.yaml:2:23: teams[1].id: team id "t" is used twice']],
  [
    'a team that is not there',
    `version: 1\nteams: [{id: acme}]\ndeployments: [{id: d, team: amce, name: D}]`,
    ['f.yaml:3:29: deployments[0].team: there is no team "amce"; did you mean "acme"?'],
  ],
  [
    'a policy id that is no UUID',
    'version: 1\nteams: [{id: t}]\npolicies: [{id: x, team: t, name: P, detect: {secrets: {}}}]',
    ['f.yaml:3:17: policies[0].id: expected a UUID, such as 6f1c0f0e-52a1-4c3e-9d3b-0b6a3c1f7a10'],
  ],
  [
    'no detect',
    policy('severity: high'),
    [
      'f.yaml:4:3: policies[0].detect: is required: expected an object with exactly one of any, all, not, escalate, terms, regex, pii, secrets, commands, addresses, invisible_text, injection, classifier, image_hash, image_properties, image_text, onnx, llm',
    ],
  ],
  [
    'an unknown severity',
    policy('severity: hihg\ndetect: {secrets: {}}'),
    ['f.yaml:7:13: policies[0].severity: expected one of low, medium, high; did you mean "high"?'],
  ],
  [
    'an unknown direction',
    policy('direction: in\ndetect: {secrets: {}}'),
    ['f.yaml:7:14: policies[0].direction: expected one of input, output, any'],
  ],
  [
    'an unknown mode',
    policy('mode: shadowed\ndetect: {secrets: {}}'),
    ['f.yaml:7:9: policies[0].mode: expected one of live, shadow; did you mean "shadow"?'],
  ],
  [
    'no sources',
    policy('sources: []\ndetect: {secrets: {}}'),
    ['f.yaml:7:12: policies[0].sources: expected text, image or both'],
  ],
  [
    'an unknown event type',
    policy('events: [massage]\ndetect: {secrets: {}}'),
    [
      'f.yaml:7:12: policies[0].events[0]: expected an event type (message, artifact, tool, function, agent, reasoning) or type.field such as tool.output; did you mean "message"?',
    ],
  ],
  [
    'an unknown field of an event',
    policy('events: [tool.content]\ndetect: {secrets: {}}'),
    ['f.yaml:7:12: policies[0].events[0]: expected tool or tool.arguments, tool.output, tool.definition'],
  ],
  [
    'two detectors in one',
    detect('{secrets: {}, pii: {}}'),
    [
      'f.yaml:7:11: policies[0].detect: expected an object with exactly one of any, all, not, escalate, terms, regex, pii, secrets, commands, addresses, invisible_text, injection, classifier, image_hash, image_properties, image_text, onnx, llm, found secrets, pii',
    ],
  ],
  [
    'an unknown detector',
    detect('{term: {list: [x]}}'),
    ['f.yaml:7:12: policies[0].detect.term: unknown detector "term"; did you mean "terms"?'],
  ],
  [
    'an image detector without its list',
    detect('{image_hash: {}}'),
    [
      'f.yaml:7:24: policies[0].detect.image_hash.list: is required: expected a name of a-z, 0-9, ".", "_" and "-", 64 at most',
    ],
  ],
  [
    'a path as the name of a list',
    detect('{image_hash: {list: ../known, max_distance: 32}}'),
    [
      'f.yaml:7:31: policies[0].detect.image_hash.list: expected a name of a-z, 0-9, ".", "_" and "-", 64 at most',
      'f.yaml:7:55: policies[0].detect.image_hash.max_distance: expected a whole number from 0 to 31',
    ],
  ],
  [
    'properties that ask for nothing',
    detect('{image_properties: {}}'),
    [
      'f.yaml:7:30: policies[0].detect.image_properties: expected at least one of kinds, min_width, max_width, min_height, max_height, min_bytes, max_bytes, animated, has_gps',
    ],
  ],
  [
    'an image detector in the text of an image',
    detect('{image_text: {detect: {any: [{onnx: {model: m, label: l}}]}}}'),
    ['f.yaml:7:33: policies[0].detect.image_text.detect: expected text detectors only, found onnx'],
  ],
  [
    'context in the text of an image',
    detect('{image_text: {detect: {terms: {list: [x], context: 1}}}}'),
    ['f.yaml:7:33: policies[0].detect.image_text.detect: expected no context: a text in an image has no earlier texts'],
  ],
  [
    'no branches',
    detect('{any: []}'),
    ['f.yaml:7:17: policies[0].detect.any: expected a list of at least one expression under any'],
  ],
  [
    'terms from a file where none can be read',
    detect('{terms: {file: x.txt}}'),
    [
      'f.yaml:7:26: policies[0].detect.terms.file: a file is read by weir apply and weir check-config, beside the configuration; elsewhere give a list',
    ],
  ],
  [
    'terms that are no object',
    detect('{terms: 5}'),
    [
      'f.yaml:7:19: policies[0].detect.terms: expected an object with list, file, bundle, match, views, severity, allow, context, found a number',
    ],
  ],
  [
    'an invisible term',
    detect('{terms: {list: ["\\u200b"]}}'),
    ['f.yaml:7:27: policies[0].detect.terms.list[0]: expected a word or phrase with at least one visible character'],
  ],
  [
    'an empty list of terms',
    detect('{terms: {list: []}}'),
    [
      'f.yaml:7:26: policies[0].detect.terms.list: is required: expected a list of at least one word or phrase, a file or a bundle',
    ],
  ],
  [
    'an unknown view',
    detect('{terms: {list: [x], views: [leet]}}'),
    [
      'f.yaml:7:39: policies[0].detect.terms.views[0]: expected one of raw, nfkc, folded, leetspeak, masked, squashed, decoded',
    ],
  ],
  [
    'an unknown bundle',
    detect('{terms: {bundle: slur}}'),
    [
      'f.yaml:7:28: policies[0].detect.terms.bundle: expected one of profanity, slurs, sexual, violence, self_harm, drugs, insults, weapons; did you mean "slurs"?',
    ],
  ],
  [
    'a bundle in views that it is not looked for in',
    detect('{terms: {bundle: [slurs], views: [raw]}}'),
    [
      'f.yaml:7:44: policies[0].detect.terms.views: a bundle is looked for in folded, leetspeak, masked, squashed, decoded; expected at least one of them',
    ],
  ],
  [
    'a pattern that does not parse',
    detect("{regex: {patterns: ['(']}}"),
    [
      'f.yaml:7:31: policies[0].detect.regex.patterns[0]: expected a pattern in RE2 syntax: error parsing regexp: missing closing ): `(`',
    ],
  ],
  [
    'a look-ahead',
    detect("{regex: {patterns: ['a(?=b)']}}"),
    [
      'f.yaml:7:31: policies[0].detect.regex.patterns[0]: expected a pattern in RE2 syntax: error parsing regexp: invalid or unsupported Perl syntax: `(?=`; look-around, back-references and possessive repetitions are not in RE2',
    ],
  ],
  [
    'a pattern that matches nothing at all',
    detect("{regex: {patterns: ['a*']}}"),
    [
      'f.yaml:7:31: policies[0].detect.regex.patterns[0]: the pattern matches the empty text, so it would flag everything',
    ],
  ],
  [
    'an unknown flag',
    detect('{regex: {patterns: [x], flags: g}}'),
    [
      'f.yaml:7:42: policies[0].detect.regex.flags: expected flags among i (any case), m (^ and $ at lines), s (dot matches line breaks), each at most once',
    ],
  ],
  [
    'an unknown entity',
    detect('{pii: {entities: [CREDITCARD]}}'),
    [
      'f.yaml:7:29: policies[0].detect.pii.entities[0]: expected an entity such as CREDIT_CARD, a group such as US or financial, or all; did you mean "CREDIT_CARD"?',
    ],
  ],
  [
    'a threshold out of range',
    detect('{pii: {entities: [US_SSN], threshold: 2}}'),
    ['f.yaml:7:49: policies[0].detect.pii.threshold: expected a number from 0 to 1'],
  ],
  [
    'no entities',
    detect('{pii: {threshold: 0.5}}'),
    [
      'f.yaml:7:17: policies[0].detect.pii.entities: is required: expected all, or a list of entities and groups, such as [CREDIT_CARD, US, financial]',
    ],
  ],
  [
    'a threshold of an entity out of range',
    detect('{pii: {entities: [US], thresholds: {US_SSN: 2}}}'),
    ['f.yaml:7:55: policies[0].detect.pii.thresholds.US_SSN: expected a number from 0 to 1'],
  ],
  [
    'a threshold of an unknown entity',
    detect('{pii: {entities: [US], thresholds: {US_SNS: 0.3}}}'),
    [
      'f.yaml:7:47: policies[0].detect.pii.thresholds.US_SNS: expected an entity such as CREDIT_CARD, a group such as US or financial, or all; did you mean "US_SSN"?',
    ],
  ],
  [
    'a threshold of an entity that is not asked for',
    detect('{pii: {entities: [UK], thresholds: {US_SSN: 0.3}}}'),
    ['f.yaml:7:47: policies[0].detect.pii.thresholds.US_SSN: "US_SSN" has nothing that entities asks for'],
  ],
  [
    'thresholds that are a number',
    detect('{pii: {entities: [US], thresholds: 0.3}}'),
    [
      'f.yaml:7:46: policies[0].detect.pii.thresholds: expected an object with a score for each entity or group, such as {US_SSN: 0.3, financial: 0.8}',
    ],
  ],
  [
    'an unknown rule',
    detect('{secrets: {rules: [github]}}'),
    ['f.yaml:7:30: policies[0].detect.secrets.rules[0]: expected one of'],
  ],
  [
    'a context out of range',
    detect('{secrets: {context: 51}}'),
    ['f.yaml:7:31: policies[0].detect.secrets.context: expected a whole number from 0 to 50'],
  ],
  [
    'a condition that does not parse',
    'version: 1\nteams: [{id: t}]\nenvironments: [{id: e, team: t, conditions: [{id: c, name: C, when: "1 +"}]}]',
    [
      'f.yaml:3:69: environments[0].conditions[0].when: expected a CEL expression over metadata and event: Unexpected token: EOF',
    ],
  ],
  [
    'a condition over something else',
    'version: 1\nteams: [{id: t}]\nenvironments: [{id: e, team: t, conditions: [{id: c, name: C, when: "user.id"}]}]',
    [
      'f.yaml:3:69: environments[0].conditions[0].when: expected a CEL expression over metadata and event: Unknown variable: user',
    ],
  ],
  [
    'a condition without quotes',
    'version: 1\nteams: [{id: t}]\nenvironments: [{id: e, team: t, conditions: [{id: c, name: C, when: true}]}]',
    [
      'f.yaml:3:69: environments[0].conditions[0].when: expected a CEL expression in quotes, such as "true", found a boolean; put it in quotes',
    ],
  ],
  [
    'a digest of the wrong length',
    'version: 1\nteams: [{id: t}]\nkeys: [{id: k, team: t, sha256: abc}]',
    [
      'f.yaml:3:33: keys[0].sha256: expected the SHA-256 of the key as 64 hexadecimal digits (weir keys create prints it)',
    ],
  ],
  [
    'an expiry that is no time',
    `version: 1\nteams: [{id: t}]\nkeys: [{id: k, team: t, sha256: "${SHA}", expires_at: tomorrow}]`,
    ['f.yaml:3:113: keys[0].expires_at: expected a time such as 2027-01-31T00:00:00Z, or null for no expiry'],
  ],
  [
    'a rate of nothing',
    `version: 1\nteams: [{id: t}]\nkeys: [{id: k, team: t, sha256: "${SHA}", rate: {requests_per_minute: 0}}]`,
    ['f.yaml:3:129: keys[0].rate.requests_per_minute: expected a whole number from 1 to 100000000'],
  ],
  [
    'addresses that are none, or not the first ones of their block',
    `version: 1\nteams: [{id: t}]\nkeys: [{id: k, team: t, sha256: "${SHA}", without_key_from: [10.2.0.1/16, "::ffff:a02:0/112", everybody]}]`,
    [
      'f.yaml:3:120: keys[0].without_key_from[0]: expected an address such as 192.0.2.7, or a block of them by its first one, such as 10.2.0.0/16 or 2001:db8::/32',
      'f.yaml:3:133: keys[0].without_key_from[1]: expected an address such as 192.0.2.7, or a block of them by its first one, such as 10.2.0.0/16 or 2001:db8::/32',
      'f.yaml:3:153: keys[0].without_key_from[2]: expected an address such as 192.0.2.7, or a block of them by its first one, such as 10.2.0.0/16 or 2001:db8::/32',
    ],
  ],
  [
    'addresses of two keys',
    `version: 1\nteams: [{id: t}]\nkeys:\n- {id: k, team: t, sha256: "${SHA}", without_key_from: [10.2.0.0/16, 10.2.3.4]}\n- {id: l, team: t, sha256: "${SHA.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}", without_key_from: [10.3.0.0/16, 10.2.3.4]}`,
    [
      'f.yaml:5:128: keys[1].without_key_from[1]: these addresses are among those of the key "k": a request cannot be of both',
    ],
  ],
  [
    'regions without a number from 1 to 15, without a name, and two of one name',
    `version: 1\nteams: [{id: t}]\nregions: {0: eu, 16: us, 1: EU West, 2: eu, 3: eu}`,
    [
      'f.yaml:3:11: regions.0: unknown key "0"; did you mean "1"?',
      'f.yaml:3:18: regions.16: unknown key "16"; did you mean "1"?',
      'f.yaml:3:29: regions.1: expected a name of lower-case letters, digits and "-", 32 at most, such as eu-west',
      'f.yaml:3:48: regions.3: two regions are named "eu"',
    ],
  ],
  [
    'a key of a region that is not there',
    `version: 1\nteams: [{id: t}]\nregions: {1: eu}\nkeys: [{id: k, team: t, sha256: "${SHA}", regions: [eu, ue]}]`,
    ['f.yaml:4:115: keys[0].regions[1]: expected a region that stands in regions; did you mean "eu"?'],
  ],
  [
    'a default deployment that the key has not',
    `version: 1\nteams: [{id: t}]\nkeys: [{id: k, team: t, sha256: "${SHA}", default_deployment: d}]`,
    ["f.yaml:3:121: keys[0].default_deployment: expected one of the key's own deployments"],
  ],
  [
    'a deployment that is not there',
    `version: 1\nteams: [{id: t}]\nkeys: [{id: k, team: t, sha256: "${SHA}", deployments: [d]}]`,
    ['f.yaml:3:115: keys[0].deployments[0]: team "t" has no deployment "d"'],
  ],
  [
    'thresholds of risk the wrong way round',
    'version: 1\nrisk: {elevated: 5, severe: 3}',
    ['f.yaml:2:29: risk.severe: expected at least elevated (5)'],
  ],
  [
    'an unknown kind of metric',
    `version: 1\nteams: [{id: t}]\nmetrics: [{id: "${id(1)}", team: t, name: M, kind: token}]`,
    [
      'f.yaml:3:80: metrics[0].kind: expected one of characters, words, tokens, language, reading_time, refusal, sentiment, classifier, latency, image_size, expression; did you mean "tokens"?',
    ],
  ],
  [
    'fields of metrics that another kind has, or that are missing',
    `version: 1\nteams: [{id: t}]\nmetrics:\n- {id: "${id(1)}", team: t, name: M, kind: words, value: "1", label: hate}\n- {id: "${id(2)}", team: t, name: M, kind: expression}\n- {id: "${id(3)}", team: t, name: M, kind: classifier, label: rude}`,
    [
      'f.yaml:4:86: metrics[0].value: only metrics of kind expression have a value; this one is of kind words',
      'f.yaml:4:98: metrics[0].label: only metrics of kind classifier have a label; this one is of kind words',
      'f.yaml:5:3: metrics[1].value: is required: expected a CEL expression in quotes, such as "metadata.assistant.cost"',
      'f.yaml:6:91: metrics[2].label: expected one of toxicity, hate, sexism, sexual, violence, self_harm',
    ],
  ],
  [
    'expressions of metrics that are no CEL, or that give neither a number nor a string',
    `version: 1\nteams: [{id: t}]\nmetrics:\n- {id: "${id(1)}", team: t, name: M, kind: expression, value: "metadata."}\n- {id: "${id(2)}", team: t, name: M, kind: expression, value: "metadata.a == 1"}\n- {id: "${id(3)}", team: t, name: M, kind: expression, value: "body.a"}`,
    [
      'f.yaml:4:91: metrics[0].value: expected a CEL expression over metadata and event: Expected IDENTIFIER, got EOF',
      'f.yaml:5:91: metrics[1].value: expected a CEL expression over metadata and event: it gives a bool, expected a number or a string',
      'f.yaml:6:91: metrics[2].value: expected a CEL expression over metadata and event: Unknown variable: body',
    ],
  ],
  [
    'an address of a backend with a password',
    backend('url: "http://u:p@host/v1", model: m'),
    [
      'f.yaml:4:29: backends[0].url: expected an address such as http://127.0.0.1:8000/v1, without user, password, query or fragment',
    ],
  ],
  [
    'an address of a backend that is no HTTP',
    backend('url: "ftp://host/v1", model: m'),
    [
      'f.yaml:4:29: backends[0].url: expected an address such as http://127.0.0.1:8000/v1, without user, password, query or fragment',
    ],
  ],
  [
    'a key of a backend from two places, and one of Weir itself',
    backend('url: "http://host/v1", model: m, api_key_env: WEIR_REDIS_URL, api_key_file: key'),
    [
      'f.yaml:4:70: backends[0].api_key_env: expected the name of an environment variable of A-Z, 0-9 and "_" that does not begin with WEIR_',
      'f.yaml:4:100: backends[0].api_key_file: expected api_key_env or api_key_file, not both',
      'f.yaml:4:100: backends[0].api_key_file: expected the full path of a file on every worker',
    ],
  ],
  [
    'limits of a backend',
    backend('url: "http://host/v1", model: m, timeout_ms: 5, concurrency: 0, cache_seconds: 1.5'),
    [
      'f.yaml:4:69: backends[0].timeout_ms: expected a whole number from 10 to 60000',
      'f.yaml:4:85: backends[0].concurrency: expected a whole number from 1 to 256',
      'f.yaml:4:103: backends[0].cache_seconds: expected a whole number from 0 to 86400',
    ],
  ],
  [
    'a budget of a backend without a limit, and one with wrong ones',
    `${backend('url: "http://host/v1", model: m, budget: {}')}- {id: b, team: t, url: "http://host/v1", model: m, budget: {requests_per_minute: 0, tokens_per_day: 1.5, tokens: 1}}`,
    [
      'f.yaml:4:65: backends[0].budget: expected requests_per_minute, tokens_per_day or both',
      'f.yaml:5:83: backends[1].budget.requests_per_minute: expected a whole number from 1 to 100000000',
      'f.yaml:5:102: backends[1].budget.tokens_per_day: expected a whole number from 1 to 1000000000000',
      'f.yaml:5:107: backends[1].budget.tokens: unknown key "tokens"',
    ],
  ],
  [
    'a webhook without what it needs',
    `version: 1\nteams: [{id: t}]\nnotify:\n- {id: a, team: t, url: "ftp://h/", policies: [], secret_env: WEIR_A}\n- {id: a, team: u, url: "http://u:p@h/", on: [failed], secret_env: A}`,
    [
      'f.yaml:4:3: notify[0].on: is required: expected [flagged], [appeal] or both',
      'f.yaml:4:25: notify[0].url: expected an address such as https://example.com/weir, http or https, without user, password or fragment',
      'f.yaml:4:47: notify[0].policies: expected at least one policy; leave it out to tell of all policies of the team',
      'f.yaml:4:63: notify[0].secret_env: expected the name of an environment variable of A-Z, 0-9 and "_" that does not begin with WEIR_',
      'f.yaml:5:25: notify[1].url: expected an address such as https://example.com/weir, http or https, without user, password or fragment',
      'f.yaml:5:47: notify[1].on[0]: expected one of flagged, appeal',
    ],
  ],
  [
    'webhooks with the same id, of no team, of a policy of others, and too many',
    `version: 1\nteams: [{id: t}, {id: u}]\npolicies: [{id: ${id(1)}, team: u, name: P, detect: {terms: {list: [a]}}}]\nnotify:\n- &a {id: a, team: t, url: "http://h/", on: [flagged], secret_env: A, policies: [${id(1)}, ${id(2)}]}\n- {id: a, team: t, url: "http://h/", on: [flagged], secret_env: A}\n- {id: a, team: v, url: "http://h/", on: [flagged], secret_env: A}\n${Array.from({ length: 17 }, (_, i) => `- {id: "${i}", team: u, url: "http://h/", on: [flagged], secret_env: A}`).join('\n')}`,
    [
      `f.yaml:5:82: notify[0].policies[0]: policy ${id(1)} belongs to another team than "t"`,
      `f.yaml:5:120: notify[0].policies[1]: there is no policy ${id(2)}; did you mean "${id(1)}"?`,
      'f.yaml:6:8: notify[1].id: webhook id "a" is used twice',
      'f.yaml:7:17: notify[2].team: there is no team "v"; did you mean "t"?',
      'f.yaml:24:3: notify[19]: expected at most 16 webhooks of a team',
    ],
  ],
  [
    'a backend that is not there',
    asking('llm: {backend: gard, flagged_content: a, allowed_content: b}'),
    ['f.yaml:5:72: policies[0].detect: team "t" has no backend "gard"; did you mean "guard"?'],
  ],
  [
    'a backend of another team',
    asking('llm: {backend: other, flagged_content: a, allowed_content: b}'),
    ['f.yaml:5:72: policies[0].detect: team "t" has no backend "other"'],
  ],
  [
    'an llm that does not say what it flags',
    asking('llm: {backend: guard, allowed_content: b, examples: [{content: c}], threshold: 2}'),
    [
      'f.yaml:5:78: policies[0].detect.llm.flagged_content: is required: expected a text of 1 to 8000 characters',
      'f.yaml:5:126: policies[0].detect.llm.examples[0].flagged: is required: expected true or false',
      'f.yaml:5:152: policies[0].detect.llm.threshold: expected a number from 0 to 1',
    ],
  ],
  [
    'an llm for the text of an image',
    asking('image_text: {detect: {llm: {backend: guard, flagged_content: a, allowed_content: b}}}'),
    [
      'f.yaml:5:94: policies[0].detect.image_text.detect: expected detectors other than llm: it is not asked about the text of an image',
    ],
  ],
  [
    'a model for the text of an image, and one of neither',
    detect(
      '{any: [{image_text: {detect: {onnx: {model: m, source: text, label: l}}}}, {onnx: {model: m, source: sound, label: l}}]}',
    ),
    [
      'f.yaml:7:40: policies[0].detect.any[0].image_text.detect: expected detectors other than onnx: it is not asked about the text of an image',
      'f.yaml:7:112: policies[0].detect.any[1].onnx.source: expected one of image, text',
    ],
  ],
  [
    'a cascade the wrong way round, from a detector without scores',
    detect('{escalate: {from: {terms: {list: [x]}}, below: 0.3, above: 0.9, to: {onnx: {model: m, label: l}}}}'),
    [
      'f.yaml:7:29: policies[0].detect.escalate.from: expected a detector of texts that gives scores: pii, secrets, injection, classifier',
      'f.yaml:7:70: policies[0].detect.escalate.above: expected less than below',
      'f.yaml:7:79: policies[0].detect.escalate.to: expected a detector of texts: onnx needs source: text',
    ],
  ],
  [
    'a cascade with a threshold, and without a lower one',
    detect('{escalate: {from: {injection: {threshold: 0.5}}, below: 2, to: {secrets: {}}}}'),
    [
      'f.yaml:7:22: policies[0].detect.escalate.above: is required: expected a number from 0 to 1',
      'f.yaml:7:29: policies[0].detect.escalate.from: expected no threshold: below and above stand in its place',
      'f.yaml:7:67: policies[0].detect.escalate.below: expected a number from 0 to 1',
    ],
  ],
  [
    'a key twice in one object',
    'version: 1\nversion: 1',
    ['f.yaml:2:1: the key version stands twice in one object, first in line 1: keep one of them'],
  ],
];
