/**
 * JSON Schemas of everything that crosses the wire. typia makes them from the types that also validate, so the document
 * cannot say anything else. Descriptions are the comments of these types; `forms.ts` says what their tags add.
 */
import { json } from 'typia';
import type { Appeal, AppealRequest, ItemAppeals, OpenAppeals } from '../appeals.js';
import type { AuditPage } from '../audit.js';
import type { ConfigurationVersions, ConfiguredPolicies, VersionChanges } from '../configuration.js';
import type { PromptGuardRequest, PromptGuardResponse, PromptGuardVerdict } from '../dialects/agentgateway.js';
import type { EnvoyBody, EnvoyVerdict } from '../dialects/envoy.js';
import type { GuardrailRequest, GuardrailResponse } from '../dialects/litellm.js';
import type { ModerationsRequest, ModerationsResponse } from '../dialects/moderations.js';
import type { NemoCheckRequest, NemoCheckResponse, NemoErrorBody } from '../dialects/nemo.js';
import type { PerspectiveErrorBody, PerspectiveRequest, PerspectiveResponse } from '../dialects/perspective.js';
import type { PortkeyRequest, PortkeyVerdict } from '../dialects/portkey.js';
import type {
  PresidioAnalyzeRequest,
  PresidioAnonymized,
  PresidioAnonymizeRequest,
  PresidioErrorBody,
  PresidioFinding,
} from '../dialects/presidio.js';
import type { ErrorBody } from '../error-body.js';
import type { Conversation, HistoryFigures, HistoryPage, KeyInfo, RiskyUsers } from '../history.js';
import type { LoginState } from '../login.js';
import type { DeadLetterPage, OperationStatus, RefusedPage, ReplayRequest, ReplayResult } from '../operation.js';
import type {
  ArtifactRequest,
  EventRequest,
  EventsRequest,
  LabelRequest,
  ProtectRequest,
  RestoreRequest,
  SessionRequest,
  StreamRequest,
} from '../requests.js';
import type {
  ArtifactResult,
  ErasureReceipt,
  EventResult,
  EventsResponse,
  LabelQueue,
  LabelResult,
  Probe,
  ProtectItem,
  ProtectList,
  RestoreResult,
  RunGraph,
  SessionEnvelope,
  SessionResult,
  StreamResult,
  UserRisk,
} from '../responses.js';
import type {
  BacktestPage,
  BacktestRequest,
  PolicyTestRequest,
  PolicyTestResult,
  TryRequest,
  TryResult,
} from '../try.js';
import { formOf, PREFIX, proseOf, type Schema, type Tagged } from './forms.js';

const REQUESTS = json.schemas<
  [
    ArtifactRequest,
    EventRequest,
    EventsRequest,
    SessionRequest,
    ProtectRequest,
    GuardrailRequest,
    ModerationsRequest,
    PerspectiveRequest,
    PresidioAnalyzeRequest,
    PresidioAnonymizeRequest,
    PromptGuardRequest,
    PromptGuardResponse,
    PortkeyRequest,
    EnvoyBody,
    NemoCheckRequest,
    TryRequest,
    BacktestRequest,
    PolicyTestRequest,
    StreamRequest,
    RestoreRequest,
    LabelRequest,
    AppealRequest,
    ReplayRequest,
  ],
  '3.1'
>().components.schemas as Record<string, Tagged>;

