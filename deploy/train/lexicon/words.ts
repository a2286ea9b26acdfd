/**
 * The words of each class, written for this project. `nouns` also stand for their plurals, `verbs` for their forms. Slurs and profanity
 * beside these come from the data (`build.ts`), as do words that the data have far more often in one class.
 */
import type { ClassName } from '../../../shared/policy/models/classes.js';

export interface Words {
  nouns?: string;
  verbs?: string;
  /** as they stand */
  words?: string;
}

export const WORDS: Record<Exclude<ClassName, 'known'>, Words> = {
  religion: {
    nouns: 'muslim jew christian hindu sikh buddhist catholic mormon atheist islamist moslem protestant',
    words:
      'jewish islam islamic judaism hinduism sikhism buddhism christianity catholicism quran koran mosque mosques synagogue synagogues hijab burqa torah',
  },
  race: {
    nouns:
      'black asian african arab latino latina mexican indian pakistani korean turk roma gypsy white hispanic somali syrian afghan iranian nigerian cuban filipino palestinian aboriginal caribbean bangladeshi ethiopian moroccan albanian romanian jamaican colombian brown',
    words:
      'chinese japanese vietnamese native indigenous polish blacks whites browns asians gypsies travellers colored coloured minorities minority ethnic race races racial kurds kurdish latinx israelis turkish',
  },
  woman: {
    nouns: 'woman female lady girl feminist housewife lass gal',
    words: 'women ladies feminism womankind womanhood females girls wives femoid femoids foid foids womyn mothers',
  },
  lgbt: {
    nouns: 'gay lesbian homosexual bisexual transgender transsexual queer transwoman transman',
    words:
      'lgbt lgbtq lgbtqia trans nonbinary intersex asexual pansexual gays lesbians homosexuality transwomen transmen transpeople bi homo homos homosexuals enby',
  },
  disabled: {
    words:
      'disabled disability disabilities handicapped deaf blind autistic autism wheelchair dyslexic paraplegic amputee amputees paralysed paralyzed crippled downs syndrome wheelchairs adhd schizophrenic bipolar dwarf dwarfs',
  },
  migrant: {
    nouns: 'immigrant migrant refugee foreigner alien newcomer expat expatriate',
    words:
      'immigration asylum seekers foreign undocumented illegals foreigners migrants deportee diaspora incomers outsiders',
  },
  slur: {
    nouns:
      'nigger nigga chink spic kike gook wetback raghead towelhead paki coon tranny shemale faggot fag dyke retard cripple spastic mongoloid mong goy beaner muzzie mussie gyppo pikey sandnigger ladyboy darkie darky jap wop dago kraut golliwog redskin squaw halfbreed poofter poof spaz cracker honky gringo jihadi libtard tard jewboy zipperhead boong',
    words: 'tranny trannies retarded fags fagot faggit nigguh niggaz kikes poofs queers dykes',
  },
  femaleSlur: {
    nouns:
      'bitch whore slut cunt hoe thot skank bimbo hag slag wench tramp hussy roastie harpy feminazi hooker harlot floozy strumpet',
    words: 'bitches biatch bitchy hoes slutty whores thots skanky feminazis bishes',
  },
  profanity: {
    nouns:
      'fuck shit crap piss arse ass bollock bugger fucker motherfucker bullshit dick cock prick wanker asshole arsehole bastard twat tosser douche douchebag dickhead dipshit shithead fuckwit',
    words:
      'fucking fuckin fucked fucks effing goddamn damn damned bloody hell shitty crappy wtf fkn fuckn motherfucking freaking frigging pissed shite sodding wank lmfao asses fucken fking',
  },
  insult: {
    nouns:
      'idiot moron loser imbecile fool dumbass clown dunce scumbag jerk creep weirdo coward liar hypocrite pervert jackass asshat asswipe dumbfuck fuckface fucktard fuckwad shitbag shitstain shitstick dirtbag sleazebag slimeball douchenozzle dickwad cockwomble knobhead bellend pillock plonker prat wazzock turd tard wad nitwit dingbat dipstick doofus dork dweeb blockhead meathead pinhead lardass fatass dumbo crybaby snowflake cultist bootlicker shill grifter crook buffoon halfwit cretin simpleton ignoramus nitwit dimwit psycho lunatic degenerate freak failure nobody lowlife dolt dullard airhead numbskull bonehead sicko nutcase traitor fraud bully tyrant bigot',
    words:
      'stupid dumb idiotic moronic pathetic clueless brainless ignorant delusional spineless gullible cowardly foolish imbecilic dumber dumbest stupidest stupidity idiocy nuts insane crazy crackpot dense',
  },
  dehumanising: {
    nouns:
      'rat cockroach parasite leech maggot pest disease plague cancer virus subhuman savage beast monkey ape pig dog worm swine insect animal monster scourge tumor tumour infestation burden stain blight weed germ locust louse barbarian mongrel snake hyena vulture dirtbag demon abomination mistake defect error burden',
    words:
      'vermin scum filth trash garbage rubbish dirt lice waste inhuman primitive uncivilized uncivilised subhumans roaches dregs excrement pollution contaminate infest infesting infested parasitic animals infection mutant mutants toxic',
  },
  negative: {
    words:
      'bad disgusting horrible evil worthless inferior awful terrible ugly dirty filthy nasty vile gross revolting repulsive repugnant useless lazy dangerous sick mental weak greedy disgraceful deplorable despicable detestable hideous wicked immoral corrupt sinful abnormal unnatural perverted deviant shameful undeserving untrustworthy dishonest deceitful violent aggressive hostile backward uneducated unworthy lesser inadequate incapable incompetent irrational hysterical selfish arrogant annoying unwanted unwelcome impure defective broken wrong worse worst poor miserable disgust disgusted sickening nauseating cruel brutal barbaric rotten smelly stinking stink stinks creepy loathsome abhorrent contemptible insufferable intolerable horrid dreadful appalling obnoxious vulgar crooked lousy mediocre pitiful problem problems threat threats shame embarrassment joke unfit lower beneath',
  },
  hate: {
    verbs:
      'hate despise loathe detest resent abhor dislike disgust repulse sicken fear mock ridicule insult degrade humiliate scorn reject distrust offend bother irritate infuriate disrespect',
    words:
      'hatred hates hated contempt disgust disgusted disgusts hating haters stand bear tolerate trust anger angry appalled grossed',
  },
  violence: {
    verbs:
      'kill murder shoot hang burn exterminate beat stab lynch gas rape slaughter strangle choke torture punch kick hit slap smash crush bomb execute behead hurt harm attack assault drown poison destroy whip mutilate massacre decapitate bludgeon butcher skin gut cripple slit annihilate hunt fight',
    words:
      'shot hung hanged stabbed stabbing beaten beating killing killings killer killers raped raping rapes violence genocide holocaust slit bury buried bleed bleeding blood bullet bullets noose dismember violently ovens oven',
  },
  removal: {
    verbs:
      'deport ban expel eliminate eradicate remove banish evict exile purge sterilise sterilize castrate jail imprison lock segregate separate silence enslave wipe cleanse throw kick deny strip forbid arrest vanish disappear euthanise euthanize cull abort punish force stop',
    words:
      'wiped rid extinct eradication extermination ethnic cleansing out away kicked locked prison camps cage cages caged chained sterilized leave go back gone',
  },
  positive: {
    words:
      'great wonderful beautiful equal good kind amazing lovely nice brilliant fantastic awesome excellent smart intelligent talented strong brave gifted delightful friendly welcome fine decent honest valuable precious special superb charming marvelous marvellous inspiring inspirational incredible clever generous gorgeous best better perfect normal human worthy valid important capable trustworthy safe happy joy blessing gift asset glad grateful thankful outstanding fabulous magnificent admirable respectable likeable hardworking peaceful caring warm lovable equality included natural fun cool success successful innocent civil hero heroes heroic legend legends legendary angel angels champion champions treasure treasures sweet sweetheart darling adorable star stars role-model blessed brightest smartest kindest bravest finest loveliest nicest strongest terrific splendid marvel stunning pretty handsome sweetest helpful gentle gracious loyal sincere wise skilled skilful diligent reliable dependable polite courteous humble patient resilient courageous fearless creative curious lively vibrant spirited witty charismatic elegant graceful radiant remarkable exceptional extraordinary exemplary phenomenal sensational spectacular glorious dear beloved cherished gem gems delight delighted pleasure pleased hopeful cheerful joyful blissful smile smiles smiling laugh laughing laughter applause medal enriching enrich enriches thrive thriving flourish flourishing worthwhile invaluable priceless precious essential vital indispensable dignified noble honorable honourable upright moral virtuous',
  },
  love: {
    verbs:
      'love respect support admire welcome celebrate cherish adore appreciate accept embrace value defend protect honor honour trust include help empower like enjoy praise applaud salute thank treasure hug kiss cuddle comfort console congratulate encourage cheer befriend date marry adopt assist aid mentor promote hire invite listen care shelter rescue uplift inspire enrich reward bless reassure charm delight please amuse',
    words:
      'proud pride fond solidarity friends friendship respectful supportive ally allies dignity rights deserve deserves freedom contribution contributions kindness tolerance inclusion fan',
  },
  modal: {
    words:
      'should must ought need needs shall have supposed gotta deserve deserves deserving deserved required time belong belongs let lets better',
  },
  negation: {
    words:
      'not no never dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt cant cannot nobody none nothing neither nor without aint havent hasnt hadnt mustnt hardly barely nowhere denies dnt cnt dont wouldn shouldn couldn',
  },
  self: { words: 'i me my mine myself we us our ours ourselves im ive id ill were weve' },
  you: { words: 'you your u ur youre yours yourself yourselves ya yall thou youve youll youd yr' },
  they: { words: 'they them their theirs these those themselves theyre theyve theyll em dem theyd such' },
  single: { words: 'he she him her his hers himself herself hes shes it its itself this that' },
  say: {
    verbs:
      'say tell call hear write shout post tweet read claim yell scream whisper chant print comment mention repeat text utter joke argue preach spread quote label',
    words:
      'said told heard wrote written saying says calling called wrote spoke speak speaking talk talking sentence statement language sign message comments lyrics chanting asked article headline review graffiti banner sticker speech',
  },
  judge: {
    nouns:
      'racist sexist misogynist homophobe xenophobe supremacist bigot nazi transphobe antisemite fascist troll hater',
    words:
      'unacceptable hateful offensive disgrace bigotry homophobic transphobic xenophobic islamophobic antisemitic ableist ableism racism sexism homophobia transphobia islamophobia antisemitism xenophobia misogyny misogynistic bigoted prejudice prejudiced discriminatory discrimination intolerance intolerant inappropriate hurtful harmful derogatory stereotype stereotypes racially slurs abuse abusive harassment unfair untrue false ignorance inexcusable outdated problematic disrespectful hatespeech demeaning unkind nonsense lies myth propaganda reported report illegal dehumanising dehumanizing scary apologise apologize',
  },
  think: {
    verbs: 'think believe feel know suppose reckon assume guess understand suspect consider realise realize find',
    words:
      'opinion honestly thought personally view imo imho opinions belief truth fact facts admit sure seriously literally clearly obviously',
  },
  wish: {
    verbs: 'want wish hope plan intend',
    words: 'would gonna will wanna going cant wait if could id ready about dream pray',
  },
  thing: {
    nouns:
      'food car phone meal dish movie song show book computer laptop printer bike train bus weather season monday morning alarm homework exam tax bill paper traffic game app update website battery keyboard chair table house wall plant vegetable fruit potato tomato mushroom onion pizza sandwich cheese broccoli sprout beer wine coffee tea carpet curtain shirt dress shoe sock hat jacket rain snow winter summer sport team film concrete plastic spoon engine tyre wasp mosquito fly spider sofa fridge toaster lamp mug pan garden lawn pickle olive raisin cilantro coriander queue advert spam cable charger headphone recipe soup curry chocolate cake album sequel ending remote radio cartoon bucket ladder',
  },
  animal: {
    nouns:
      'cat kitten puppy horse bird fish chicken duck goat sheep wolf fox bear lion tiger elephant rabbit mouse pigeon seagull squirrel frog bee ant crab cattle deer turkey donkey whale shark moth beetle flea tick mite slug snail',
  },
  trade: {
    nouns:
      'lawyer politician banker capitalist artist fan vegan smoker driver doctor communist socialist republican democrat conservative liberal tory journalist landlord billionaire millionaire ceo executive manager teacher student engineer programmer developer chef waiter actor singer celebrity influencer cyclist gamer golfer tourist hipster policeman cop officer soldier accountant dentist plumber economist scientist professor academic bureaucrat marketer salesman broker footballer referee player pilot architect musician critic critics blogger vegetarian carnivore hunter boomer millennial teenager teen senior royalist monarchist anarchist lobbyist voter senator mayor minister president consultant scalper spammer hacker streamer youtuber trader investor cheater thief burglar dealer paedophile pedophile criminal murderer gangster nurse librarian baker farmer',
    words:
      'police elites elite government congress parliament corporations banks antifa brexiteers remainers labour paparazzi smokers',
  },
  person: {
    nouns:
      'person man guy folk human child kid friend individual citizen boy dude bloke lad stranger baby adult fellow customer client guest user',
    words:
      'people everyone everybody someone anybody anyone somebody men humanity community communities population humans society world others',
  },
  all: {
    words:
      'all every any each always most many entire whole everywhere only ever half majority typical typically naturally inherently',
  },
  be: { words: 'are is am be were was being been arent become became remain look looks seem seems act acts' },
  question: { words: 'why what who how when where which does do did can whose' },
  place: {
    words:
      'country countries home here nation land neighborhood neighbourhood street streets city town school schools border borders america england britain europe germany france canada australia society earth planet africa mexico israel kitchen office workplace',
  },
  sexual: {
    nouns:
      'porn blowjob handjob orgasm nude boob tit nipple penis vagina pussy dildo orgy threesome erection clit cum milf hentai fetish bdsm anus creampie cumshot gangbang stripper escort camgirl masturbator vibrator butt boner testicle genital',
    verbs:
      'masturbate ejaculate horny moan thrust fondle grope undress cum lick suck fuck strip sext finger penetrate spank seduce',
    words:
      'sex sexual sexually sexy naked nsfw xxx erotic erotica kinky horny aroused arousal lust lustful cumming deepthroat anal oral intercourse explicit lingerie topless hardcore softcore smut titties tits boobs nudes nudity masturbation masturbating orgasms bondage incest intimate bedroom panties bra cleavage thong hotties hookup onlyfans sexting dick cock',
  },
  selfHarm: {
    verbs: 'overdose',
    words:
      'suicide suicidal suicidally selfharm selfharming overdose pills wrists wrist cutting unalive kms razor razors noose ledge bridge hopeless anorexia bulimia purging starve starving thinspo proana relapse scars goodbye painlessly painless lethal alive living existing ending',
  },
  weapon: {
    nouns:
      'gun knife bomb rifle pistol grenade weapon machete sword bullet explosive shotgun firearm missile axe bat hammer revolver blade',
    words:
      'ammo ammunition ak47 ar15 molotov bombs guns knives dynamite tnt napalm thermite sarin ricin anthrax cyanide semtex detonator detonators silencer shrapnel landmine crossbow gunpowder nitroglycerine fertiliser fertilizer poison poisons toxin toxins',
  },
  technical: {
    nouns:
      'process thread server python linux program script function container pod daemon task job session terminal shell query database socket connection port variable branch commit commandline kernel driver api test build cluster node instance service application zombie parent request response loop cache bug log tab browser file folder directory disk partition cookie token pipeline deployment docker kubernetes array string class object exception compiler package module library repository worker subprocess signal timer row column regex pdf spreadsheet excel css html java javascript windows macos ubuntu android git',
    words:
      'code kubectl systemd tmux vim nginx redis postgres mysql npm bash powershell ctrl cpu ram gpu pid sigkill sigterm async garbage collector unix ssh sql json xml http react rust golang swift kotlin php ruby',
  },
  death: { words: 'die dies died dead death deaths dying deceased corpse corpses grave graves funeral' },
  relative: {
    nouns:
      'mother mom mum dad father wife husband daughter son sister brother neighbor neighbour boss colleague coworker roommate flatmate ex girlfriend boyfriend aunt uncle cousin grandma grandpa landlady partner mate sibling nephew niece stepdad stepmother',
    words: 'steve john mike dave karen anna peter paul tom emma sarah lisa mark james kevin',
  },
  fiction: {
    nouns:
      'novel story character scene villain hero plot chapter level boss quest dragon zombie monster vampire fantasy thriller poem screenplay film episode series actor script rpg minecraft fortnite dungeon sims skyrim gta chess pawn king queen anime manga comic',
    words: 'fiction fictional roleplay dnd npc minecraft enemies enemy sniper respawn boss warcraft pokemon elden halo',
  },
  crime: {
    nouns:
      'terrorist rapist invader thief criminal murderer scrounger freeloader pedophile paedophile groomer predator thug gangster cheater scammer crook extremist sponger moocher goldigger molester illegals shoplifter',
    words:
      'terrorism thieves crime crimes welfare benefits greedy steal stealing rob robbing scrounging freeloading cheating breed breeding breeders invading invade invasion taking takeover replace replacing control controls jobs rape gangs',
  },
  oppose: {
    verbs:
      'condemn oppose denounce criticise criticize call challenge report block combat tackle reject confront educate',
    words: 'against stand unacceptable stopping standing ashamed never nobody',
  },
  term: {
    nouns:
      'word slur phrase term joke insult expression name nickname line lyric quote caption hashtag tweet comment post statement sentence speech letter text poster sign',
  },
  domestic: {
    words:
      'cook cooking clean cleaning kitchen dishes laundry sandwich obey submissive obedient submit breeding emotional hormonal nagging pms periods childbirth pregnant domestic hysterical drivers virgin virgins hypergamy chad chads alpha beta simp simps cuck cucks incel incels redpill hypergamous makeup spinster wombs womb barefoot property',
  },
};
