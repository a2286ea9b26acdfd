/** What is counted of images. No label names a host, an address or anything that a caller can choose. */
import type { Slots } from '../../shared/slots.js';
import { type CounterBy, metersOf, type Registry } from '../../shared/telemetry.js';
import type { DecodeEvent, DecoderPool } from './decode/pool.js';
import { FAILURE_REASONS, type FailureReason } from './failure.js';
import type { FetchEvent, Fetcher } from './fetch/fetch.js';

export interface Watched {
  fetcher: Fetcher;
  decoder: DecoderPool;
  room: Slots;
  places: Slots;
}

export function createMediaMetrics(registry: Registry) {
  const { counter, counterBy, histogram } = metersOf(registry);
  const outcomes = <G extends string>(name: string, help: string, good: G[]): CounterBy<'outcome', G | FailureReason> =>
    counterBy('outcome', [...good, ...FAILURE_REASONS], name, help);
  const images = outcomes('weir_images_total', 'Images: looked at, or why they were not', ['looked_at']);
  const fetches = outcomes('weir_image_fetches_total', 'Fetches of images: how they ended, or why not', [
    'fetched',
    'unchanged',
  ]);
  const fetchSeconds = histogram('weir_image_fetch_seconds', 'Time of a fetch, with the wait for room');
  const fetchedBytes = counter('weir_image_fetched_bytes_total', 'Bytes of images that were fetched');
  const decodes = outcomes('weir_image_decodes_total', 'Decodes: how they ended', ['decoded']);
  const decodeSeconds = histogram('weir_image_decode_seconds', 'Time of a decode, with the wait for a process');
  const unread = counter('weir_images_unread_total', 'Images that got no slot to be read or scored in time');
  const waitSeconds = histogram('weir_image_decode_wait_seconds', 'How long images waited for a decoding process');

  return {
    image(outcome: 'looked_at' | FailureReason): void {
      images.inc({ outcome });
    },
    unread(): void {
      unread.inc();
    },
    fetch({ outcome, ms, bytes }: FetchEvent): void {
      fetches.inc({ outcome });
      fetchSeconds.observe(ms / 1000);
      fetchedBytes.inc(bytes);
    },
    decode({ outcome, ms, waitedMs }: DecodeEvent): void {
      decodes.inc({ outcome });
      decodeSeconds.observe(ms / 1000);
      waitSeconds.observe(waitedMs / 1000);
    },
    /** Gauges of what is under way and what waits. */
    watch: (watched: Watched): void => addGauges(registry, watched),
  };
}

function addGauges(registry: Registry, { fetcher, decoder, room, places }: Watched): void {
  const { gauge } = metersOf(registry);
  gauge('weir_image_fetches_under_way', 'Fetches now', () => fetcher.counts().taken);
  const waiting = () => fetcher.counts().waiting + room.counts().waiting;
  gauge('weir_image_fetches_waiting', 'Images that wait to be fetched', waiting);
  gauge(
    'weir_image_cache_bytes',
    'Bytes of fetched images that are kept for further questions about them',
    () => fetcher.counts().cachedBytes,
  );
  gauge('weir_image_places_waiting', 'Images that wait for a slot to be read or scored', () => places.counts().waiting);
  gauge('weir_image_decodes_under_way', 'Images in decoding processes', () => decoder.counts().busy);
  gauge('weir_image_decodes_waiting', 'Images that wait for a decoding process', () => decoder.counts().waiting);
  gauge('weir_image_decoders', 'Decoding processes', () => decoder.counts().workers);
}
