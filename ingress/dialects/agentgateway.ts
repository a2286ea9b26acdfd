/**
 * The webhooks of agentgateway's prompt guards (decisions, Adapters). An answer that it cannot read refuses the call, unless its `failureMode`
 * says otherwise. An action with neither a body nor a status lets the call pass.
 */
import type { PromptGuardAction, PromptGuardMasked } from '../../shared/api/dialects/agentgateway.js';
import type { RouteHandlers } from '../http/exchange.js';
import { type GatewayAnswers, gatewayHandler } from './gateway.js';

const answering = (name: keyof PromptGuardMasked): GatewayAnswers => {
  const act = (action: PromptGuardAction): object => ({ action });
  return {
    clean: () => act({}),
    refused: (reason) => act({ body: reason, status_code: 403, reason }),
    marked: (sent) => act({ body: { [name]: sent }, reason: 'Texts were redacted.' }),
  };
};

export const agentgatewayRoutes = {
  checkPrompt: gatewayHandler('agentgatewayPrompt', answering('messages')),
  checkCompletion: gatewayHandler('agentgatewayAnswer', answering('choices')),
} satisfies RouteHandlers;
