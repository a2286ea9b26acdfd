/** Words of each class of harm, and of what turns it into something harmless, written for this project. Shaped as those of `words.ts`. */
import type { HarmClass } from '../../../shared/policy/models/classes.js';
import type { Words } from './words.js';

export const HARM_WORDS: Record<HarmClass, Words> = {
  kill: {
    verbs:
      'kill murder strangle stab execute behead slaughter assassinate massacre lynch exterminate hang drown suffocate smother poison electrocute gun slay butcher annihilate decapitate snipe crucify starve terminate',
    words:
      'hung hanged hanging killing killings slain assassination murderous lethal fatal deadly unalive kys genocide',
  },
  hurt: {
    verbs:
      'beat punch hit attack torture rape cut smash break kick choke hurt harm injure wound slash burn whip assault stomp shove slap bash crush throttle wring maim mutilate scald kidnap abduct ambush threaten stalk bully hammer rip tear',
    words:
      'shot shoot shoots shooting shootings beaten broke broken tore torn ripped sliced hacked chop chopped sawed bomb bombing bombed explode exploded exploding blow blew blown ignite arson hostage hostages',
  },
  die: {
    verbs: 'die',
    nouns: 'death corpse funeral grave coffin suicide overdose',
    words: 'dead dying died suicidal dies deceased overdosed overdosing buried',
  },
  weapon: {
    nouns:
      'gun knife rifle pistol grenade blade axe machete sword bullet shotgun firearm revolver silencer crossbow dagger weapon landmine missile detonator razor',
    words:
      'knives ammo ammunition ied ak47 ar15 glock armed acid petrol bat molotov dynamite tnt explosive explosives bombs petrolbomb gunpowder shrapnel fuse ghost',
  },
  agent: {
    nouns: 'toxin pathogen',
    words:
      'ricin sarin anthrax cyanide napalm thermite nitroglycerine nerve botulinum strychnine arsenic chlorine phosgene mustard vx gas fertiliser fertilizer chemical chemicals biological meth methamphetamine heroin fentanyl cocaine poisonous toxic arsenal semtex bleach ammonia',
  },
  make: {
    verbs:
      'make build construct assemble synthesise synthesize produce manufacture craft mix brew extract convert modify print prepare acquire obtain buy order sell rig plant detonate trigger purchase distil',
    words:
      'built made recipe instructions blueprint blueprints tutorial homemade diy manual steps bought ingredients step',
  },
  body: {
    nouns:
      'throat skull neck head face arm wrist thigh leg rib jaw eye chest finger knee stomach vein artery skin tooth bone back belly ear',
    words: 'teeth brains veins wrists arteries forearm forearms kneecaps windpipe lungs',
  },
  gore: {
    verbs: 'bleed gore disembowel dismember splatter gush',
    words:
      'blood bloody bled guts intestines brains severed entrails flesh wound wounds gash pool splashed dripping gutted screaming',
  },
  target: {
    nouns:
      'husband wife neighbour neighbor boss teacher classmate cop officer judge witness stranger landlord minister president politician journalist guard crowd victim child baby ex girlfriend boyfriend father mother brother sister son daughter family prisoner rival driver soldier pupil student colleague someone landlady referee',
    words:
      'him her them people everyone everybody somebody anyone man woman kids children police person you u your theirs girl boy men women',
  },
  self: { words: 'i me my myself mine im ive id yourself yourselves urself' },
  will: {
    verbs: 'want plan decide wish hope intend need',
    words:
      'will ill gonna wanna going would swear promise soon tonight tomorrow ready must lets about watch deserve deserves should next',
  },
  means: {
    nouns:
      'noose pill tablet rope railing cliff rooftop ledge paracetamol medicine bridge beam dose painkiller belt train vodka',
    words:
      'insulin bleach sleeping cutting painless painlessly noose jump jumping overdose tracks hanging medication medications antidepressants xanax tylenol ibuprofen carbon monoxide',
  },
  despair: {
    words:
      'hopeless worthless empty numb pointless alone lonely unbearable burden tired exhausted hate hating useless failure miserable sad depressed depression anxiety crying pain suffering nobody nothing living life exist existing existence alive breathing loved miss missed better',
  },
  end: {
    nouns: 'goodbye farewell note letter',
    verbs: 'end vanish disappear finish leave quit',
    words: 'over gone last final anymore forever never again done off myself sleep wake without',
  },
  thin: {
    verbs: 'starve purge fast vomit binge',
    words:
      'calories eat eating food anorexia anorexic bulimia laxatives skinny thin fat weight thinspo throw meals hungry starving throwing scars scar burns relapse relapsed',
  },
  act: {
    verbs:
      'fuck suck lick ride thrust moan masturbate finger penetrate ejaculate spank grope fondle squirt swallow jerk wank hump screw bang pound deepthroat fist grind taste rub straddle',
    words:
      'sex cum cumming came coming climax climaxed orgasm orgasms blowjob handjob oral anal intercourse fucked fucking foreplay threesome orgy gangbang creampie rode make love',
  },
  organ: {
    nouns:
      'cock dick penis pussy vagina clit tit boob nipple breast ass butt erection testicle ball thigh crotch cunt hole shaft lip hip',
    words: 'tits titties boobs asshole panties genitals groin naked body bodies',
  },
  porn: {
    nouns:
      'nude porn video pic escort hooker cam clip dildo vibrator lingerie milf hentai stripper fetish prostitute brothel',
    words:
      'naked xxx nsfw topless onlyfans erotic erotica explicit smut uncensored kinky bdsm bondage hardcore busty steamy dirty filthy sexting webcam sexy lewd raunchy adult',
  },
  desire: {
    words:
      'horny wet hard aroused turned lust hot babe baby daddy sexy naughty slutty seduce seduced seducing tease pleasure pleasuring inside deeper harder slave mistress master obey begged beg tonight whisper kinky',
  },
  undress: {
    verbs: 'undress strip unzip kiss caress cuddle flirt unbutton',
    nouns: 'bra skirt blouse dress bikini towel sheet bed lap blanket shower thong knicker',
    words: 'panties underwear clothes shirtless bedroom kissing kisses knees jeans pants took off pulled',
  },
  hide: {
    verbs: 'hide conceal evade bury dispose smuggle sneak',
    words:
      'caught trace traces traceable untraceable undetected secretly quietly silently noticing notice unnoticed suspicion alibi evidence undetectable detection knowing anyone accident accidentally',
  },
  crowd: {
    nouns:
      'school mosque church synagogue market stadium concert parade station airport embassy court office campus club hospital mall theatre temple classroom playground',
    words: 'crowded everyone inside flames ablaze petrol public subway',
  },
  tech: {
    nouns:
      'process thread server session container pod daemon task job script query terminal shell function kernel branch cache database connection port build signal node api app image tab cluster transaction worker variable array loop table user file endpoint pipeline driver command laptop computer disk instance deployment',
    words:
      'linux windows python java javascript bash docker kubernetes sql git npm powershell node php rust redis postgres nginx zombie child parent orphan orphaned stuck fork cron pid sigkill tmux unix ssh memory cpu sudo android iphone mac',
  },
  play: {
    nouns:
      'game boss level dragon zombie goblin orc monster player character film movie novel story play scene chapter episode song band actor painting museum opera stage sequel series book poem statue sculpture cartoon costume quest raid enemy knight villain hero wizard puzzle team match coach band album artist drama thriller theatre',
    words:
      'minecraft chess xbox fortnite skyrim zelda npc dnd hamlet macbeth romeo juliet shakespeare batman fictional fiction gta doom elden pokemon playstation raid campaign paintball mortal kombat sims hitman',
  },
  kitchen: {
    nouns:
      'egg onion garlic potato chicken fish trout lobster steak cake pumpkin tomato carrot mango bread butter cream dough recipe oven pan pizza coffee tea salad soup pie lamb turkey vegetable fruit biscuit melon kitchen chocolate sauce dinner lunch breakfast beer wine cocktail',
    words:
      'whites meringue fry boil bake roast grill peel pineapple crab crabs rice cheese flour sugar pasta bath lavender soap candle glitter balloon balloons confetti soda volcano craft kids birthday present toy toys nerf glue',
  },
  nature: {
    nouns:
      'weed ant wasp termite aphid moth cockroach rat mosquito flea mouse spider germ plant garden tree dog cat cow hen rooster horse frog penguin lion bee snail rabbit bull hive tick slug bacterium virus hedgehog whale bird cock tit animal pet puppy kitten willow ivy',
    words: 'mould mold mice bacteria germs lice bedbugs vet farm zoo moss species mating breed wolves',
  },
  care: {
    nouns:
      'doctor therapist nurse symptom treatment hospital clinic hotline helpline therapy patient vaccine counsellor counselor midwife psychologist volunteer antidote gynaecologist urologist',
    verbs:
      'help support prevent protect treat recover heal comfort detect store dispose report avoid recognise recognize survive cope examine',
    words:
      'safe safely safety health medical medicine cancer pregnancy pregnant cure aid signs warning crisis recovery sober grateful glad grief grieving education educational awareness infection lump rash itching contraception puberty hygiene screening',
  },
  news: {
    nouns:
      'war battle court trial law police museum historian parliament century documentary article report victim witness sentence memorial investigation senate history revolution siege earthquake treaty reporter suspect statistic rate scholar',
    words:
      'said says historical sentenced convicted arrested according ww2 wwii hiroshima holocaust nazi nazis medieval ancient ban laws legal illegal crime crimes murderers 1914 1945 jailed punishment remembered commemorate condemned professor lecture essay definition meaning',
  },
  idiom: {
    nouns:
      'time hour minute afternoon evening traffic deadline exam homework workout meeting joke weekend queue heat boredom laughter holiday audience puppy mood habit ice record phone battery heart photo portrait party budget rumour vibe show leg calorie goal ball gym morning monday boredom suspense curiosity embarrassment budget market music dance race debt',
    words:
      'laughing haha lol funny killer bored nap excited curious gorgeous shoes feet headache karaoke interview audition presentation ticket season guitar hungry cute',
  },
  negation: {
    words:
      'not no never dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt cant cannot nobody none without aint havent hasnt hadnt stop stopped against used',
  },
};
