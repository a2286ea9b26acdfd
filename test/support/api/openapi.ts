/** Whether an answer is one that the OpenAPI document promises. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { ENDPOINTS, type Endpoint, type EndpointName } from '#weir/shared/api/endpoints';
import { makeOpenapi, type OpenapiDocument, type OpenapiOperation } from '#weir/shared/api/openapi';

export const openapi: OpenapiDocument = makeOpenapi();

// The document is checked by a test of its own. To check it here, and to make the code of validators shorter, takes longer than they run.
const ajv = new Ajv2020({
  strict: false,
  allErrors: false,
  meta: false,
  validateSchema: false,
  inlineRefs: false,
  code: { optimize: false },
});
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addFormat('uri-reference', /^\/[!-~]*$/);
ajv.addSchema(openapi, 'weir');

const compiled = new Map<string, ValidateFunction>();

/** Validator of the schema at `path`, the keys that lead to it from the root of the document. */
export function validatorOf(...path: string[]): ValidateFunction {
  const pointer = path.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  let validate = compiled.get(pointer);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `weir#/${pointer}` });
    compiled.set(pointer, validate);
  }
  return validate;
}

export const verb = (endpoint: Endpoint): 'get' | 'post' | 'delete' =>
  endpoint.method.toLowerCase() as 'get' | 'post' | 'delete';

export function operationOf(name: EndpointName): OpenapiOperation {
  const endpoint: Endpoint = ENDPOINTS[name];
  return openapi.paths[endpoint.path]![verb(endpoint)]!;
}

interface Answered {
  status: number;
  /** undefined: it has none */
  header(name: string): string | undefined;
  /** parsed, if it is JSON; undefined when there is no body */
  json: unknown;
}

/** The endpoint that `method` and `path` (without query) lead to; of another method of the path, if need be. */
function endpointAt(method: string, path: string): Endpoint | undefined {
  const all: Endpoint[] = Object.values(ENDPOINTS);
  const fits = ({ path: template, below }: Endpoint): boolean => {
    const at = template.indexOf('{');
    if (at < 0) return template === path;
    if (!path.startsWith(template.slice(0, at))) return false;
    return below === true || (path.length > at && !path.slice(at).includes('/'));
  };
  const here = all.filter((endpoint) => endpoint.path === path);
  const found = here.length > 0 ? here : all.filter(fits);
  return found.find((endpoint) => endpoint.method === (method === 'HEAD' ? 'GET' : method)) ?? found[0];
}

/** Fails when `answer` has a status, header or body that the document does not have for `method` and `path`. */
export function assertDocumented(method: string, path: string, answer: Answered): void {
  const endpoint = endpointAt(method, path.split('?', 1)[0]!);
  if (endpoint === undefined) {
    assert.equal(answer.status, 404);
    assertValid(validatorOf('components', 'schemas', 'NotFound'), answer.json, path);
    return;
  }
  const where = `${method} ${endpoint.path} ${answer.status}`;
  const response = openapi.paths[endpoint.path]![verb(endpoint)]!.responses[answer.status];
  assert.ok(response, `${where} is not documented`);
  const headers = openapi.components.headers as Record<string, { required?: boolean }>;
  for (const name of Object.keys(headers)) {
    const value = answer.header(name);
    const documented = response.headers?.[name] !== undefined;
    if (documented && headers[name]!.required) assert.notEqual(value, undefined, `${where} lacks ${name}`);
    if (documented && value !== undefined) {
      const typed = /^\d+$/.test(value) ? Number(value) : value;
      assertValid(validatorOf('components', 'headers', name, 'schema'), typed, `${where}: ${name}`);
    }
    // Any known version is echoed, also where none is needed.
    if (name !== 'service-version' && !documented) assert.equal(value, undefined, `${where}: ${name}`);
  }
  if (answer.json === undefined || response.content?.['application/json'] === undefined) return;
  const keys = [endpoint.path, verb(endpoint), 'responses', String(answer.status), 'content', 'application/json'];
  assertValid(validatorOf('paths', ...keys, 'schema'), answer.json, where);
}

export function assertValid(validate: ValidateFunction, value: unknown, where: string): void {
  if (validate(value)) return;
  const [error] = validate.errors!;
  assert.fail(`${where}: ${error!.instancePath} ${error!.message} ${JSON.stringify(error!.params)}`);
}
