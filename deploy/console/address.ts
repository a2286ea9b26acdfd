/** What is shown stands in the address, behind `#`: a view and what it is asked. So a view can be kept, sent and gone back to; the key is not in it. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiQuery, addressOf } from './api.js';

export interface ViewPlace {
  view: string;
  query: Readonly<Record<string, string>>;
}

export function placeIn(hash: string): ViewPlace {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { view: path, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** An address of a view. */
export const linkTo = (view: string, query: ApiQuery = {}): string => addressOf(`#/${view}`, query);

/** Shows a view in place of the current one, without a step of its own to go back to where it is the same view. */
export function goTo(view: string, query: ApiQuery = {}): void {
  const target = linkTo(view, query);
  if (placeIn(location.hash).view === view) {
    history.replaceState(null, '', target);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else location.hash = target;
}

export function usePlace(): ViewPlace {
  const [place, setPlace] = useState(() => placeIn(location.hash));
  useEffect(() => {
    const read = (): void => setPlace(placeIn(location.hash));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return place;
}
