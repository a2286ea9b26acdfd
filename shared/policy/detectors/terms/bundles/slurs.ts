import type { BundleWords } from './words.js';

/** Words that degrade people for what they are. Words that only name a group are not here. */
export const slurs: BundleWords = {
  high: {
    within: 'nigger, nigga, faggot, jigaboo, jiggaboo',
    compound: 'fag',
    inflected:
      'kike, kyke, wetback, raghead, towelhead, gook, chink, coon, darkie, darky, porch monkey, jungle bunny, sand monkey, golliwog, beaner, ' +
      'dune coon, camel jockey, spearchucker, spear chucker, zipperhead, zipper head, slanteye, slant eye, shemale, she male, tranny, trannie, ' +
      'faggit, poofter, kaffir, pickaninny, piccaninny, paki, wog, wop, dago, spick, gypo, gyppo, pikey, mudslime, muzzie, muzrat, ' +
      'nignog, nig nog, nigglet, niglet, wigger, whigger, fudge packer, fudgepacker, pillow biter, carpet muncher, carpet munching, pack my fudge, packing fudge, pack some fudge, bean queen, slantard, wophead, jewbag, ragtard, jigga, jiggabu, jigro, niggress, nignig, ku kluxer, muff diver, ' +
      'bum bandit, butt pirate, rump ranger, batty boy, battyman, uphill gardener, faggotry, lesbo, lezbo, lezzie, lezzer, dykey, ' +
      'ching chong, chinaman, chinamen, chinky, tar baby, christ killer, oven dodger, yid, heeb, hymie, ' +
      'cotton picker, house negro, polack, taig, boong, retard, rice monkey, coonass, gaylord, gaywad, gaytard, queerbait, kneegrow',
    whole:
      'spic, spics, spik, spiks, spix, nig, nigs, nigra, jap, japs, abos, fagg, poof, poofs, pooftah, homos, dyke, dykes',
  },
  medium: {
    inflected:
      'homo, injun, redskin, squaw, coolie, kraut, honky, honkey, mongoloid, mong, spaz, spazz, spacker, chinavirus, china virus, ' +
      'halfbreed, half breed, half caste, white trash, negress, negroid, groid, tacohead, taco bender, dothead, dot head, jewboy, ' +
      'ladyboy, lady boy, sodomite, muff muncher, retarded, sambo, shylock, kung flu, feminazi, gin jockey, buttboy',
    whole: 'kkk, russki, ruskie, tard, tards, gyp, gyps, gypped',
  },
  low: {
    inflected: 'negro, redneck, limey, mulatto, twink, sissy',
  },
};
