/**
 * A call of an endpoint, made of the examples in the OpenAPI document (environment `prod`, deployment `chat`). Tests that go
 * through all endpoints use it, so that they take in a new endpoint without a line of their own.
 */
import { ENDPOINTS, type Endpoint, type EndpointName } from '#weir/shared/api/endpoints';
import { operationOf } from './openapi.ts';

const SCOPES = ['environment_id', 'deployment_id'];

export interface ExampleCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** with query */
  path: string;
  body?: unknown;
}

export function exampleCall(name: EndpointName): ExampleCall {
  const { method, path }: Endpoint = ENDPOINTS[name];
  const { parameters, requestBody } = operationOf(name);
  const own = parameters.flatMap((one) => ('in' in one && one.example !== undefined ? [one] : []));
  const query = new URLSearchParams(
    own.filter((one) => one.in === 'query').map((one): [string, string] => [one.name, `${one.example}`]),
  );
  const at = path.replace(/\{(\w+)\}/, (_, id) => `${own.find((one) => one.name === id)!.example}`);
  const bodies = Object.values(requestBody?.content['application/json'].examples ?? {}).map(({ value }) => value);
  // One that names its scope: not every key has a default one.
  const body = bodies.find((one) => Object.keys(one as object).some((field) => SCOPES.includes(field))) ?? bodies[0];
  return { method, path: query.size > 0 ? `${at}?${query}` : at, ...(body ? { body } : {}) };
}
