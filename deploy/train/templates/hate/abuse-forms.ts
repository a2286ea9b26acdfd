/** Forms of insults and of sexism, and what looks like them, beside the wordings of `hate.ts`: each combines words of several lists. */
import { lines, list, type Vocabulary } from '../grammar.js';

export const ABUSE_VOCABULARY: Vocabulary = {
  fool: list(
    'idiot, moron, imbecile, loser, clown, coward, liar, fool, halfwit, dimwit, troll, brat, creep, pig, rat, hypocrite, parasite, nobody, cretin, dumbass, weasel, scumbag, jerk, asshole, twat, wanker, prick, dickhead, bastard, snowflake, fanboy, sheep, waste of space, piece of shit, piece of trash, disgrace, joke, failure, dunce, snake, cow, bitch, lunatic, freak, pervert, tool, muppet, shitstain, numbskull, bootlicker',
  ),
  nasty: list(
    'stupid, pathetic, dumb, ignorant, worthless, ugly, fat, lazy, brainless, spineless, disgusting, filthy, whiny, smug, pompous, ridiculous, clueless, miserable, fucking, goddamn, retarded, arrogant, delusional, vile, rotten, greedy, sad little, half-baked, idiotic, slimy, pretentious, sick',
  ),
  target2: list(
    'you, the author, this editor, that mod, the admin, my boss, your mother, these people, the minister, this guy, whoever wrote this, the support, her, him, the reviewer, the whole team, OP, the speaker, your friends, the manager, this senator, your kind, that actor, our teacher, the referee',
  ),
  go: list(
    'go to hell, get lost, piss off, fuck off, shut up, shut your mouth, get a life, go away, drop dead, eat shit, kiss my ass, screw you, fuck you, rot in hell, crawl back into your hole, bugger off, go cry to mummy, get stuffed, jump in a lake, stfu, gtfo, suck it, go choke on it, bite me',
  ),
  slight: list(
    "you have no brain, nobody likes you, you can't even read, your opinion is worth nothing, your mother must be ashamed, you could not pour water out of a boot, everyone laughs at you, I have seen smarter rocks, you are full of shit, you make me sick, your face is an insult, you know nothing, you embarrass yourself, learn to spell, no one asked you, you should be ashamed to exist, your blog is garbage, only a fool would say that, you suck, you will die alone, you are what is wrong with this world, I have scraped better things off my shoe, you are a waste of oxygen, your brain is the size of a pea, you wouldn't know a fact if it bit you, do us a favour and quit the internet, you reek of failure, it must hurt to be this dense, we all hate you, you deserve nothing but misery",
  ),
  work: list(
    'this article, the update, your code, the film, this plan, the new law, his speech, the second chapter, the service, this argument, her album, the design, your edit, the study, this app, the proposal, that decision, the game, their policy, the report, the ending, this recipe, the survey, your summary',
  ),
  flaw: list(
    'is wrong, has an error, is misleading, does not convince me, lacks sources, is too long, disappointed me, is a mistake, fails on empty input, is badly organised, leaves out the other side, costs too much, is boring, makes no sense to me, hurts small shops, is the worst this year, needs work, is biased, broke my build, was a letdown, is unfair, contradicts the data, ignores the facts, is hard to follow',
  ),
  politely: list(
    'with respect, I think that, in my view, I am afraid that, sorry but, to be fair, honestly, I must say, as I see it, I disagree because, no, frankly, in short, unfortunately, as far as I can tell, it seems that',
  ),
  swear: list(
    'shit, fuck, damn, hell, crap, holy shit, fucking hell, oh fuck, goddamn, bloody hell, holy crap, what the fuck, wtf, omfg, fuck yeah, hell yes, shit yeah, for fuck sake, damn it',
  ),
  nice: list(
    'we won, that pie was good, what a goal, I love this song, you got the job, the show was incredible, my dog is a genius, it finally works, I missed the bus, my knee is sore, it is cold today, I forgot my keys, the printer is broken again, this level is hard, what a view, you look great, I am so tired, the baby is here, I passed, we are late, that was close, the coffee is hot, happy birthday, I miss you guys, that is funny, what a plot twist, the gig was awesome, these fries are great, I am proud of you',
  ),
  intense: list('fucking, damn, bloody, freaking, goddamn, so fucking, pretty damn, hella, crazy, insanely'),
  praise: list(
    'good, great, brilliant, funny, delicious, beautiful, awesome, smart, proud of you, excited, happy, amazing, cute, talented, cool, lucky',
  ),
  womens: list(
    'women, girls, females, ladies, wives, feminists, female bosses, single mothers, girls these days, modern women, western women, career women, my ex and all women, female drivers, teenage girls, young women, female politicians, mothers at work, blondes, women in tech',
  ),
  shewho: list(
    'she, that woman, this girl, the new female boss, my ex wife, that female reporter, this actress, the lady minister, his wife, a girl, your girlfriend, that chick, this bitch, the female coach, that feminist',
  ),
  sexistclaim: list(
    'belong in the kitchen, only want money, are too emotional to lead, cannot drive, lie about rape, should obey their husbands, are bad at maths, sleep their way to the top, are gold diggers, need a firm hand, should stay at home with the kids, have no sense of humour, always play the victim, talk too much, think with their feelings, are good for one thing only, cheat as soon as they can, ruin every company, are not made for science, ride the carousel until they are thirty, want a provider and call it love, use sex as a weapon, are hysterical once a month, cannot be trusted with power, have it easier than men, expect everything and give nothing, hit the wall at thirty, are property, need to be told what to do, should be grateful that men built everything, are naturally inferior, cannot handle pressure, deserve less pay, are children with credit cards, should smile more, only complain, want to be dominated, destroy families, are sluts, are whores',
  ),
  sexistact: list(
    'belongs in the kitchen, only got the job because of her looks, needs a real man, should be at home with her kids, must have slept with the boss, was asking for it in that dress, should shut up and look pretty, needs a slap, should get back to cooking, is on her period again, is just a hole, would be nothing without her husband, should be raped, deserved it for leading him on, cannot park because she is a woman, is past her prime, is damaged goods, wants attention like all of them, should be put in her place, is a slut who sleeps around, is too pretty for science, needs to be trained',
  ),
  sexistnews: list(
    'the pay gap is a myth made up by feminists, metoo is a witch hunt against men, feminism is cancer, quotas put stupid women in charge, men are the real victims of women, giving women the vote was a mistake, no means try harder, a real man keeps his wife under control, women have more rights than men, feminazis rule the media, marriage is slavery for men because of women, divorce courts are run by greedy women, women in uniform make me laugh, nobody wants to watch women play football, female comedians are never funny, consent is a trap set by women, hypergamy is in their nature, all women are like that',
  ),
  patron: list(
    'pretty good for a female, smile sweetheart, calm down love, let the men talk, make me a sandwich, know your place woman, you drive like a woman, quite smart for a woman, are you hormonal again, go back to the kitchen, do not worry your pretty head, stop being hysterical, leave that to the boys, you throw like a girl, who let her out of the kitchen, show us your tits instead of your opinion, cute that she tries, man up and control your wife',
  ),
  womenfine: list(
    'won the cup, work as engineers, live longer than men, voted for the first time in 1919, often earn less for the same work, are under-represented in parliament, run marathons, asked good questions, deserve equal pay, get migraine more often, study medicine, play in the final at three, founded the club, can join the course, should feel safe at night, need better shoes, wrote most of the chapters, are welcome in our team, lead three of the ministries, prefer the smaller size, are affected by the new law, had no bank account of their own, protest in Tehran, travel alone, need iron in pregnancy, read more novels',
  ),
  shefine: list(
    'drives a lorry, fixed my bike, is our new mayor, gave a clear talk, cooks on Mondays, lied in the interview and should resign, won at chess, lost the election, sang badly today, is on parental leave, asked for a rise, was rude to us, runs the lab, wore a green dress, is late again, teaches maths, was promoted, hates football, became a judge, is taller than me, wrote a weak second album, beat the record, repaired the roof, raised three kids, quit smoking, is a terrible driver and so is her brother',
  ),
  mandomain: list(
    'engineering, chess, football talk, driving lorries, the cockpit, politics, coding, the stock market, building sites, refereeing, boxing, war reporting, surgery, car repairs, poker, science, the fire brigade, gaming, leadership, finance',
  ),
  mantask: list(
    'fly a plane, change a tyre, run a bank, read a balance sheet, lead a meeting, fix a tap, do sums, referee a match, park in a garage, handle a drill, keep a secret, command a ship, judge a case, set up a server, drive at night, talk about sport',
  ),
  lifeless: list(
    'a bag of chips, my toaster, a wet sponge, a lamp post, a blind mole, a donkey, a pot of glue, a broken clock, a garden gnome, a pigeon, a tin of beans, a doorknob',
  ),
  trifle: list(
    'boil an egg, count to ten, tie a shoe, read a map, find the exit, open a tin, water a plant, spell the word cat, run a bath, hold a door, add two numbers, tell left from right, fill in a form',
  ),
  sexistquote: list(
    '"women belong in the kitchen", "women cannot drive", "she was asking for it", "pretty good for a female", "girls are bad with numbers", "smile more", "calm down dear", "a woman needs a firm hand", "women are too emotional", "make me a sandwich", "no means yes", "she slept her way up", "boys will be boys", "all women lie", "feminism is cancer"',
  ),
};

