/** The connections of a load. Each is a slot for one request at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadConnection, openConnection } from './connection.js';
import type { Request, Requests } from './requests.js';
import type { OfferedLoad } from './types.js';

export interface LoadSlot {
  readonly connection: LoadConnection;
  readonly request: Request;
  /** when its request was due, and when it was sent */
  due: number;
  sentAt: number;
  /** in the list of free slots */
  free: boolean;
}

export interface SlotEvents {
  /** the slot has no request under way */
  ready(slot: LoadSlot): void;
  answered(slot: LoadSlot, status: number, bytes: number, body: Buffer | undefined): void;
  /** its request will not be answered; `ready` follows */
  lost(slot: LoadSlot, reason: string): void;
}

export interface LoadSlots {
  /** A free slot whose connection stands. It stays with the caller until `release`. */
  take(): LoadSlot | undefined;
  release(slot: LoadSlot): void;
  /** Gives up requests that were sent before `time`. */
  expire(time: number): void;
  /** Resolves when every connection stands; rejects when none does in time. */
  connected(): Promise<void>;
  /** Gives up what is under way and closes all connections. */
  close(): void;
}

export function openSlots(load: OfferedLoad, requests: Requests, events: SlotEvents): LoadSlots {
  const free: LoadSlot[] = [];
  const slots = Array.from({ length: load.connections }, () => openSlot(load, requests.allocate(), events));
  return {
    take: () => {
      for (let slot = free.pop(); slot !== undefined; slot = free.pop()) {
        slot.free = false;
        // The server may have closed an idle connection. The slot comes back by `ready`.
        if (slot.connection.idle()) return slot;
      }
      return undefined;
    },
    release: (slot) => {
      slot.free = true;
      free.push(slot);
    },
    expire: (time) => {
      for (const slot of slots) if (!slot.free && slot.sentAt < time) slot.connection.abandon('time-out');
    },
    async connected() {
      const until = performance.now() + (load.connectMs ?? 5000);
      while (free.length < slots.length && performance.now() < until) await sleep(5);
      if (free.length > 0) return;
      for (const slot of slots) slot.connection.close();
      throw new Error(`Nothing accepts connections at ${load.host}:${load.port}. Is the service running there?`);
    },
    close: () => {
      for (const slot of slots) {
        if (!slot.free) slot.connection.abandon('time-out');
        slot.connection.close();
      }
    },
  };
}

function openSlot(load: OfferedLoad, request: Request, events: SlotEvents): LoadSlot {
  const slot: LoadSlot = {
    request,
    due: 0,
    sentAt: 0,
    free: false,
    connection: openConnection(load, {
      ready: () => events.ready(slot),
      answer: (status, bytes, body) => events.answered(slot, status, bytes, body),
      lost: (reason) => events.lost(slot, reason),
    }),
  };
  return slot;
}
