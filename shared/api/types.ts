/** The wire: what callers send and receive (sections 2 and 4 of the interface). Only these types cross it. */
export * from './responses.js';