export const TOXIC_FORMS: readonly string[] = lines(`
  you {nasty} {fool}
  {target2} [is|are] [a|such a|nothing but a] {nasty} {fool}
  what a {nasty} {fool} [{target2} is|you are|,]
  {slight}
  {slight}, you {fool}
  {slight}, {slight}
  {go}, {fool}
  {go}, you {nasty} {fool}
  {go} and take {work} with you
  {go} with your {nasty} {work}
  [only|just] a {nasty} {fool} [would|could] [write|like|defend|believe] {work}
  {work} {flaw}, you {nasty} {fool}
  {target2} [can|should] {go}
  [how|why] [can|is|are] {target2} [be|] so [{nasty}|dense|full of shit]?
  [listen|look|hey|oi|lol|wow], {fool}, {slight}
  I [hope|wish] {target2} [fail|choke|suffer|lose everything|get what they deserve|rot], {nasty} {fool}
  [congratulations|well done|bravo], [you are|{target2} is] the [biggest|dumbest] {fool} [here|of the year|in this thread]
  [another|typical|same] {nasty} [post|comment|lie|rant] [by|from] a {fool}
  {target2} makes me [sick|puke|want to scream], {nasty} {fool}
  are you [really|just|actually] [this|that] {nasty} or [do you pretend|are you paid for it|were you dropped on your head]?
  [I can't believe|it is sad] how {nasty} {target2} [is|are]
  [bunch|pack] of {nasty} {fool}s
  [fucking|bloody|absolute|complete|total|utter] {fool}
  [shame on|curse|screw|fuck] {target2}, [the|that|you] {nasty} {fool}
  your [brain|head|skull] [is|must be] [made of|full of|stuffed with] [sawdust|wet straw|old socks|hot air]
  did you [find|win|buy] your [licence|brain|diploma|job] [in a lucky bag|at a jumble sale|on the back of a packet], [einstein|genius|professor]?
  nobody [wants|needs|likes|invited] you [here|on this team|in this chat], [leave for good|so vanish|quit and stay gone]
  your [face|voice|breath|cooking] [makes|could make] [milk go sour|babies weep|a mirror crack|flowers wilt]
  you [smell|reek|stink] [like a wet dog|of failure|worse than a bin], and so does [your mother|your whole street]
  I [wouldn't|would not|would never] trust {target2} to {trifle}
  [even|honestly,] {lifeless} has more [brains|sense|charm|talent] than {target2}
  {target2} [can't|could not] {trifle} [without help|on a good day|if life hung on it], {nasty} {fool}
  [I have met|I have known|there are] [smarter|brighter|nicer] [bricks|puddles|fridges|potatoes] than {target2}
  talking to {target2} is like [teaching maths to|playing chess with|debating] {lifeless}
  if [brains were|wit was] [petrol|money|rain], {target2} [could not|would not] {trifle}
  {target2} is a [power hungry|power mad|lying|two-faced] [jackass|tyrant|snake|clown]
  your [post|poem|novel|essay] is [drivel|rubbish|sewage], [just like you|and so is your head]
`);

