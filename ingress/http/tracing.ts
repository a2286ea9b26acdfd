/**
 * Spans of requests with a valid key: from their headers to the end of their answer. A request is traced where its caller records the trace that
 * it is a part of (`traceparent`), and a share of the others. The names are those of OpenTelemetry's conventions for HTTP servers.
 *
 * What callers can make this process record is bounded: so many requests a second, and of a team a quarter of them. Of a check above that
 * nothing is recorded behind this process either: its entry does not say that it is traced.
 */
import type { ResultRecord } from '../../shared/api/results/record.js';
import type { PolicyResult } from '../../shared/api/types.js';
import { itemId } from '../../shared/ids.js';
import { isSampled } from '../../shared/traces/context.js';
import { type OpenSpan, type Traces, unixMsOf } from '../../shared/traces/spans.js';
import type { Tracing } from './exchange.js';

/** What a process traces in a second. */
const MOST = 200;
const MOST_OF_TEAM = MOST / 4;
/** Findings of a request that its span tells. */
const MOST_FINDINGS = 32;

/** `share`: of the requests whose callers record no trace, 0 to 1. */
export function createTracing(traces: Traces, share: number): Tracing {
  let second = 0;
  let all = 0;
  const ofTeams = new Map<string, number>();

  function hasRoom(team: string, now: number): boolean {
    const current = Math.floor(now / 1000);
    if (current !== second) {
      second = current;
      all = 0;
      ofTeams.clear();
    }
    const own = ofTeams.get(team) ?? 0;
    if (all >= MOST || own >= MOST_OF_TEAM) return false;
    all++;
    ofTeams.set(team, own + 1);
    return true;
  }

  return {
    begin(exchange) {
      const { route, key, traceparent, received } = exchange;
      if (route.scope === null) return;
      if (!isSampled(traceparent) && Math.random() >= share) return;
      if (!hasRoom(key.team, received)) return;
      exchange.span = traces.begin({
        name: route.label,
        kind: 'server',
        parent: traceparent,
        start: unixMsOf(exchange.started),
        attributes: {
          'http.request.method': exchange.method,
          'http.route': route.path,
          'url.scheme': 'http',
          'weir.request_id': exchange.requestId,
          'weir.team': key.team,
        },
      });
      exchange.traceparent = exchange.span.traceparent;
    },
  };
}

/** `error`: what was answered, if that is one. */
export function endSpan(span: OpenSpan, status: number, error: { code: string } | undefined): void {
  span.attribute('http.response.status_code', status);
  if (error) span.attribute('weir.error', error.code);
  span.end(status >= 500 ? (error?.code ?? String(status)) : undefined);
}

/** Tells the violated policies of a finished check as events of its span, without anything of what was checked. */
export function tellFindings(span: OpenSpan, { id, scope, config, items, fragments }: ResultRecord): void {
  span.attribute('weir.check_id', id);
  span.attribute('weir.scope', scope);
  span.attribute('weir.configuration', config);
  span.attribute('weir.items', items.length);
  span.attribute('weir.flagged', items.filter(({ flagged }) => flagged === true).length);
  let told = 0;
  for (const { item, flagged, policies } of items) {
    if (flagged !== true) continue;
    const results = JSON.parse(fragments[policies] ?? '{}') as Record<string, PolicyResult>;
    for (const [policy, result] of Object.entries(results)) {
      if (!result.flagged) continue;
      if (told++ >= MOST_FINDINGS) return;
      span.event('gen_ai.security.finding', {
        'gen_ai.security.policy.id': policy,
        'gen_ai.security.policy.name': result.name,
        'weir.item_id': itemId(id, item),
      });
    }
  }
}
