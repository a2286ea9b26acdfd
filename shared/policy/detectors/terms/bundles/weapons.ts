import type { BundleWords } from './words.js';

/** Bombs, poisons and guns: how they are made or got without a licence, and their names. */
export const weapons: BundleWords = {
  high: {
    inflected:
      'pipe bomb, nail bomb, car bomb, letter bomb, parcel bomb, petrol bomb, fertiliser bomb, fertilizer bomb, pressure cooker bomb, homemade bomb, ' +
      'home made bomb, suicide vest, explosive vest, molotov cocktail, molotov, improvised explosive device, homemade explosive, home made explosive, ' +
      'ghost gun, printed gun, zip gun, untraceable gun, unregistered gun, glock switch, auto sear, sawn off shotgun, sawed off shotgun',
    whole:
      'make a bomb, making a bomb, build a bomb, building a bomb, make bombs, build bombs, bomb making, bomb recipe, bomb instructions, ' +
      'make explosives, making explosives, build explosives, make napalm, making napalm, make thermite, make gunpowder, make nitroglycerin, ' +
      'make nitroglycerine, make a detonator, build a detonator, make ricin, extract ricin, make sarin, make nerve gas, make mustard gas, ' +
      'make chlorine gas, make poison gas, make poisonous gas, make a poison, make cyanide, make anthrax, make a chemical weapon, make a dirty bomb, ' +
      'print a gun, printing a gun, make a silencer, build a silencer, make a gun, build a gun, homemade gun, ' +
      'gun without a background check, gun without background check, gun without a licence, gun without a license, buy a gun illegally',
  },
  medium: {
    inflected:
      'dirty bomb, nerve agent, nerve gas, mustard gas, chemical weapon, biological weapon, bioweapon, hand grenade, land mine, landmine, detonator, ' +
      'blasting cap, bump stock, machine gun, submachine gun, plastic explosive, cluster bomb',
    whole:
      'sarin, ricin, novichok, anthrax, napalm, semtex, tatp, petn, anfo, thermite, polonium, abrin, botulinum toxin',
  },
  low: {
    inflected: 'assault rifle, sniper rifle, shotgun, handgun, firearm, machete, kalashnikov, ammunition',
    whole: 'glock, nitroglycerin, nitroglycerine, cyanide, strychnine',
  },
};
