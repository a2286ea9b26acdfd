/** Who may sign in to the console: groups of the identity provider, and what their people may do. */
import type { KeyScope } from './key-scopes.js';

export const LOGIN_ROLES = ['viewer', 'reviewer', 'editor', 'operator'] as const;
export type LoginRole = (typeof LOGIN_ROLES)[number];

/** What people of a role may do, as scopes of keys. Nobody checks anything: keys are for programs. */
export const SCOPES_OF_ROLE: Readonly<Record<LoginRole, readonly KeyScope[]>> = {
  viewer: ['read', 'risk'],
  reviewer: ['read', 'risk', 'content', 'review'],
  editor: ['read', 'risk', 'content', 'review', 'try', 'configure', 'audit'],
  operator: ['operate'],
};

export interface LoginConfiguration {
  /** as the identity provider names it */
  group: string;
  /** null: an operator, who spans teams */
  team: string | null;
  role: LoginRole;
  environments: string[];
  deployments: string[];
}
