/** The kinds of event and of check, and severities. */

/** Which route a request came by. It decides how the body is read and how the answer looks. */
export const CHECK_KINDS = ['events', 'event', 'session', 'artifact'] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

export const EVENT_TYPES = ['message', 'artifact', 'tool', 'function', 'agent', 'reasoning'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Checkable fields by event type (2.7). */
export const CHECKABLE_FIELDS: Readonly<Record<EventType, readonly string[]>> = {
  message: ['content'],
  artifact: ['content'],
  tool: ['arguments', 'output', 'definition'],
  function: ['arguments', 'output', 'definition'],
  agent: ['input', 'instructions', 'output', 'state'],
  reasoning: ['content'],
};

/** Of a policy, and of its violations. */
export const SEVERITIES = ['low', 'medium', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];
