/**
 * Requests with small bodies that are under way, in turns by team. The queue of the workers is first come, first served: others wait behind
 * whatever a team has put there. So a team has no more under way than is worked off in a moment. What it sends beyond that waits here,
 * unread, and goes on as earlier ones are answered:
 *
 *     request ──its team has room──> under way ──answered, or after an eighth to a quarter of a second──> not counted
 *        └── its team has none ──> waits ──the turn of its team──> as above
 *
 * What takes longer is not counted any more: it waits for something that is not computed here, such as a backend or an image, or for a
 * service that is overloaded, which admission finds out (`overload.ts`).
 */
import { createLines } from '../../shared/lines.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { LARGE_BODY } from '../parse/body-parser.js';

/** What is under way in all, in bytes of bodies: 250 requests of 100 bytes, or 80 of 17 KB. */
const MOST = 2 * 1024 * 1024;
/** A team that is alone may have all of it. With others, it may begin another request only while more is free than so many times what it has. */
const SPARE = 3;
/** Counted for a request beside its bytes: what a request costs whatever is in it. */
const REQUEST_BYTES = 8192;
const TICK_MS = 125;
/** A team is there for so many ticks after its last request. */
const ACTIVE_TICKS = 16;

/** A request that is counted. */
export interface RequestTurn {
  team: string;
  bytes: number;
  /** number of the tick at which it began */
  tick: number;
}

/** The part of a request that matters here. */
interface TurnTaker {
  key: { team: string };
  /** set while it is counted */
  place: RequestTurn | undefined;
}

export interface RequestTurns {
  /** Calls `begin` now, or when it is the turn of its team; it must not throw. `bytes`: of the body. Large ones have turns of their own. */
  enter(taker: TurnTaker, bytes: number, begin: () => void): void;
  /** It is answered. */
  leave(taker: TurnTaker): void;
  close(): void;
}

interface WaitingRequest {
  taker: TurnTaker;
  bytes: number;
  begin(): void;
}

export function createTurns(registry: Registry): RequestTurns {
  const lines = createLines<WaitingRequest>();
  /** bytes by team: of those that began since the last tick, and of those that began before */
  let recent = new Map<string, number>();
  let earlier = new Map<string, number>();
  /** teams, by the tick of their last request */
  const active = new Map<string, number>();
  let total = 0;
  let tick = 0;
  let starting = false;
  metersOf(registry).gauge('weir_http_waiting', 'Requests that wait for the turn of their team', () => lines.size());

  function hasRoom(team: string): boolean {
    if (active.size === 1) return total < MOST;
    return SPARE * ((recent.get(team) ?? 0) + (earlier.get(team) ?? 0)) < MOST - total;
  }

  function start({ taker, bytes, begin }: WaitingRequest): void {
    const { team } = taker.key;
    taker.place = { team, bytes, tick };
    total += bytes;
    recent.set(team, (recent.get(team) ?? 0) + bytes);
    begin();
  }

  /** What is answered at once makes room for the next one: that is started here, and not within the one before. */
  function startWaiting(): void {
    if (starting) return;
    starting = true;
    for (let next = lines.next(hasRoom); next; next = lines.next(hasRoom)) start(next);
    starting = false;
  }

  const timer = setInterval(() => {
    for (const bytes of earlier.values()) total -= bytes;
    earlier = recent;
    recent = new Map();
    tick++;
    for (const [team, last] of active)
      if (last < tick - ACTIVE_TICKS && lines.of(team).length === 0) active.delete(team);
    startWaiting();
  }, TICK_MS);
  timer.unref();

  return {
    enter(taker, size, begin) {
      if (size > LARGE_BODY) return begin();
      const { team } = taker.key;
      active.set(team, tick);
      const one: WaitingRequest = { taker, bytes: size + REQUEST_BYTES, begin };
      if (lines.of(team).length === 0 && hasRoom(team)) start(one);
      else lines.push(team, one);
    },
    leave(taker) {
      const { place } = taker;
      if (!place) return;
      taker.place = undefined;
      const held = place.tick === tick ? recent : place.tick === tick - 1 ? earlier : undefined;
      if (!held) return;
      const left = held.get(place.team)! - place.bytes;
      if (left === 0) held.delete(place.team);
      else held.set(place.team, left);
      total -= place.bytes;
      if (lines.size() > 0) startWaiting();
    },
    close: () => clearInterval(timer),
  };
}