export const NO_TOXIC_FORMS: readonly string[] = lines(`
  [I feel|I felt|I was|she felt] [like|] [such a|a] {fool} [when|because|after] [the bill came|I took the wrong coat|nobody laughed|I lost the keys]
  [mental|physical] [illness|disability|health] is [no shame|common|treatable|the topic of the week]
  [this|that] [level|hill|exam|engine|knot] is a [bitch|pain in the ass|bastard|nightmare], [but|and] [I love it|we made it|it was fun]
  "you {nasty} {fool}", [she|my friend|the boy] [hears|heard|reads] [that|this] [from him|at school|online] [each day|again|all year]
  [my|the] [toe|back|tooth|head] [hurts|aches], [fuck|damn|shit]
  [a|the] [dumb waiter|idiot light|loser pool|blind spot|crazy quilt|stupid mistake|lame duck|dumb terminal|sick leave] [is explained here|was repaired|is on page six|costs extra]
  [his|her|the] [album|film|band|song|novel] is called "{fool}"
  [a|the] bitch [feeds|lost|guards] [her litter|the young ones]
  {politely} {work} {flaw}
  {work} {flaw}, [but|and] [the music was fine|I may be wrong|here is why|I would like my money back|please fix it|we can improve it]
  {work} {flaw}. [please|could you] [discuss|explain|check|stop reverting] [it|this|on the talk page]
  I [disagree|oppose this|object|do not share this view|voted against it], {work} {flaw}
  I am [angry|disappointed|sad|annoyed] [about|with] {work}, [nobody told us|it {flaw}|please call me]
  {target2} [lied|was wrong|made a mistake|should resign|misled us] about {work}, [there are documents|as the report shows|and here is the proof]
  {swear}, {nice}
  {swear} {nice}!
  {nice}, {swear}
  [this|that|it] is {intense} {praise}
  [you are|she is|my mum is|your band is] {intense} {praise}
  {swear}, [this|that] [show|soup|song|game|city] is {intense} {praise}
  I [laughed|danced|worked|froze] my ass off [at the gig|yesterday|with you|last night]
  you [lucky|crazy|magnificent|old] [bastard|devil|beast|bitch], [enjoy the trip|I love you|congrats|see you at eight]
  my [dog|cat|bike|little brother] is [a badass|the shit|a little monster|a silly idiot|a beast], {nice}
  [I am|I was|silly me, what] [such an idiot|a fool|so stupid|a clumsy cow|an ass], I [locked myself out|forgot the milk|sent it twice|missed the stop]
  [he|she|a boy|my boss|the trainer] called [me|her|us|him] [a|an] {fool} [and it hurt|in front of the class|so I left|and apologised]
  the word "{fool}" [is an insult|comes from Latin|is not allowed here|made her cry|comes from Greek]
  comments [like|such as] "{slight}" [are deleted|are not okay|hurt people|get you banned]
  [please|we] [don't|do not|never] [call|name] [anyone|other players|people] [a|an] {fool}
  [my daughter|a reader|he] asked [what|whether] "{fool}" [means|is rude|is an insult]
  in the [film|play|novel|sketch] the [sergeant|villain|king] [shouts|says|yells] "{slight}"
  she was [bullied|mocked|insulted] for being [fat|ugly|poor|slow], [and now she helps others|that is sad|which must stop]
  I would trust {target2} to [run the shop|lead us|drive my car|watch the kids|do it well]
  [I|we] could not {trifle} [in the dark|with these gloves|yesterday, my wrist hurts]
  [where|how] [can I|do you] {trifle} [here|in this game|quickly]?
  {lifeless} [has|had] [more|less] [weight|value|colour] than [I thought|last year|the other one]
  I would not trust [this rope|that ladder|the forecast|those figures|an unsigned mail], [it is old|ask again|check first]
  [garbage|trash|manure|sewage] is [collected on Tuesdays|sorted here|a resource], [please|so] [close the lid|rinse the cans]
  [donkeys|pigs|snakes|rats|sheep|cows|trolls|parasites] [are clever|live in groups|like clover|appear in the tale|are studied here]
  the [disgusting|terrible|rotten|ugly] [smell|weather|carpet|wallpaper|tooth] [is gone|comes from the drain|needs attention]
  [shut up|get out|no way|stop it], [he said yes|they paid you|that is amazing|I am blushing]!
  [thanks|thank you], that was {praise}, [even if|though] {work} {flaw}
  the [dumbest|stupidest|worst|silliest] thing [I ever did|we bought|about this phone] [was|is] [buying a boat|moving in winter|the charger|selling my guitar]
  [that|this|what a] [stupid|dumb|idiotic|ridiculous] [rule|form|law|door|button|remote|zip|deadline] [was changed|is gone|took me an hour|again]
  [this|the|my] [damn|stupid|bloody|silly|crappy] [scanner|zip|lock|wifi|alarm|drawer|engine] [sticks|broke again|keeps beeping|won't start|never works]
  my [puppy|cat|parrot|toddler|pony] is [a little|such a|the sweetest] [idiot|fool|pig|brat|rascal], [we love him|but so cute|he ate my sock]
  [you|that] [sick|crazy|absolute|mad] [beast|legend|machine|animal], [that goal|your set|this mix|the drumming] was [unreal|insane|mad]
  we [adopted|found|fed] a [pussy cat|stray bitch|pair of asses|lame duck]
`);

