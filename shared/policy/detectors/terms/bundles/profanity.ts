import type { BundleWords } from './words.js';

/** Swearing. */
export const profanity: BundleWords = {
  high: {
    within: 'fuck, cunt, fck, fvck, fukk, fxck, fcuk, fucc, phuck, phukk, mothafeck, muthafeck, cvnt',
    inflected:
      'motherfucker, mofo, cocksucker, mofuk, mofukka, motherfk, mothafuk, muthafuka, fuk off, fuku, fukyou, fukface, fukhead, fuktard, fukwit, asfuck, assfuk, assfukka, dafuq, mudderfuk, mudafuka, motherfuk, pigfuk',
    whole: 'stfu, gtfo, omfg, mf, mfer, mfers, mfing, fml, ffs',
  },
  medium: {
    within:
      'shit, shyt, bitch, biatch, beotch, asswhole, asshole, arsehole, bullshit, bollock, jackass, dumbass, douchebag, bastard, wanker, dickhead',
    compound: 'ass, arse, piss, prick, wank, twat, turd, butthole, butthead',
    inflected:
      'shite, shitey, biatch, beotch, bumhole, bum hole, bunghole, bung hole, buttface, butt face, asshat, asswipe, jackarse, punkass, crackass, stupidass, lazyass, shat, suck off, puta, pendejo, cabron, mierda, badass, fatass, lardass, ' +
      'hardass, smartass, kickass, wiseass, tightass, kiss ass, bellend, bell end, knobhead, knobend, knob jockey, nobhead, nob jockey, nobend, ' +
      'minger, tosser, toss pot, gobshite, shithead, cack, bugger, arse bandit, ass bandit, fart face, fart knocker, clusterfuck',
    whole:
      'son of a bitch, sons of bitches, sonofabitch, sumbitch, wtf, lmfao, bollox, bollix, azz, azzhole, azzholes, a hole, sod off, ' +
      'piss off, bugger off, jfc, up yours, blow me, screw you, suck me, get stuffed',
  },
  low: {
    within: 'goddamn, goddam, godamn',
    compound: 'crap, butt, fart',
    inflected:
      'damn, dammit, damnit, frigging, friggin, freakin, freaking, feck, poop, shart, queef, poo, doodoo, caca, dookie, turdcutter',
    whole:
      'hell, dam it, god dam, effing, effin, bloody hell, hellhole, damned, damndest, ' +
      'pee, peed, peeing, skid mark, skid marks, crappy, crapper, rectum',
  },
};
