import type { BundleWords } from './words.js';

/** Suicide, self-harm, and calls for it. */
export const selfHarm: BundleWords = {
  high: {
    whole:
      'kill yourself, killing yourself, go kill yourself, kill urself, kill ur self, kys, hang yourself, go hang yourself, ' +
      'slit your wrists, slash your wrists, drink bleach, end yourself, off yourself, neck yourself, jump off a bridge, jump off a cliff, ' +
      'do everyone a favor and die, do everyone a favour and die, do us a favor and die, ' +
      'kill myself, killing myself, killed myself, kms, hang myself, hanging myself, shoot myself, drown myself, ' +
      'cut myself, cutting myself, cut my wrists, slit my wrists, slitting my wrists, slash my wrists, harm myself, ' +
      'burn myself, starve myself, end my life, ending my life, end it all, ending it all, take my own life, taking my own life, ' +
      'want to die, wanna die, wish i was dead, wish i were dead, better off dead, better off without me, wish i was never born, ' +
      'dont want to live, do not want to live, no reason to live, nothing to live for, tired of living, cant go on living, ' +
      'sleep and never wake up, never wake up again, suicide note, suicide pact, suicide method, suicide methods, painless suicide, unalive myself, ' +
      'unalive yourself, overdose on pills, overdosing on pills, swallow all my pills',
    inflected: 'suicidal',
  },
  medium: {
    inflected:
      'suicide, self harm, selfharm, self injury, self mutilation, thinspo, thinspiration, proana, pro ana, unalive, meanspo',
    whole: 'commit suicide, committed suicide, committing suicide, self harming, self harmed',
  },
  low: {
    inflected: 'overdose, self hate, self loathing, self destructive',
  },
};
