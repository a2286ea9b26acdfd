// Hate in single sentences, beside the groups of `hate.ts`, and what looks like it. None of these sentences is a template of the training.
import { lines } from './lines.ts';

export const HATE_SENTENCES: Record<string, readonly string[]> = {
  plain: lines(`
    I wouldn't let a Muslim near my kitchen, they are dirty people.
    Jews pull the strings everywhere and suck us dry.
    Gypsies steal as soon as they can walk.
    Gay men are sick and should be treated like patients.
    Black people just aren't as clever as the rest of us, it's science.
    Who wants to look at cripples while eating?
    The Chinese are a plague, they ruin every city they settle in.
    Trans women are perverts in wigs, nothing else.
    Indians stink, that's all there is to say.
    Refugees are lazy rats who live off our money.
    I despise Mexicans, always have.
    Autistic kids are a waste of a teacher's time.
    Arabs understand only the whip.
    Lesbians are ugly because no man wanted them.
    Hindus worship dirt and live in it.
    Africans should thank us for ever having met them.
    An immigrant will never be a real citizen, whatever his passport says.
    Catholics are brainwashed scum, all of them.
    Old people are useless mouths to feed.
    Deaf people are dumb, simple as that.
  `),
  violent: lines(`
    Next mosque I see, I throw a match.
    Somebody hand me a bat, there are queers in the park.
    Put the migrants on a boat and sink it.
    Hitler should have finished the job with the Jews.
    Trans freaks must be hunted down.
    Every Pakistani in this street will get a brick through the window.
    Sterilise the disabled, problem solved.
    Bring back lynching for blacks.
    We should shoot refugees at the border, women first.
    Let's beat the gay out of him.
    Gas the gypsies.
    All asylum seekers into camps, then throw away the key.
  `),
  hinted: lines(`
    You know what they say about Jews and money, and it's true.
    Since the Turks moved in, nobody leaves the bike unlocked.
    A black president? The stables have been opened.
    Two men with a child, that poor thing doesn't stand a chance.
    With a headscarf like that she should clean, not teach.
    Funny how each new Syrian family has a new car.
    Give a Roma your hand and count your fingers afterwards.
    If they can't speak our language they can't have brains either, these foreigners.
    Blind people at the cinema, what's next, dogs at the opera?
    Those people multiply while we work, soon the street is all Somali.
    A real woman is born, the rest is a carnival costume.
    Another day, another African who needs our taxes.
  `),
  slurs: lines(`
    Shut up you filthy paki.
    Look at that faggot walk.
    No trannies in our changing room, get lost.
    Bloody chinks brought the virus.
    My street is full of niggers now.
    Hey retard, did they let you out of the home?
    Damn kikes own the whole bank.
    Send the wetbacks home.
  `),
  disguised: lines(`
    m u s l i m s are filth
    k1ll all j3ws
    Gayz r disgustin and shud b locked up
    I h8 immigrnts so much
    BLACKPEOPLE ARE ANIMALS
    Trans ppl = mentally ill vermin
    r3fugees ar3 par4sites
    I ha.te i.ndi.ans
  `),
};

export const NO_HATE_SENTENCES: Record<string, readonly string[]> = {
  identity: lines(`
    My wife is Turkish and we met at a swimming course.
    As a black man in tech, I mentor two students a year.
    I'm a lesbian, a mum of three and a terrible cook.
    We are a Jewish family and light the candles together.
    He is deaf and teaches sign language at the college.
    Being trans is the least interesting thing about me.
    The Sikh temple serves free lunch to everybody.
    Our imam plays table tennis with the vicar.
    My gay uncle taught me how to fish.
    Many Romanian nurses work in this hospital.
    I use a wheelchair, is there a lift?
    Two Nigerian engineers joined our team in May.
    Muslims fast during Ramadan from dawn to sunset.
    She came here as a refugee and runs a tailor's shop.
    The Chinese new year parade passes our house.
  `),
  counter: lines(`
    Saying that Jews rule the world is an old lie with terrible results.
    It disgusts me how some people talk about refugees.
    Whoever spits at a trans woman has never learned manners.
    The phrase "gypsies steal" was all over the paper, and nobody apologised.
    My teacher stopped the lesson when a boy said that black people are stupid.
    I left the group since they kept joking about disabled people.
    "Go back to Africa", he shouted, and the whole tram shouted at him to get off.
    Islamophobia hurts all of us.
    You cannot call people vermin because of their passport.
    The mayor said that hatred of gay people has no home here.
    Racists who say that Asians carry diseases should read a book.
    Antisemitism begins with words.
    Why do you believe that immigrants are lazy? Mine was the hardest working dad ever.
    They painted "death to Muslims" on the wall, we cleaned it together.
    Whoever attacks a synagogue attacks our town.
    The court ruled that "gas the Jews" is a crime and no opinion.
  `),
  news: lines(`
    Police arrested two men who had beaten a gay couple.
    The exhibition documents how Roma were murdered in the camps.
    Attacks on asylum homes rose by a fifth.
    The Rohingya were driven out of their villages in 2017.
    A law that forbade black people to vote was struck down.
    Survivors of the genocide in Rwanda told their stories.
    The comedian apologised for a joke about disabled people.
    Unemployment among young immigrants fell to 8 %.
    Hate crimes against Asian Americans were the topic of the hearing.
    What did the Nuremberg laws forbid Jews to do?
    The club banned a fan for monkey noises against a black player.
    Women in Iran protest against the headscarf law.
  `),
  reclaimed: lines(`
    We're queer, we're here, and the buffet is open.
    My bitches and I are off to Ibiza.
    Dykes on bikes lead the parade again this year.
    As a crip artist I paint what I like.
    My nigga, congrats on the baby!
    This old queen still dances till four.
    I'm a proud fag and a prouder dad.
    That's what we call each other, us queers, and it is ours.
  `),
  homonyms: lines(`
    Light fell through a chink in the curtains.
    The dykes held when the storm came.
    A fag is what my nan calls a cigarette.
    The mechanic says the tranny of my truck is worn.
    I coated the cloth with a flame retardant.
    Coon cats are large and calm.
    Eat the cheese with a cracker.
    There's a nip in the air this morning.
    My knee is giving me gyp today.
    Spick and span, the whole flat.
  `),
  others: lines(`
    I hate Mondays, and wasps even more.
    All bankers are crooks, my uncle used to say.
    Manchester fans are unbearable after a win.
    Landlords in this city are greedy vultures.
    You're a disgusting cheat, Martin.
    The cockroaches in the cellar have to be exterminated.
    My boss is an evil man without a heart.
    Whoever parks on the pavement should lose the licence.
    Tories ruined the railways.
    Cyclists think that red lights are decoration.
    I can't stand people who chew loudly.
    Fucking hell, this queue is endless.
    Burn the witch! says the crowd in the second act.
    Kill the weeds before they kill the roses.
    These shoes are a disgrace.
  `),
  questions: lines(`
    Why do Hindus not eat beef?
    Are lesbians allowed to adopt in Italy?
    How can a blind person use a smartphone?
    Why are so many Kenyans good at running long distances?
    Which holidays do Sikhs celebrate?
    What should I know before I visit a mosque as a Christian?
    Do Japanese people really bow that often?
    Is it rude to ask a trans friend about the operation?
    Why were Jews blamed for the plague in the Middle Ages?
    Should white people have to wear hats on Tuesdays?
    How many Roma live in Hungary?
    Why do some people hate immigrants?
  `),
};
