/** The events of a run, in their order, each below the event that caused it. */
import type { VNode } from 'preact';
import type { RunGraph, RunGraphNode } from '../../../shared/api/responses.js';
import { linkTo, type ViewPlace } from '../address.js';
import type { Api } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { itemLink, Time, Verdict } from '../parts/words.js';

export function Run({ api, place }: { api: Api; place: ViewPlace }): VNode {
  const { run = '', scope = '', cursor = '' } = place.query;
  const asked = useAsked(JSON.stringify(place.query), 0, () =>
    api.get<RunGraph>('/api/run/graph', { environment_id: scope, run_id: run, cursor, limit: '200' }),
  );
  return (
    <>
      <h1>Run {run}</h1>
      <Answer of={asked}>
        {(graph) => (
          <>
            <Tree graph={graph} scope={scope} />
            {graph.next_cursor && <a href={linkTo('run', { run, scope, cursor: graph.next_cursor })}>Later events</a>}
          </>
        )}
      </Answer>
    </>
  );
}

/** Deeper than this all are drawn alike, so that a long chain stays on the screen. */
const DEEPEST = 8;

function Tree({ graph: { nodes, edges }, scope }: { graph: RunGraph; scope: string }): VNode {
  const names = new Map(nodes.map((node) => [node.internal_event_id, node.event_id]));
  const parents = new Map(
    edges.flatMap(({ kind, source, target }) => (kind === 'parent' ? [[target, source] as const] : [])),
  );
  const depths = new Map<string, number>();
  const depthOf = (id: string): number => {
    // A cause comes before its effect, so it has a depth by now.
    const parent = parents.get(id);
    return parent === undefined ? 0 : Math.min(DEEPEST, (depths.get(parent) ?? 0) + 1);
  };
  for (const { internal_event_id: id } of nodes) depths.set(id, depthOf(id));
  const causesOf = (id: string): string[] =>
    edges.flatMap(({ source, target, kind, relation, resolved }) =>
      target === id ? [`${relation ?? kind} of ${names.get(source) ?? source}${resolved ? '' : ' (not known)'}`] : [],
    );
  return (
    <ol class="run">
      {nodes.map((node) => (
        <Node
          key={node.internal_event_id}
          node={node}
          scope={scope}
          depth={depths.get(node.internal_event_id)!}
          causes={causesOf(node.internal_event_id)}
        />
      ))}
    </ol>
  );
}

function Node({
  node,
  scope,
  depth,
  causes,
}: {
  node: RunGraphNode;
  scope: string;
  depth: number;
  causes: string[];
}): VNode {
  const { internal_event_id: id, type, role, event_id: own, status, flagged, created_at: at } = node;
  return (
    <li class={`depth-${depth}`}>
      <a href={itemLink({ internal_event_id: id, environment_id: scope })}>
        {[type, role].filter(Boolean).join(' · ')} {own}
      </a>{' '}
      <Verdict flagged={status === 'failed' && !flagged ? null : flagged} alone />{' '}
      <small>
        <Time at={at} />
        {causes.length > 0 && ` · ${causes.join(', ')}`}
      </small>
    </li>
  );
}
