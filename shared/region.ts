/**
 * Regions: installations that serve the same callers from several places, each with stores of its own. Nothing is read across. An
 * installation may have a number, which its ids carry, and a name, which its answers, rows and metrics have.
 */

/** Highest number of a region (4 bits of an id). */
export const MAX_REGION = 15;

export interface Region {
  /** 1 to {@link MAX_REGION}; 0: the installation has none */
  number: number;
  /** '' where it has none */
  name: string;
}

export const NO_REGION: Region = { number: 0, name: '' };

const NAME = '[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?';

export const REGION_NAME = {
  max: 32,
  pattern: new RegExp(`^${NAME}$`),
  expected: 'a name of lower-case letters, digits and "-", 32 at most, such as eu-west',
};

/** A region as a setting and as Redis has it: number and name, or nothing. */
export const REGION_SHAPE = {
  pattern: new RegExp(`^(?:(?:[1-9]|1[0-5]):${NAME})?$`),
  expected: `a number from 1 to ${MAX_REGION} and a name of lower-case letters, digits and "-", such as 1:eu`,
};

/** Reads `1:eu`. Anything else is no region. */
export function regionFrom(text: string): Region {
  if (text === '' || !REGION_SHAPE.pattern.test(text)) return NO_REGION;
  const colon = text.indexOf(':');
  return { number: Number(text.slice(0, colon)), name: text.slice(colon + 1) };
}

export const regionText = ({ number, name }: Region): string => (number === 0 ? '' : `${number}:${name}`);

let own = NO_REGION;

/** That of the installation that this process works for. */
export const ownRegion = (): Region => own;

export function useRegion(region: Region): void {
  own = region;
}
