/** Lists that the templates of hate draw from, written for this project. */
import { list, type Vocabulary } from '../grammar.js';

/** Groups that are protected, in the plural. */
const GROUPS =
  list(`muslims, jews, jewish people, christians, hindus, sikhs, buddhists, catholics, atheists, black people, blacks, black men, asians, asian people, africans,
arabs, arab people, latinos, latinas, mexicans, hispanics, indians, pakistanis, chinese people, koreans, japanese people, turks, gypsies, roma people, native americans, indigenous people,
white people, somalis, syrians, iranians, nigerians, poles, romanians, women, girls, females, trans people, trans women, trans men, transgender people, transsexuals, gay people,
gays, gay men, lesbians, homosexuals, bisexuals, bisexual people, queer people, lgbt people, nonbinary people, disabled people, people with disabilities, the disabled, handicapped people, deaf people, blind people,
autistic people, autistic kids, people in wheelchairs, people with Down syndrome, mentally ill people, dwarfs, immigrants, migrants, refugees, asylum seekers, foreigners, illegal immigrants, black women, muslim women,
asian women, jewish men, immigrant families, old people, the elderly, people of color, minorities, palestinians, israelis, albanians, filipinos, mormons, intersex people, travellers`);

const ONE =
  list(`muslim, jew, jewish person, christian, hindu, sikh, catholic, black person, black man, black woman, asian, asian woman, african, arab, latino, mexican, indian, pakistani, chinese guy, korean,
gypsy, native american, somali, syrian, nigerian, woman, girl, female, trans person, trans woman, trans man, transgender person, gay person, gay man, gay guy, lesbian, homosexual, bisexual, queer person, nonbinary person,
disabled person, deaf person, blind man, autistic person, wheelchair user, person with Down syndrome, immigrant, migrant, refugee, asylum seeker, foreigner, muslim woman, immigrant kid`);

const ADJECTIVES =
  list(`muslim, jewish, christian, hindu, sikh, black, asian, african, arab, latino, mexican, indian, chinese, korean, native american, female, trans, transgender, gay, lesbian, bisexual, queer,
disabled, deaf, blind, autistic, immigrant, migrant, refugee, foreign, hispanic, pakistani, nigerian, polish`);

/** Many that nobody protects. */
const OTHERS =
  list(`lawyers, politicians, bankers, capitalists, artists, football fans, vegans, smokers, drivers, cyclists, doctors, communists, socialists, republicans, democrats, conservatives, liberals,
journalists, landlords, billionaires, CEOs, managers, teachers, students, engineers, programmers, chefs, waiters, actors, celebrities, influencers, gamers, golfers, tourists, hipsters, police officers, cops,
accountants, dentists, plumbers, economists, scientists, bureaucrats, salesmen, telemarketers, referees, critics, bloggers, hunters, boomers, millennials, teenagers, royalists, lobbyists, mayors, spammers, hackers,
scalpers, burglars, dealers, murderers, gangsters, fascists, nazis, racists, homophobes, sexists, bigots, thieves, con men, car dealers, estate agents, parking wardens, neighbours, commuters, meat eaters, crypto bros, day traders, goalkeepers, wizards, trolls, zombies, aliens from outer space, vampires, orcs`);

const THINGS =
  list(`broccoli, mondays, traffic, this printer, my old phone, the weather, winter, this song, that movie, the ending, homework, exams, taxes, this app, the update, onions, pineapple pizza, mushrooms, cold coffee, commercials,
queues, potholes, airports, long meetings, alarm clocks, dirty dishes, weeds, carpets, plastic bags, spam mails, this laptop, my commute, the new season, that book, this website, cheap headphones, instant noodles, wet socks, my old car, this game, spreadsheets, passwords, fireworks, sprouts, olives, pop-up ads, wasps, mosquitoes, cockroaches in my kitchen, rats in the cellar, pigeons, ticks, moths, slugs, weather reports, fake leather, loud music, this recipe, the remote, cables, the heating, this sofa, microwaves`);

const PERSONS = list(
  `you, him, her, my boss, my ex, my neighbour, my landlord, my brother, my sister, that guy, this man, my old teacher, Steve, Karen from accounting, my flatmate, Kevin, your friend, that referee, the manager, my cousin, my uncle, the new guy`,
);

