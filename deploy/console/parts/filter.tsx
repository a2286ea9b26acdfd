/** What lists and figures are asked for. It stands in the address. */
import type { VNode } from 'preact';
import { goTo, type ViewPlace } from '../address.js';
import type { Api, ApiQuery } from '../api.js';

const SPANS: Readonly<Record<string, [name: string, hours: number]>> = {
  '1h': ['last hour', 1],
  '24h': ['last 24 hours', 24],
  '7d': ['last 7 days', 7 * 24],
  '30d': ['last 30 days', 30 * 24],
  '90d': ['last 90 days', 90 * 24],
};
const USUAL = '24h';

/** The shortest span that has so many days, or the longest. */
export const spanOf = (days: number): string =>
  Object.keys(SPANS).find((span) => SPANS[span]![1] >= days * 24) ?? Object.keys(SPANS).at(-1)!;
const HOUR_MS = 3_600_000;

/** The parameters of the API for what the address says. `now`: Unix ms. */
export function askedOf({ query }: ViewPlace, now: number): ApiQuery {
  const { span = USUAL, scope = '', by: _, before: _before, ...rest } = query;
  // Ids may have a colon.
  const [kind, id] = [scope.slice(0, scope.indexOf(':')), scope.slice(scope.indexOf(':') + 1)];
  const where = kind === 'environment' ? { environment_id: id } : kind === 'deployment' ? { deployment_id: id } : {};
  if (rest.from) return { ...rest, ...where };
  const [, hours] = SPANS[span] ?? SPANS[USUAL]!;
  return { ...rest, ...where, from: new Date(now - hours * HOUR_MS).toISOString() };
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, name: string])[];
  onChange(value: string): void;
}

export const Choice = ({ label, value, options, onChange }: ChoiceProps): VNode => (
  <label>
    {label}
    <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([one, name]) => (
        <option key={one} value={one} selected={one === value}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

interface TimeChoiceProps {
  query: ViewPlace['query'];
  onChange(change: ApiQuery): void;
}

/** The time that is looked at. One that the address has as `from` and `to` stays until another is chosen. */
export function TimeChoice({ query, onChange }: TimeChoiceProps): VNode {
  const spans = Object.entries(SPANS).map(([value, [name]]) => [value, name] as const);
  return (
    <Choice
      label="Time"
      value={query.from ? 'own' : (query.span ?? USUAL)}
      options={query.from ? [...spans, ['own', `from ${query.from.slice(0, 16)}`]] : spans}
      onChange={(span) => onChange({ span, from: '', to: '' })}
    />
  );
}

/** A text of a filter, which is taken when its form is sent. */
export const TextField = ({ name, label, value }: { name: string; label: string; value: string }): VNode => (
  <label>
    {label}
    <input name={name} key={value} defaultValue={value} maxLength={256} autocomplete="off" spellcheck={false} />
  </label>
);

/** Texts are taken when the form is sent, so that not every letter is a question. */
const TEXTS = [
  ['user', 'User (id or e-mail)'],
  ['run_id', 'Run'],
  ['external_session_id', 'Session'],
] as const;

/** For who may see content. */
const FOUND = ['text', 'Text that was found'] as const;

interface FilterProps {
  api: Api;
  place: ViewPlace;
  /** it is of a list of items: verdicts, and what was found, choose among them */
  items?: boolean;
}

export function Filter({ api, place, items = false }: FilterProps): VNode {
  const { key } = api;
  const texts = items && (key.scopes as string[]).includes('content') ? [...TEXTS, FOUND] : TEXTS;
  const { query } = place;
  const set = (change: ApiQuery): void => goTo(place.view, { ...query, before: '', ...change });
  const scopes = [
    ['', 'everything granted'] as const,
    ...key.environments.map((id) => [`environment:${id}`, `environment ${id}`] as const),
    ...key.deployments.map((id) => [`deployment:${id}`, `deployment ${id}`] as const),
  ];
  const policies = key.policies.map(
    ({ policy_id: id, policy_name: name, mode }) => [id, mode === 'shadow' ? `${name} (shadow)` : name] as const,
  );
  return (
    <form
      class="filter"
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        set(Object.fromEntries(texts.map(([name]) => [name, String(data.get(name) ?? '').trim()])));
      }}
    >
      <TimeChoice query={query} onChange={set} />
      <Choice label="Where" value={query.scope ?? ''} options={scopes} onChange={(scope) => set({ scope })} />
      <Choice
        label="Policy"
        value={query.policy ?? ''}
        options={[['', 'any'], ...policies]}
        onChange={(policy) => set({ policy })}
      />
      <Choice
        label="Found in"
        value={query.source ?? ''}
        options={[
          ['', 'any'],
          ['text', 'text'],
          ['image', 'image'],
        ]}
        onChange={(source) => set({ source })}
      />
      {items && (
        <Choice
          label="Verdict"
          value={query.verdict ?? ''}
          options={[
            ['', 'any'],
            ['flagged', 'flagged'],
            ['clean', 'clean'],
            ['not_evaluated', 'not evaluated'],
          ]}
          onChange={(verdict) => set({ verdict })}
        />
      )}
      {texts.map(([name, label]) => (
        <TextField key={name} name={name} label={label} value={query[name] ?? ''} />
      ))}
      {query.condition && (
        <button type="button" onClick={() => set({ condition: '' })}>
          Condition {query.condition} ✕
        </button>
      )}
      <button type="submit">Apply</button>
    </form>
  );
}