const RESPONSES = json.schemas<
  [
    ArtifactResult,
    EventResult,
    EventsResponse,
    SessionResult,
    SessionEnvelope,
    RunGraph,
    ProtectItem,
    ProtectList,
    UserRisk,
    KeyInfo,
    HistoryPage,
    Conversation,
    AuditPage,
    LoginState,
    HistoryFigures,
    RiskyUsers,
    TryResult,
    BacktestPage,
    PolicyTestResult,
    ConfigurationVersions,
    VersionChanges,
    ConfiguredPolicies,
    ErasureReceipt,
    GuardrailResponse,
    ModerationsResponse,
    PerspectiveResponse,
    PerspectiveErrorBody,
    PresidioFinding,
    PresidioAnonymized,
    PresidioErrorBody,
    PromptGuardVerdict,
    PortkeyVerdict,
    EnvoyVerdict,
    NemoCheckResponse,
    NemoErrorBody,
    StreamResult,
    RestoreResult,
    LabelResult,
    LabelQueue,
    Appeal,
    ItemAppeals,
    OpenAppeals,
    OperationStatus,
    DeadLetterPage,
    RefusedPage,
    ReplayResult,
    Probe,
    ErrorBody,
  ],
  '3.1'
>().components.schemas as Record<string, Tagged>;

/** Every schema of the document, by name. All fields of a response are known, so its schema takes no others. */
export function makeSchemas(): Record<string, Schema> {
  return { ...inWords(REQUESTS, false), ...inWords(RESPONSES, true) };
}

/** Whether a type has a schema of its own. Unions and maps are written where they are used. */
const isNamed = (name: string, { type }: Schema): boolean => type === 'object' && !name.startsWith('Record');

/** The schemas of `made` as people would write them: `null` as a type among others, constants as an enum. */
function inWords(made: Record<string, Tagged>, closed: boolean): Record<string, Schema> {
  const named = Object.entries(made).filter(([name, schema]) => isNamed(name, schema));
  return Object.fromEntries(named.map(([name, schema]) => [name, described(schema)]));

  function described(tagged: Tagged): Schema {
    const { description } = tagged;
    const { limits, schema = simplify(tagged), about } = formOf(tagged);
    const prose = [description === undefined ? [] : proseOf(description), about ?? []].flat().join(' ');
    return { ...schema, ...limits, ...(prose === '' ? {} : { description: prose }) };
  }

  function simplify(schema: Schema): Schema {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.slice(PREFIX.length);
      const target = made[name]!;
      return isNamed(name, target) ? { $ref: schema.$ref } : simplify(target);
    }
    if (schema.oneOf) return union(schema.oneOf);
    if (schema.type === 'object') return objectOf(schema);
    const { items } = schema;
    return { ...plain(schema), ...(items ? { items: simplify(items) } : {}) };
  }

  function objectOf({ properties = {}, required = [], additionalProperties: rest }: Schema): Schema {
    const fields = Object.entries(properties).map(([name, field]) => [name, described(field)]);
    return {
      type: 'object',
      ...(fields.length > 0 ? { properties: Object.fromEntries(fields) } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(rest === undefined
        ? closed
          ? { additionalProperties: false }
          : {}
        : { additionalProperties: others(rest) }),
    };
  }

  function others(rest: boolean | Schema): boolean | Schema {
    // A map of anything is written as `true`, which generators of clients read as such.
    return typeof rest === 'boolean' || Object.keys(rest).length === 0 ? true : simplify(rest);
  }

  function union(members: Schema[]): Schema {
    const nullable = members.some((member) => member.type === 'null');
    const rest = members.filter((member) => member.type !== 'null');
    if (rest.every((member) => typeof member.const === 'string')) {
      // typia's order is that of the compiler's table of types, which changes with unrelated sources.
      const values = rest.map((member) => member.const as string).sort();
      return nullable ? { type: ['string', 'null'], enum: [...values, null] } : { type: 'string', enum: values };
    }
    const simple = rest.map(simplify);
    const [only] = simple;
    if (simple.length === 1 && !nullable) return only!;
    if (simple.length === 1 && typeof only!.type === 'string') return { ...only, type: [only!.type, 'null'] };
    return { oneOf: nullable ? [...simple, { type: 'null' }] : simple };
  }
}

/** `schema` without what its comment says. */
function plain(schema: Tagged): Schema {
  const own = Object.entries(schema).filter(([name]) => name !== 'description' && !name.startsWith('x-'));
  return Object.fromEntries(own);
}
