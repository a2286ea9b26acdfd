/** Ids of other regions: nothing of those is here, and an id says which one to ask (decisions, "Regions"). */
import { ApiError } from '../../shared/api/errors.js';
import { internalOf, partsOf, regionOf } from '../../shared/ids.js';
import { ownRegion } from '../../shared/region.js';
import type { Edge } from './exchange.js';

/**
 * Throws 404 where an id was drawn in another region that the configuration names. `id`: an internal one, or one of an event or run, which may be
 * the caller's own. It follows from the id alone, so it tells nobody what is stored anywhere.
 */
export function requireOwnRegion(edge: Pick<Edge, 'directory'>, param: string, id: string): void {
  const own = ownRegion();
  if (own.number === 0) return;
  const internal = internalOf(id) ?? id;
  if (!partsOf(internal)) return;
  const region = edge.directory().regions.get(regionOf(internal));
  if (region === undefined || region === own.name) return;
  throw new ApiError(
    'wrong_region',
    `This ${param} is of the region "${region}", and this is "${own.name}". Ask there.`,
    {
      param,
      region,
    },
  );
}