export const SEXIST_FORMS: readonly string[] = lines(`
  {womens} {sexistclaim}
  {womens} {sexistclaim}, [that's nature|fact|everybody knows it|always have|simple as that|lol]
  [let's face it|sorry|I'm not sexist but|honestly|admit it], {womens} {sexistclaim}
  all {womens} {sexistclaim}
  [most|nearly all] {womens} {sexistclaim} and {sexistclaim}
  why do {womens} [always|] {sexistclaim}?
  {shewho} {sexistact}
  {shewho} {sexistact}, [typical|how else|as usual|no wonder|lol]
  {shewho} {sexistact} and {sexistact}
  {sexistnews}
  {sexistnews}, [wake up|change my mind|and nobody dares to say it|bro]
  {sexistnews}. {womens} {sexistclaim}
  {patron}
  {patron}, [darling|sweetie|honey|lol|{patron}]
  [a|every] [man|husband|boss] should know that {womens} {sexistclaim}
  [never|don't] [trust|hire|marry|listen to] {womens}, they {sexistclaim}
  since when [do|are] {womens} [understand football|engineers|allowed to talk|in charge]?
  [would you trust|who hires|imagine] a [female|woman] [pilot|president|mechanic|coach]? {womens} {sexistclaim}
  the problem with {womens} is that they {sexistclaim}
  if {shewho} [says no|talks back|complains], [try harder|slap her|she wants it|show her who is the man]
  [I|we|real men] [won't|would never|refuse to] [work under|vote for|fly with|take advice from|obey|get bossed by] [a woman|a lady|some girl|females]
  [darling|ladies|girls|sweetheart|my dear], [leave|hand over] {mandomain} to [men|the boys|us guys|your husband]
  {mandomain} is [men's work|nothing for girls|a man's world|no place for a lady], [full stop|sorry|stick to knitting|as everyone knows]
  {womens} [in|and] {mandomain}? [they would weep|good luck with that|what a laugh|one broken nail and it is over|hide the keys]
  [of course|no wonder|we know how] she got [promoted|the part|that contract|the corner office], [on her knees|by flirting|with a short skirt|in his bed]
  she [flirted|smiled|undressed|slept] her way [to the contract|onto the board|to that grade], [like all of them|as they do|what else]
  [too much|blame the] [oestrogen|female drama|hormones|girl talk] [in this team|in every meeting|and nothing gets done]
  [fetch|bring|make|get] [us|me] [a coffee|a beer|dinner|a cake], [doll|sweetie|love|honey], [the grown ups are talking|men have things to settle]
  a woman's [place|duty|role|world] is [the nursery|cooking|her husband's comfort|giving birth], not [a board room|politics|the lab|bossing men around]
  she [wore|had on] [a tight skirt|next to nothing|heels], [so she wanted it|what did she expect|no wonder he grabbed her]
  [ignore|forget|don't mind] her, [it is her time of the month|she has her days|hormones again|she bleeds this week]
  I [wouldn't|would not|would never] trust [{womens}|a woman|some girl|a lady] to {mantask}
  I would [sooner|rather] let {lifeless} {mantask} than [a woman|a girl|my wife|some lady]
  [let|watch] [a woman|a girl|{womens}] {mantask} and [call the fire brigade|you pay for it|hide|laugh]
  {shewho} [should not|can't|will never] {mantask}, [that is for men|let a man do it|her nails come first|it needs a man's hand]
  [ask|get] a man, {womens} [can't|never learn to|should not try to] {mantask}
  [good|pretty|not bad] for a [girl|woman], but [let a man finish it|a man is faster|who helped her|stick to baking]
  the [best|only good] thing about [our receptionist|the new girl|that presenter] is [her legs|her bottom|the view when she bends]
`);

