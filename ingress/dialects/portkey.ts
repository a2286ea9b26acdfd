/**
 * The webhook guardrail of Portkey's gateway (decisions, Adapters). Portkey lets a call pass where its webhook answers anything but a verdict.
 * So whatever is wrong is answered as a refusal (`DIALECTS` in `names.ts`).
 */
import type { PortkeyTransformed, PortkeyVerdict } from '../../shared/api/dialects/portkey.js';
import type { RouteHandlers } from '../http/exchange.js';
import { gatewayHandler } from './gateway.js';

const told = (verdict: PortkeyVerdict): object => verdict;

export const portkeyRoutes = {
  checkPortkey: gatewayHandler('portkey', {
    clean: () => told({ verdict: true, data: {} }),
    refused: (reason, policies) => told({ verdict: false, data: { reason, policies: [...policies] } }),
    marked: (json, side) => {
      const transformedData: PortkeyTransformed = { [side]: { json } };
      return told({ verdict: true, data: { reason: 'Texts were redacted.' }, transformedData });
    },
  }),
} satisfies RouteHandlers;