const SELVES = list(
  `a woman, a muslim, a jew, gay, a lesbian, a trans woman, a trans man, black, an immigrant, a refugee, disabled, deaf, blind, autistic, bisexual, queer, an asian man, a mexican, nonbinary, a black woman, a sikh, a wheelchair user, indian, nigerian, hindu, a gay man, a christian, native american`,
);

export const HATE_WORDS: Vocabulary = {
  mverb: list(
    'bought, sold, cleaned, visited, wrote about, repaired, painted, discussed, borrowed, organised, missed, tasted, reviewed, filmed, carried, opened, watched, designed, measured, planted, recorded, photographed, described, translated, moved, counted, drew, paid for, lost, found, tested, shared',
  ),
  mobj: list(
    'the hall, a bus, three houses, the report, an old piano, the menu, the results, a poem, the bridge, two tickets, a garden, the archive, a lamp, the minutes, a cake, the harbour, a map, the exhibition, the roof, some books, the schedule, a short film, the bill, six chairs, the local news, a boat',
  ),
  mtime: list(
    ', , , on Tuesday, last spring, before noon, all week, in the rain, every year, after school, for months, this summer, in 1987, at the weekend, twice',
  ),
  mplace: list(
    ', , in the library, at the coast, near the river, in Leeds, at home, on stage, on the train, in parliament, at the market, in the valley, upstairs, at the airport, in court',
  ),
  mwho: list(
    'teachers, nurses, painters, drivers, voters, pupils, singers, engineers, parents, neighbours, guests, sailors, poets, candidates, swimmers, clerks',
  ),
  mone: list(
    'teacher, nurse, painter, driver, pupil, singer, engineer, neighbour, guest, sailor, poet, candidate, swimmer, clerk, lawyer, cook, couple, writer, driver',
  ),
  mevent: list(
    'a lecture, the workshop, a dinner, an interview, the walk, a concert, the debate, a course, an excursion, the radio show, a survey, a film night',
  ),
  group: GROUPS,
  one: ONE,
  adj: ADJECTIVES,
  other: OTHERS,
  thing: THINGS,
  person: PERSONS,
  selfid: SELVES,
  women: list(
    'women, girls, females, ladies, wives, feminists, female drivers, single mothers, career women, young women',
  ),
  hateverb: list(
    'hate, despise, loathe, judge, mock, insult, attack, fear, hurt, discriminate against, look down on, blame, bully, exclude',
  ),
  hateverbed: list('hated, despised, judged, mocked, insulted, attacked, hurt, feared, bullied'),
  hating: list(
    'hating, judging, mocking, insulting, attacking, bullying, blaming, discriminating against, making jokes about, dehumanising, looking down on, spreading lies about',
  ),
  hate: list(
    "hate, despise, loathe, detest, can't stand, really hate, fucking hate, absolutely despise, have nothing but contempt for, am disgusted by, am sick of, resent, am repulsed by, hate hate hate, feel nothing but disgust for, am so tired of, deeply dislike, have always hated",
  ),
  love: list(
    'love, respect, admire, support, appreciate, adore, welcome, cherish, really like, have so much love for, am grateful for, stand with, am proud of, enjoy spending time with, value, think the world of',
  ),
  bad: list(
    'disgusting, stupid, horrible, evil, worthless, inferior, vile, filthy, dirty, ugly, revolting, repulsive, useless, lazy, dangerous, greedy, sick, dumb, disgraceful, immoral, a disgrace, abnormal, subhuman, idiots, morons, liars, criminals, sick in the head, awful, terrible, the worst, an embarrassment, nasty, pathetic, weak, unworthy of respect, a problem, backward, deranged, perverts, thieves, retarded, cowards, violent, uncivilised, beneath us, crooks, trash, good for nothing',
  ),
  badone: list(
    'disgusting, stupid, horrible, evil, worthless, vile, filthy, dirty, ugly, revolting, useless, lazy, dangerous, dumb, awful, nasty, pathetic, rotten, miserable, boring, annoying',
  ),
  beast: list(
    'vermin, rats, cockroaches, parasites, animals, a plague, a disease, a cancer, pigs, subhuman filth, maggots, scum, leeches, dogs, monkeys, savages, trash, insects, garbage, a virus, pests, a stain on this country, lice, beasts, swine, human garbage, an infestation, apes, worms, weeds, a tumour, monsters, demons',
  ),
  good: list(
    'wonderful, amazing, great, beautiful, kind, equal, intelligent, brilliant, lovely, brave, talented, inspiring, decent people, human beings, fantastic, valuable, friendly, just people, important to our community, generous, strong, worthy of respect, welcome here, good people, funny, hard-working, a gift to this town, normal people',
  ),
  neutral: list(
    'tall, quiet, at work, in the kitchen, students, from my town, waiting for the bus, part of the club, here today, parents, early, doctors, in my class, musicians, on holiday, voters, late, in the choir, retired',
  ),
  kill: list(
    'killed, shot, hanged, burned alive, exterminated, beaten, stabbed, gassed, slaughtered, tortured, wiped out, put down, lynched, executed, drowned, run over, beaten to death, poisoned',
  ),
  dokill: list(
    'kill, shoot, hang, burn, exterminate, beat, stab, gas, slaughter, torture, wipe out, hurt, punch, attack, strangle, execute, run over, bomb, poison, destroy',
  ),
  remove: list(
    'deported, banned, expelled, removed from society, eradicated, kicked out of the country, locked up, sterilised, put in camps, thrown in jail, put in cages, sent back, wiped off the earth, silenced, kept away from our kids, stripped of their rights, locked in an asylum, denied a vote, forbidden from having children, segregated, shipped off',
  ),
  doremove: list(
    'deport, ban, expel, eradicate, get rid of, lock up, sterilise, kick out, throw out, remove, send back, round up, silence, cage',
  ),
  harmless: list(
    'have equal rights, be treated fairly, be heard, be safe, get better pay, have a say, be free, vote, feel at home, get the help they need, be respected, live in peace, marry who they like, have access to every building',
  ),
  profane: list('fucking, goddamn, bloody, damn, shitty, freaking'),
  says: list(
    'said, tweeted, shouted, wrote, told me, posted, claimed, screamed, yelled at me, commented, printed on his shirt, sprayed on the wall',
  ),
  judged: list(
    'is wrong, is racist, is unacceptable, is disgusting behaviour, is hateful, is pure bigotry, is a disgrace, should be reported, makes you a bigot, is not okay, is never acceptable, is hate speech, is deeply offensive, is ignorant, is a lie, is cruel, is sexist, is homophobic, is shameful, is dangerous nonsense, has no place here',
  ),
  judge: list(
    'wrong, racist, unacceptable, hateful, bigoted, a disgrace, offensive, ignorant, not okay, discrimination, sexist, homophobic, shameful, hate speech, cruel',
  ),
  hater: list(
    'bigots, racists, hateful people, idiots, trolls, ignorant people, haters, nazis, extremists, fascists, some people, my uncle, this politician, that comedian, the newspaper',
  ),
  lead: list(
    ", , , , , , honestly, i'm sorry but, let me be clear:, fact:, look, everyone knows that, not gonna lie, seriously, to be honest, in all honesty, hey, well, listen, sorry but",
  ),
  tail: list(
    ", , , , , , in my view, these days, as always, in this country, if you ask me, and I mean it, period, everywhere, and that's the truth, once and for all, again, lol, and everybody knows it",
  ),
  think: list(
    "I think, I believe, I feel that, in my opinion, I reckon, if you ask me, I'm convinced that, it's obvious that, I know that, it is my firm belief that, I'd say, I honestly think",
  ),
  doing: list(
    'moved in next door, opened a shop on our street, were on the bus, joined our team, came to the party, asked me for directions, sat next to me, live in our building, were on TV, work in my office, applied for the job, married my cousin, spoke at the school',
  ),
};

/** Where these stand for a group, the sentence is about women. */
export const ABOUT_WOMEN = /\b(wom[ae]n|girls?|females?|wives|wife|ladies|lady|feminists?|mothers)\b/i;