export const NO_SEXIST_FORMS: readonly string[] = lines(`
  [female|male] [frogs|spiders|birds|fish|bees|lions] [live longer|hunt at night|sing|have longer tails] [than the others|in most species|]
  {sexistquote} is [a poor joke|an old cliché|not funny|what my grandfather said], [and wrong|she replied|so we complained]
  [she|my friend|a witness] was called [a slut|a whore|hysterical|a bitch] [by the lawyer|in court|by her boss|online], [and won her case|which is unfair|and nobody spoke up]
  why [do|did] women [earn less|get paid less|leave science|vote differently|win fewer prizes] [than men|on average|]?
  [the|a] bitch [nursed|barked at] [the postman|her litter]
  {womens} {womenfine}
  [many|most|two|the|some] women {womenfine}
  {shewho} {shefine}
  [my wife|my mother|our boss|the neighbour|my sister|the goalkeeper|a girl in my class|the senator] {shefine}
  the [women's|girls'|ladies'] [team|final|shoes|toilet|choir|size] [starts late|is on the left|won|fits well|is sold out]
  saying {sexistquote} [is sexist|hurts|is out of date|got him a ban|is no joke|blames the victim]
  he [said|wrote|shouted|commented] {sexistquote} and [was fired|300 readers complained|she answered well|I told him to stop]
  why do people [still|] [say|think|write] {sexistquote}?
  the [advert|poster|column] with {sexistquote} was [withdrawn|criticised|from 1955]
  [I can't believe|it is sad that|in 1960] [he|they|a teacher] [said|told her|wrote] {sexistquote}
  [research|a study|our report] on [misogyny|sexism|violence against women|the pay gap] [is out|was funded|shows progress]
  [men|boys|fathers] {womenfine}
  he {shefine}
  [men and women|girls and boys] [are equal|can both lead|play together|{womenfine}]
  I would trust [her|my sister|{womens}|a woman like her] to {mantask} [any day|at once|better than I do]
  {shewho} [can|learned to|taught me to|loves to] {mantask}, [and does it well|at sixty|since May|so ask her]
  [women|girls|ladies] [learn to|can|had to] {mantask} [here|on this course|in the war|, too]
  [ask|get] [her|my wife|our coach], she [can|knows how to] {mantask}
  I would not trust [him|that firm|a stranger|my nephew] to {mantask}, [ask her|my sister is better|she will do it]
  my [ex|boss|sister|wife] and I [argued|disagreed|laughed] about [rent|the dishes|her plan|my driving]
  which [perfume|make-up|bra|bike|jacket] [suits|fits|lasts for] [my wife|a tall woman|a girl of ten|her]?
  [pregnancy|menopause|breast cancer|maternity leave] [is the topic of the talk|is not an illness|ends in May]
  I [take|got] [orders|advice|lessons] from [my sister|a woman who knows engines|our captain, she is the best|her] [and learn a lot|every day|gladly]
  [female|male] [spiders|owls|seals|bees|lions] are [bigger|smaller|louder|rarer] than [the males|the females|their mates]
  {mandomain} is [open to everyone|her profession|what my aunt teaches|taught by a woman]
  she was [promoted|hired|elected] [because of her results|after ten years|by a clear vote], [well deserved|not because of her looks]
  [women|mothers|girls] [are|remain] [under-represented|a minority|rare] in {mandomain}, [says the report|why is that|and we want to change it]
  why [do|would] [people|some men|these ads] [say|think|claim] that [women|a woman|girls] [belong at the stove|should serve|cannot lead]?
  he said [girls|women] [can't|should not] [lead|play|fly], [and we disagreed|and was told off|which is nonsense]
  what she [wore|had on] does not [matter|excuse anything], [the court said|nobody asks for that]
  [could|can] you [fetch|make|bring] [us|me] [a coffee|dinner|a cake], [please|love|when you are done]?
`);

