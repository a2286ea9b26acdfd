import { fstatSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '../../../../shared/api/limits.js';
import { CHECKABLE_FIELDS, EVENT_TYPES, type EventType } from '../../../../shared/api/types.js';
import type { Configuration } from '../../../../shared/configuration/configuration.js';
import { livePolicies } from '../../../../shared/configuration/read/warnings.js';
import { packageRoot } from '../../../../shared/paths.js';
import { compilePlan } from '../../../../shared/policy/compile.js';
import { readString } from '../../../../shared/policy/content/content.js';
import { splicesOf } from '../../../../shared/policy/content/splices.js';
import { evaluateEvent, evaluateSession, evaluateText } from '../../../../shared/policy/evaluate.js';
import type { Plan } from '../../../../shared/policy/plan.js';
import type { Answers, Asks, Redaction, Verdict } from '../../../../shared/policy/types.js';
import { evidenceLine, exampleLines, policyIn } from '../../../../workers/evaluator/cases/evidence.js';
import { type Arguments, type Command, type CommandOutput, CommandUsageError, optionsOf } from '../../command.js';
import { readConfigurationFile } from '../../configuration/file.js';

/** The command takes texts, and artifacts are images. */
const TEXT_TYPES = EVENT_TYPES.filter((type) => type !== 'artifact');

/** Evaluates a text in this process, as the service would. */
export const check: Command = {
  usage: `weir check "TEXT" [options]
weir check - [options]

  -                    read the text from the standard input, unchanged

  --config FILE        configuration (default: deploy/local/weir.yaml)
  --team ID            team (default: the first one)
  --environment ID     check as an event of this environment: its conditions select the policies
  --deployment ID      check as the last message of a session of this deployment
                       without both, every text policy of the team is evaluated
  --type TYPE          event type (default: message): ${TEXT_TYPES.join(', ')}
  --field FIELD        checkable field of the event (default: the first one of its type)
  --role ROLE          user or assistant (default: user)
  --name NAME          name of the event, for conditions
  --metadata JSON      metadata of the event, for conditions
  --redact             also print the text with marks such as [CREDIT_CARD] in place of what pii, secrets and terms have found

Prints a line for each policy that was evaluated. Below each flagged policy it prints the evidence: the detector, the form
of the text that it looked at, offsets in UTF-16 units, the score and the least one that
counts where the detector has scores, and what was found. Policies in the shadow (mode: shadow) stand behind the others and do
not make the text flagged. Without --environment and --deployment, policies that no
deployment or active condition lists are shown as "not live": the service does not evaluate them. The exit code is 0 for
every verdict. Backends of the configuration, and models in the folder WEIR_MODELS, are asked where a policy stays open, with
keys of this environment; the standard error says why one has not answered.`,
  options: optionsOf({ texts: 'config team environment deployment type field role name metadata', flags: 'redact' }),
  async run(given, output) {
    const [argument, ...rest] = given.positionals;
    if (argument === undefined || rest.length > 0) {
      throw new CommandUsageError('expected one TEXT; put it in quotes, or give - to read it from the standard input');
    }
    const file = option(given, 'config') ?? join(packageRoot, 'deploy/local/weir.yaml');
    const read = readConfigurationFile(file, output);
    if (!read) return 1;
    const { configuration } = read;
    const team = option(given, 'team') ?? configuration.teams[0]?.id;
    if (team === undefined || !configuration.teams.some(({ id }) => id === team)) {
      throw new CommandUsageError(`the configuration has no team${team === undefined ? '' : ` "${team}"`}`);
    }
    const text = argument === '-' ? await standardInput() : argument;
    const plan = compilePlan(configuration, 0, { models: read.models() });
    const asked = { team, text, given };
    const first = evaluate(plan, configuration, asked);
    const verdict = first.asks
      ? evaluate(plan, configuration, { ...asked, answers: await answersTo(first.asks, team, output) })
      : first;
    print(verdict, text, configuration, output);
    if (verdict.redaction) printRedacted(text, verdict.redaction, output);
    return 0;
  },
};

async function standardInput(): Promise<string> {
  // Node reads a folder and a disk as if they had nothing.
  const input = fstatSync(0);
  if (input.isDirectory() || input.isBlockDevice())
    throw new CommandUsageError(
      `the standard input is ${input.isDirectory() ? 'a folder' : 'a disk'}, expected a text`,
    );
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LIMITS.bodyBytes)
      throw new CommandUsageError(`the standard input has more than ${LIMITS.bodyBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new CommandUsageError('the standard input is not UTF-8');
  }
}

/** What backends and models say, asked as a worker does. What asks them is loaded here, so that other checks do not pay for it. */
async function answersTo(asks: Asks, team: string, output: CommandOutput): Promise<Answers> {
  const { askingOfCommand } = await import('../../asking.js');
  const asking = askingOfCommand();
  const { answers, failures } = await asking.ask([{ item: 1, ...asks }], team);
  await asking.close();
  for (const failure of failures) output.err(failure);
  return answers.get(1)!;
}

interface CheckArguments {
  team: string;
  text: string;
  answers?: Answers;
  given: Arguments;
}

function option({ values }: Arguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

function evaluate(plan: Plan, configuration: Configuration, { team, text, given, answers }: CheckArguments): Verdict {
  const environment = option(given, 'environment');
  const deployment = option(given, 'deployment');
  const role = option(given, 'role') ?? 'user';
  if (environment !== undefined && deployment !== undefined) {
    throw new CommandUsageError('expected --environment or --deployment, not both');
  }
  const reading = { ...readString(text), answers, redact: given.values.redact === true };
  if (role !== 'user' && role !== 'assistant') throw new CommandUsageError('expected --role user or --role assistant');
  if (deployment !== undefined) {
    known('deployment', deployment, idsOf(configuration.deployments, team));
    return evaluateSession(plan, { team, deployment }, { direction: role === 'user' ? 'input' : 'output', ...reading });
  }
  if (environment === undefined) return evaluateText(plan, { team }, text, reading);
  known('environment', environment, idsOf(configuration.environments, team));
  const type = option(given, 'type') ?? 'message';
  known('type', type, TEXT_TYPES);
  const fields = CHECKABLE_FIELDS[type as EventType];
  const field = option(given, 'field') ?? fields[0]!;
  known('field', field, fields);
  const content = {
    type: type as EventType,
    field,
    role: type === 'message' ? role : '',
    name: option(given, 'name') ?? '',
    ...reading,
    metadata: metadataOf(option(given, 'metadata')),
  };
  return evaluateEvent(plan, { team, environment }, content);
}

function idsOf(list: readonly { id: string; team: string }[], team: string): string[] {
  return list.filter((each) => each.team === team).map(({ id }) => id);
}

function known(name: string, value: string, choices: readonly string[]): void {
  if (choices.includes(value)) return;
  throw new CommandUsageError(
    `--${name} "${value}" is not there; expected ${choices.join(', ') || 'none, as there is none'}`,
  );
}

function metadataOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandUsageError(`--metadata is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CommandUsageError('--metadata: expected a JSON object');
  }
  return value as Record<string, unknown>;
}

