/** Words of our own to try detectors of terms with: bad ones, and innocent ones that look like them. */

/** Most are compounds, inflections or spellings that no list has as they stand. */
export const BAD = (
  'fuck fucker fuckers fucking fucked fuckface fuckhead fuckwit motherfucker motherfucking unfuckingbelievable absofuckinglutely shit shits shitty ' +
  'shitting shithead shitface shitbag shitstorm bullshit horseshit dipshit apeshit batshit cunt cunts cuntface bitch bitches bitching bitchy bastard ' +
  'bastards asshole assholes arsehole dumbass jackass asshat asswipe assface piss pissed pissing pisshead prick pricks wank wanker wankers wanking twat ' +
  'twats turd turds bollocks bugger crap crappy goddamn damn nigger niggers nigga niggas faggot faggots fags kike kikes gook gooks wetback raghead ' +
  'towelhead chinky tranny retard retards whore whores whorehouse slut sluts slutty dick dicks dickhead dickface dickwad cock cocks cocksucker ' +
  'cockface cockhead tits titties boobs pussy pussies dildo dildos blowjob blowjobs handjob porn porno cumshot cumslut jizz penis vagina masturbating ' +
  'douchebag douche scumbag moron idiot idiots dimwit cocaine heroin meth junkie'
).split(' ');

/** Words that have a bad one within, or are one letter away. */
const NEAR = (
  'scunthorpe cocktail cockpit peacock cockatoo hancock woodcock shuttlecock essex sussex middlesex classic class glass pass passage passion assume ' +
  'assess assessment assist assistant assassin assembly asset assign associate ambassador embassy massage message grass bass brass mass compass harass ' +
  'embarrass cassette analysis analyst analogy canal banal penalty penistone title titan titanic constitution institute competition petition button ' +
  'butter buttercup rebuttal tribute attribute document cucumber circumstance accumulate cumulative cumbria cumin cucumbers shitake mishit ' +
  'snigger niggle niggardly trigger bigger digger dagger shoe hoard horde grape drape trapeze therapist therapeutic skyscraper rapeseed raper ' +
  'sextant sextet sixteen unisex swank swanky thank tank bank twang twain saltwater wristwatch dickens dickinson dickson benedict predict dictate ' +
  'addict verdict prickly pricked prince price fagin fagotto raccoon cocoon tycoon coonhound chinking chin china spice spicy suspicious conspicuous ' +
  'hospice auspicious pakistan japan japanese sauerkraut proof spoof poodle spoon pool pussycat pussyfoot octopus platypus opus puss ' +
  'whole wholesome where somewhere anywhere chore shore adhere sphere slot salute lust sluice bitumen batch beach pitch witch shift shirt short ' +
  'sheet shot shut shuttle fact face fuchsia fuel duck luck buck truck tuck puck muck suck count country county hunt aunt punt blunt ' +
  'damson condemn hello shell hellenic hellebore helium wheelhouse cracker scrap scrape crape homonym homogeneous homophone homage'
).split(' ');

const ORDINARY = (
  'able about above accept account across action activity actually address advice after afternoon agree airport almost already although answer ' +
  'appear apple area arrive article attention autumn average balance basket beautiful because become bedroom before behind believe better between ' +
  'bicycle birthday blanket bottle breakfast bridge bright brother building business camera capital careful castle central certain chair change ' +
  'cheese chicken children choice church circle clever climate clothes coffee college colour comfort common company compare complete computer concert ' +
  'condition consider contact contain continue control cooking corner correct costume cousin cover create culture curtain customer danger daughter ' +
  'december decide degree delicate delivery department describe design dictionary difference difficult dinner direction discover distance doctor ' +
  'dozen drawing dream during eager early earth education eight either electric elephant eleven energy engine enjoy enough entrance environment equal ' +
  'evening example excellent except exercise expect expensive experience explain express family famous farmer favourite february feeling finger finish ' +
  'flower follow foreign forest forget forward freedom friend furniture future garden general gentle glasses golden government grammar guitar happen ' +
  'harbour healthy heart heavy history holiday honest hospital however hundred husband imagine important improve include increase industry information ' +
  'anderson baker bennett campbell carter collins cooper cummings davies edwards fischer gonzalez hoffman ivanova johansson kowalski lefebvre mcdonald ' +
  'nguyen okafor patel rossi schmidt takahashi weinstein yamamoto zimmerman alice bernadette cassandra dominic eleanor fitzgerald'
).split(' ');

export const INNOCENT: readonly string[] = [...NEAR, ...ORDINARY];

/** Requests and remarks on weapons and drugs, which the bundles name by their phrases. */
export const BAD_SENTENCES: readonly string[] = [
  'how do I build a pipe bomb',
  'Tell me how to make a bomb, please.',
  'Looking for plans of a 3D printed gun.',
  'I will throw a Molotov cocktail at the shop.',
  'Which household things do I need to make napalm?',
  'Can you extract DMT from bark?',
  'he filled the car with homemade explosives',
  'They found three ghost guns and a nail bomb.',
  'Where do I buy a gun without a background check?',
  'a lab that was used for cooking meth',
  'Is there a way to make nerve gas from cleaners?',
  'He kept Semtex and two hand grenades in the shed.',
];

export const SENTENCES: readonly string[] = [
  'I made a bath bomb with lavender for my aunt.',
  'The zip bomb filled the disk of the mail server.',
  'He photobombed our wedding picture.',
  'Arm the ship, then set the sails.',
  'The marine biologist poisoned nobody, she says.',
  'A shot of espresso and a glue gun, please.',
  'Ricing the potatoes takes a minute; the arsenal is in London.',
  'The top gun of our sales team closed nine deals.',
  'Mines of salt and coal are open to visitors.',
  'Push it to the main branch before lunch.',
  'I am at two of the three meetings today, so far.',
  'She drank a cocktail in Scunthorpe with Mr Hancock.',
  'The class assessed 24 assets in Sussex and Essex.',
  'Please pass the butter, and the grass seed.',
  'It is a bit. Is it who? Who, me?',
  'The analyst from Penistone wrote the analysis.',
  'Moby Dick is a novel about a whale.',
  'He graduated magna cum laude in 1999.',
  'Homo sapiens lived here; the maine coon sleeps.',
  'There is a chink in the armour of their argument.',
  'Options: a, b, c and d; s and t are left out.',
  'My number is 555-0173, flat 5a, room b12.',
  'We met at 4:30 p.m. on 5th St., at no. 69b.',
  'A c*-algebra is a Banach algebra; 2*k + 3*m = n.',
  'Set x = a*b*c and y = f(x) - g(x)!',
  'See section 3.1.2 of RFC 2119 and ISO-8601.',
  'The U.S. and the U.K. signed it in D.C.',
  'for (let i = 0; i < n; i++) sum += a[i] * b[i];',
  'npm install --save-dev @types/node@20.1.2',
  'https://example.com/a/b?c=d&e=f%20g#h',
  'Contact: jane.doe@example.org or +44 20 7946 0958.',
  'Soooo good! Yessss, I looove this songgg.',
  'Hmmm... well, OK!!! See u l8r, gr8 job m8.',
  'I a m not s u r e what you mean.',
  'The knee-jerk reaction was to re-assess the co-op.',
  'Her passport, glasses & shoes: all in the basket.',
  'The titration used a titrated solution of iodine.',
  'Blue tits and great tits came to the water butt.',
  'Pussy willow grows by the dike near Offa’s Dyke.',
];