/** Marked as those of `hate.ts`. The words that a slur is written like mean something else. */
export const HOMONYMS: readonly string[] = lines(`
  there is a chink [of light|in the fence|in his defence|between the boards]
  the [dyke|dykes] [broke|was repaired|protect the village|along the canal|must be raised]
  [I lit|he smoked|can I bum|she quit] a [fag|few fags] [behind the school|during the break|outside]
  the [tranny|tranny fluid] of my [van|pickup|old Ford] [slips|was rebuilt|leaks oil]
  a [coon|raccoon] [got into the bins|climbed the roof|raided the camp|cat needs brushing]
  [retard|we retard|you can retard] the [ignition|timing|spark] by [two|four] degrees
  [fire|flame|growth] [retardant|retarding] [foam|paint|spray] [is required|smells|dries fast]
  [cheese and|a box of|these|salted] [cracker|crackers] [with soup|for the party|are stale]
  there is a nip [in the air|of whisky left], [take a scarf|winter is near]
  [hoe|rake|spade] the [beds|weeds|potatoes] [in the morning|before it rains]
  the [slag|slag heap] [from the furnace|was removed|is used for roads]
  [spick|spic] and span, the [kitchen|boat|car] [looks new|is ready]
  the [gypsy|gipsy] [moth|moths] [eats oak leaves|caterpillar|is a pest]
  a queer [feeling|noise|smell|coincidence] [came over me|in the attic|, I thought]
  [pansies|pansy seeds|fruit|fruits] [bloom in May|in the window box|for the salad]
  my [bitch|terrier bitch] [had a litter|was spayed|won the show]
  the [spook|spooks] in the [house|agency|novel] [scared us|left files|was a cat]
  the paddy [field|fields|rice] [is flooded|look green|harvest]
  [jap|japan] lacquer [box|tray] [from 1900|for sale]
  [honky tonk|cracker jack|coolie hat|cotton gin|wop bop] [music|box|pattern|exhibit|a loo bop] [in the museum|on the radio|for the party]
  call a spade a spade [, I say|, it failed|, please]
  [flaming|flamer|a faggot of sticks|faggots and peas|meat faggots] [on the fire|for dinner|in the cookbook]
`);