function print(verdict: Verdict, text: string, configuration: Configuration, output: CommandOutput): void {
  const names = new Map(configuration.policies.map(({ id, name }) => [id, name]));
  const live = livePolicies(configuration);
  const { shadow } = verdict;
  const say = ({ evaluated, violations }: Pick<Verdict, 'evaluated' | 'violations'>, where: string): void => {
    const flagged = new Map(violations.map((violation) => [violation.id, violation]));
    for (const id of evaluated) {
      const violation = flagged.get(id);
      const mark = `${violation ? `flagged (${violation.severity})` : 'clean'}${where}`;
      const told = live.has(id) ? mark : `${mark}, not live: no deployment or active condition lists it`;
      output.out(`  ${id}  ${names.get(id) ?? ''}: ${told}`);
      const policy = policyIn(configuration, id);
      for (const evidence of violation?.evidence ?? []) output.out(`    ${evidenceLine(evidence, policy, text)}`);
      for (const line of policy ? exampleLines(policy, text) : []) output.out(`    ${line}`);
    }
  };
  output.out(verdict.flagged ? 'flagged' : verdict.notEvaluated > 0 ? 'could not be evaluated' : 'clean');
  say(verdict, '');
  if (shadow) say(shadow, ', in the shadow');
  if (verdict.note !== '') output.out(`note: ${verdict.note}`);
  if (shadow && shadow.notEvaluated > 0) output.out(`could not be evaluated in the shadow: ${shadow.notEvaluated}`);
}

/** As an answer to `redact=true` has it. */
function printRedacted(text: string, { marks, why }: Redaction, output: CommandOutput): void {
  if (why !== '') {
    output.out(`not redacted: ${why}`);
    return;
  }
  const json = JSON.stringify(text);
  let [redacted, from] = ['', 0];
  for (const splice of splicesOf(json, [0], marks)) {
    redacted += json.slice(from, splice.start) + splice.text;
    from = splice.end;
  }
  output.out('redacted:');
  output.block(JSON.parse(redacted + json.slice(from)) as string);
}
