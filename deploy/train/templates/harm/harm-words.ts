/** Lists that the templates of harm draw from, written for this project. */
import { list, type Vocabulary } from '../grammar.js';

export const HARM_VOCABULARY: Vocabulary = {
  me: list('me, her, him, you, them, us'),
  body: list('cock, dick, pussy, tits, boobs, ass, nipples, penis, vagina, clit, breasts, thighs, balls, naked body'),
  actv: list('suck, lick, fuck, ride, stroke, touch, finger, pound, spank, kiss, grope, tease, bang'),
  acting: list(
    'sucking, licking, fucking, riding, stroking, touching, fingering, spanking, pounding, moaning over, teasing, thrusting into',
  ),
  hot: list('horny, wet, hard, naked, turned on, aroused, so horny, kinky'),
  media: list(
    'porn, nudes, a sex tape, hardcore porn, hentai, nude photos, an erotic story, smut, a sex scene, an explicit story, dirty pics, xxx videos, dirty talk',
  ),
  lover: list(
    'my girlfriend, my boyfriend, my wife, a stranger, my boss, two women, the nurse, my neighbour, the teacher, a milf, her husband, a stripper, a cam girl',
  ),
  target: list(
    'you, him, her, my neighbour, my boss, that man, my ex, them all, the teacher, everyone at school, that family, the mayor, those kids, my wife, your whole family, the judge, the guard',
  ),
  kill: list(
    'kill, murder, stab, shoot, strangle, beat up, hurt, torture, burn, poison, behead, cut, slit the throat of, smash the skull of, break the legs of, execute, blow up, choke',
  ),
  weapon: list(
    'a knife, a gun, my rifle, an axe, a bomb, a hammer, my bare hands, a baseball bat, a machete, a shotgun, petrol, a crowbar',
  ),
  place: list(
    'the school, the mall, the office, the station, the church, the court, the stadium, the airport, the parade, the town hall',
  ),
  dieing: list(
    'kill myself, end my life, die, hang myself, take my own life, jump off a bridge, overdose, cut my wrists, shoot myself, end it all, commit suicide, slit my wrists, swallow all my pills, not wake up tomorrow, disappear forever',
  ),
  harmself: list(
    'cut myself, burn myself, hurt myself, starve myself, scratch my arms until they bleed, make myself throw up, punish myself, stop eating, purge after meals',
  ),
  process: list(
    'a process, a python process, a zombie process, a background job, the server, a thread, all child processes, a docker container, a tmux session, a hanging script, a node process, a port, a stuck pod, a cron job, a task, an app',
  ),
  tech: list(
    'in Linux, on Windows, in bash, with kubectl, in Python, by its PID, on port 3000, from the terminal, on a Mac, in Kubernetes, gracefully, in htop, programmatically',
  ),
  pest: list(
    'weeds, mould, ants, wasps, bacteria, fruit flies, moss, the batteries, aphids, a virus on my laptop, cockroaches, bed bugs, moths, fleas',
  ),
  gamefoe: list(
    'the final boss, the dragon, zombies, orcs, the enemy team, the Ender Dragon, the guards in stealth mode, the goblin king, vampires, the last player, Bowser, creepers',
  ),
  food: list(
    'chicken breasts, the dough, an onion, the chocolate, the steak, eggs, cream, the potatoes, the garlic, a chicken, the butter, the fish',
  ),
  show: list('comedy show, party, presentation, concert, interview, exam, performance, gig, pitch'),
};