export const HINTED_HATE: readonly string[] = lines(`
  since the {group} [moved in|came|took over the shop], [I lock my bike|nobody feels safe|the street stinks|property is worthless]
  give a {one} your hand and [count your fingers|you lose your arm|wash it afterwards]
  you know what they say about {group} and [money|work|soap|honesty], and it is true
  a {one} as [president|teacher|mayor|doctor], [God help us|what has the world come to|the end is near]
  [funny how|strange that|no surprise that] every {one} has [a new car|ten kids|a knife|no job]
  {group} in [first class|the pool|the gym], what's next, [apes|cattle|rats]?
  another {one} [who needs our taxes|on the dole|complaining|in the news for stabbing someone]
  soon [the whole street|our town|the school] will be [full of {group}|{adj}], [thanks for nothing|mark my words]
  if {group} [can't speak our language|want to live here], they [have no brains|should crawl|had better serve us]
  {group} should thank us for [letting them breathe|every crumb|the scraps]
  I wouldn't let a {one} [near my kitchen|touch my food|teach my kids|marry my son]
  a real [man|woman|citizen|believer] is not {adj}, the rest is a [costume|joke|disease]
  {group} [pull the strings|run the banks|control the media|suck us dry], [wake up|open your eyes]
  [my|our] grandfather [fought|would turn in his grave] [against|because of] {group}, and now they [rule us|live here for free]
  [bring back|we need] [lynching|the camps|slavery|segregation] for {group}
  [Hitler|the old king|that general] [was right|knew what to do|was too soft] with {group}
  one look at a {one} and you know [evolution failed|what filth is|where crime comes from]
  {group} [multiply|breed] while we [work|pay|sleep]
  it is [in the blood|in the genes|science]: {group} are [less clever|born thieves|not fit to rule]
  [hide|guard] your [wallet|daughters|pets], {group} are [around|in town|at the door]
`);
