import type { BundleWords } from './words.js';

/** Sexual acts, parts of the body, and pornography. Words of medicine are low. */
export const sexual: BundleWords = {
  high: {
    within: 'blowjob, jizz, cumshot, gangbang, bukkake, cumslut, pedophil, paedophil',
    inflected:
      'blow job, hand job, handjob, rim job, rimjob, foot job, footjob, tit job, boob job, titjob, deep throat, deepthroat, gang bang, creampie, ' +
      'felch, felcher, dirty sanchez, cleveland steamer, rusty trombone, donkey punch, hot carl, ' +
      'golden shower, cunnilingus, fellatio, analingus, anilingus, bestiality, zoophilia, pedo, paedo, child porn, kiddie porn, ' +
      'lolicon, shotacon, kid diddler, child molester, jailbait, jail bait, cock tease, ball gag, butt plug, buttplug, anal plug, cum guzzler, ' +
      'cum dumpster, cum bucket, cum rag, cumdump, salad tosser, toss salad, tossing salad, tea bagging, clit licker',
    whole: 'suck my dick, suck my cock, eat my ass, sit on my face',
  },
  medium: {
    within: 'whore, slut, pussy, dildo, porn, masturbat',
    compound: 'cock, dick, tit, cum, clit, jism, skank, spunk, boob, tits, penis, titty',
    inflected:
      'boobie, boobs, breasticle, funbag, pole licker, pole sucker, pole smoker, snatch licker, gash stabber, man chowder, nut butter, throat yogurt, dick cheese, bewb, titties, cocksuck, jerk off, jerkoff, jack off, jackoff, whack off, whackoff, beat off, wank off, toss off, jagoff, ' +
      'circle jerk, circlejerk, cockhead, cockring, cock ring, hardon, boner, stiffy, schlong, shlong, ballsack, ball sack, nutsack, nut sack, ballbag, ' +
      'camel toe, cameltoe, poontang, punani, punany, cooch, coochie, coochy, cooter, quim, minge, vajayjay, axe wound, meat curtain, beef curtain, ' +
      'fanny flap, muff dive, muffdiving, muff diving, knob gobbler, knobgobbler, nob gobbler, pole smoker, polesmoker, tallywhacker, tallywacker, todger, tadger, ' +
      'pecker, peckerhead, trouser snake, skinflute, skin flute, one eyed snake, wet dream, morning wood, blue balls, blue waffle, ' +
      'booty call, booty, pedobear, sex toy, milf, gilf, dilf, nympho, nymphomaniac, hooker, thot, slag, slapper, sodomy, sodomize, sodomise, fisting, rimming, ' +
      'hentai, futanari, ahegao, strapon, pegging, doggy style, doggystyle, doggie style, dogging, sixty nine, sixtynine, reach around, ' +
      'reacharound, finger bang, fingerbang, finger fuck, love juice, man juice, manjuice, man meat, man milk, man seed, jism, gism, gizz, girl on girl, ' +
      'glory hole, gloryhole, hoebag, hoe bag, ho bag, upskirt, up skirt, spit roast, tit fuck, tit wank, tribbing, scissoring, ' +
      'vag, pube, pubes, baby batter, baby gravy, blow a load, blow your load, bust a nut, choke the chicken, choking the chicken, ' +
      'spank the monkey, spanking the monkey, beat the meat, beat my meat, beating my meat, pull the pud, tickle the pickle, twat waffle, chode, choad, ' +
      'dingleberry, smegma, slit licker, bang bros, bangbros, peen, peener, sexpot, sex slave',
    whole:
      'anal, anal sex, oral sex, sexting, send nudes, nudez, pawg, bbw, bdsm, fap, fapping, fapped, hoes, hoez, hores, hore, jiz, gspot, g spot, semen',
  },
  low: {
    within: 'clitor',
    inflected:
      'vagina, anus, scrotum, testicle, vulva, labia, foreskin, areola, nipple, orgasm, ejaculate, erection, masturbate, masturbation, sperm, sex, sexy, ' +
      'horny, threesome, orgy, bondage, dominatrix, sadomasochism, fetish, vibrator, prostitute, escort service, stripper, strip club, striptease, ' +
      'bimbo, floozy, pervert, perv, pervy, smut, smutty, nude, nudity, booby, busty, crotch, fondle, ' +
      'groper, groping, incest, kinky, molest, molester, erotic, erotica, nudist, orgies, topless, panty, panties, voyeur, weenie, weener, ' +
      'transvestite, cuckold, cuck, ejaculation, genitals, genitalia, phallus, phallic',
    whole: 'hoe, bj, bjs, xxx, sexual intercourse, loose woman',
  },
};
