import type { BundleWords } from './words.js';

/** Illegal drugs, their use and trade. */
export const drugs: BundleWords = {
  high: {
    inflected:
      'crystal meth, crack cocaine, crack pipe, crackpipe, meth lab, methlab, meth pipe, speedball, date rape drug, roofie, rohypnol',
    whole:
      'cook meth, cooking meth, make meth, making meth, synthesize meth, synthesise meth, make methamphetamine, synthesize methamphetamine, synthesise methamphetamine, make crack, cook crack, make lsd, synthesize lsd, synthesise lsd, make mdma, synthesize mdma, synthesise mdma, make fentanyl, synthesize fentanyl, synthesise fentanyl, extract dmt, make ghb, ' +
      'smoke crack, smoking crack, snort coke, snorting coke, snort cocaine, shoot heroin, shooting heroin, buy cocaine, buy heroin, sell drugs, selling drugs, buy drugs',
  },
  medium: {
    inflected:
      'cocaine, heroin, methamphetamine, fentanyl, carfentanil, crackhead, crack head, methhead, meth head, mephedrone, mdma, lsd, quaalude, ' +
      'angel dust, magic mushroom, shroom, psilocybin, ayahuasca, peyote, mescaline, purple drank, sizzurp, drug dealer, drug dealing, ' +
      'drug trafficker, drug trafficking, pothead, pot head, stoner, junkie, ketamine, opium, krokodil, flakka',
    whole:
      'meth, ghb, dmt, smoke weed, smoking weed, buy weed, sell weed, smoke pot, smoking pot, eight ball of coke, weed dealer, do a line of',
  },
  low: {
    inflected:
      'marijuana, cannabis, ganja, hashish, amphetamine, oxycontin, oxycodone, percocet, vicodin, hydrocodone, xanax, bong, kush, doobie, cokehead, spliff',
    whole: 'pcp',
  },
};
