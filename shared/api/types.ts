/** The wire: what callers send and receive (sections 2 and 4 of the interface). Only these types cross it. */
export type * from './appeals.js';
export type * from './dialects/litellm.js';
export type * from './dialects/moderations.js';
export type * from './dialects/perspective.js';
export type * from './dialects/presidio.js';
export type * from './error-body.js';
export * from './event-types.js';
export * from './offset-units.js';
export type * from './requests.js';
export type * from './responses.js';
