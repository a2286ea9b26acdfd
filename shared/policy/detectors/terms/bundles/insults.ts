import type { BundleWords } from './words.js';

/** Words that call somebody stupid, ugly or worthless. */
export const insults: BundleWords = {
  high: {
    within: 'libtard',
    inflected: 'subhuman, sub human, cumstain, pond scum, waste of oxygen, waste of skin, scum of the earth',
    whole: 'worthless piece of, piece of shit, nobody loves you, nobody likes you',
  },
  medium: {
    inflected:
      'douche, douche bag, doosh, dipstick, dumbfuck, dipshit, shit for brains, scumbag, scum bag, sleazebag, sleaze bag, sleazeball, slimeball, ' +
      'dirtbag, dirt bag, ratbag, rat bag, moron, imbecile, cretin, dimwit, nitwit, halfwit, half wit, lackwit, fuckwit, numbnuts, numb nuts, ' +
      'numskull, numbskull, lamebrain, lame brain, peabrain, pea brain, birdbrain, pinhead, pillock, plonker, numpty, wazzock, ' +
      'fatso, lardarse, lard ass, fat fugly, butt ugly, whack job, whackjob, nutjob, nut job, nutcase, soyboy, soy boy, ' +
      'bootlicker, boot licker, brown noser, brownnoser, arse licker, ass licker, ass kisser, window licker, mouth breather, ' +
      'knuckle dragger, cum bubble, village idiot, trailer trash, eurotrash, attention whore, dickwad, dickweed, schmuck, putz',
    whole: 'shut your mouth, shut your face, you suck, go to hell, rot in hell, screw off',
  },
  low: {
    inflected:
      'idiot, idiotic, stupid, dumb, dumbo, dolt, dunce, dullard, simpleton, ignoramus, nincompoop, blockhead, bonehead, knucklehead, meathead, ' +
      'airhead, jerk, berk, loser, scum, weirdo, crybaby, wimp, wuss, incel, simp, neckbeard, ' +
      'lowlife, low life, bozo, buffoon, crackpot, dork, doofus, hillbilly, ' +
      'nutter, tosspot, dufus, dweeb, dingbat, ding bat, lazy bum, stupidass',
  },
};
