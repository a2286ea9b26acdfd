/** How the calls of gateways are read: each in three ways, of which the deployment chooses one. */
import { validateAnswer, validatePrompt } from '../dialects/agentgateway.js';
import { validateEnvoy } from '../dialects/envoy.js';
import { validateNemo } from '../dialects/nemo.js';
import { validatePortkey } from '../dialects/portkey.js';
import type { Checks } from '../guardrail/check.js';
import type { Validation } from '../issues.js';
import { DEFAULT_LIMITS, type TextLimits } from '../validate.js';
import type { GatewayReader } from './call.js';

const READERS = {
  agentgatewayPrompt: validatePrompt,
  agentgatewayAnswer: validateAnswer,
  portkey: validatePortkey,
  nemo: validateNemo,
  envoy: validateEnvoy,
  /** a body that need not be JSON */
  envoyText: validateEnvoy,
} satisfies Record<string, GatewayReader>;

export type GatewayCallName = keyof typeof READERS;
export type GatewayCallKind = `${GatewayCallName}:${Checks}`;

/** Whether a body that is no JSON is read as a text. */
export const readsText = (kind: string): boolean => kind.startsWith('envoyText:');

type GatewayValidator = (body: unknown, bytes?: number, json?: string, limits?: TextLimits) => Validation;

const CHECKS: readonly Checks[] = ['newest', 'newest-in-context', 'all'];

export const GATEWAY_VALIDATORS = Object.fromEntries(
  Object.entries(READERS).flatMap(([name, read]: [string, GatewayReader]) =>
    CHECKS.map((checks): [string, GatewayValidator] => [
      `${name}:${checks}`,
      (body, _bytes, json = JSON.stringify(body), limits = DEFAULT_LIMITS) => read(body, json, { ...limits, checks }),
    ]),
  ),
) as Record<GatewayCallKind, GatewayValidator>;
