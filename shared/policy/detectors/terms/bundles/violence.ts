import type { BundleWords } from './words.js';

/** Threats, calls for violence, and cruel acts. */
export const violence: BundleWords = {
  high: {
    inflected: 'rape, raper, rapist, gang rape, gangrape, date rape, behead, heil hitler, sieg heil',
    whole:
      'i will kill you, ill kill you, i am going to kill you, im going to kill you, im gonna kill you, gonna kill you, going to kill you, ' +
      'want to kill you, wanna kill you, should kill you, kill your family, kill your kids, kill them all, kill all of them, will shoot you, ill shoot you, ' +
      'gonna shoot you, will stab you, ill stab you, gonna stab you, slit your throat, slitting your throat, cut your throat, slash your throat, ' +
      'blow your brains out, blow your head off, bash your head in, bash your skull, smash your skull, break your neck, snap your neck, ' +
      'break your legs, break your arms, beat you to death, beat you to a pulp, beat the shit out, choke you to death, strangle you, ' +
      'rip your head off, cut your head off, chop your head off, gouge your eyes, skin you alive, burn you alive, bury you alive, ' +
      'burn your house down, bomb your house, shoot up the school, shoot up a school, shoot up the office, blow up the school, blow up the building, ' +
      'die in a fire, hope you die, hope you get cancer, hope you get raped, hope you burn, deserve to die, deserves to die, should be shot, ' +
      'should be hanged, should be killed, should be lynched, put a bullet in, bullet in your head, bullet in your brain, ' +
      'exterminate all, exterminate the, i know where you live, dead meat, ' +
      'death to all, white power, string them up, stab her, stab him, i want you dead, ' +
      'come for your family, hunt you down, cut you up, cut you into pieces, make you bleed, make you suffer',
  },
  medium: {
    inflected:
      'lynch, lynching, decapitate, disembowel, dismember, suicide bomber, bomb threat, school shooting, ' +
      'school shooter, mass shooting, mass murder, mass murderer, drive by shooting, snuff film, snuff movie, curb stomp, ' +
      'waterboard, honor killing, honour killing, acid attack, knee capping, kneecapped, throat slit, gore video, ' +
      'bludgeon, eviscerate, mutilate, mutilation, wife beater, death threat, kill list, assassinate',
    whole:
      'drop dead, go die, kill him, kill her, kill them, shoot him, shoot her, shoot them, beat him up, beat her up, burn in hell',
  },
  low: {
    inflected: 'murderer, strangle, bloodbath, carnage, ethnic cleansing, genocide',
  },
};
