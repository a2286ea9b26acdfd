/** What the caller says that its assistant took, in the unit of the caller. */
import type { Compute } from './kind.js';

export const latency: Compute = ({ metadata }) => {
  // Of a session, the metadata of its last message and of itself are kept side by side.
  for (const holder of [metadata, metadata.message, metadata.session]) {
    const value = memberOf(memberOf(holder, 'assistant'), 'latency');
    if (value === undefined || value === null) continue;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return { value };
    return { note: 'metadata.assistant.latency is no number of 0 or more' };
  }
  return { note: 'metadata.assistant.latency is absent' };
};

const memberOf = (holder: unknown, name: string): unknown =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
    ? (holder as Record<string, unknown>)[name]
    : undefined;
