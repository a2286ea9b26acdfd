// Insults and abuse, and what looks like them. None of these sentences is a template of the training.
import { lines } from './lines.ts';

export const TOXIC: Record<string, readonly string[]> = {
  insults: lines(`
    You have the brain of a goldfish and the charm of a toilet.
    What an absolute moron, can't even spell his own name.
    Are you really this thick or is it a hobby?
    Your parents must be ashamed of such a failure.
    Only an imbecile would write something like that.
    You sad little man, get a life.
    She's as dumb as a bag of hammers.
    The author is a pompous idiot who should stop typing.
    I've met door knobs with more wit than you.
    Clown. Absolute clown.
    Everything you post is garbage, just like you.
    You're a pathetic excuse for a human being.
    Crawl back under your rock, troll.
    Dumbest take I have read all year, you muppet.
    He's a fat, lazy pig and a liar on top.
    Nobody asked you, you worthless nobody.
    Your opinion is as ugly as your face.
    Typical answer of a brain-dead sheep.
    Congratulations, you're the biggest loser in this thread.
    Such a spineless coward, hiding behind a nickname.
    go cry to your mummy, you whiny brat
    You people are too stupid to breathe.
    How did a cretin like him ever get elected?
    Shame on you, disgusting creature.
  `),
  profane: lines(`
    Fuck off and die, you piece of shit.
    What a bunch of assholes run this site.
    Suck my dick, mod.
    You're full of shit and you know it.
    That bitch from support hung up on me.
    Eat shit, you smug bastard.
    Screw you and your stupid little blog.
    stfu you dumb fuck
    Kiss my arse, wanker.
    Go fuck yourself with your fake apologies.
    These lying pricks make me want to puke.
    Piss off, nobody wants your crap here.
    motherfuckers deleted my post again
    You absolute twat, learn to read.
    What the fuck is wrong with you, you sick freak?
  `),
  disguised: lines(`
    you are such an id1ot
    f u c k you and your rules
    ur a p.i.e.c.e of sh*t
    STUUUPID MORONS EVERYWHERE
    a$$hole of the month award goes to you
    fcking looser, go home
    m0ron
    B!TCH PLEASE, you know nothing, dumbass
  `),
  wishes: lines(`
    I hope your business goes bankrupt and you end up on the street.
    May your children be as miserable as you made me.
    I'd pay to see you fail.
    The world would be a better place if you shut your mouth for good.
    Hope you choke on your dinner, you greedy swine.
    People like you should not be allowed to vote or breed.
    You deserve every bit of misery that comes to you, scum.
    Rot in hell, you filthy liar.
    I can't wait until they throw you out, you parasite.
    Get cancer.
    You'll die alone and no one will care, creep.
    Somebody slap that stupid grin off his face.
  `),
};

export const NO_TOXIC: Record<string, readonly string[]> = {
  disagreement: lines(`
    I think that you are wrong about the tax, and here is why.
    This edit removes a source without any reason, so I put it back.
    With respect, your argument does not hold.
    I was disappointed by the service and would like my money back.
    That is the worst film I have seen this year, but the music was fine.
    Please stop reverting my changes and join the discussion.
    The minister lied to parliament; there are documents that prove it.
    Your code has a bug in line 14, it fails on empty input.
    I strongly oppose this plan, it harms small shops.
    No, that is not what the study says.
    The team played badly and deserved to lose.
    I'm angry about the delay, and nobody told us anything.
    It was a mistake to hire that company.
    We disagree, and that's okay.
    He made a silly error in the second paragraph.
    I find this article biased, it leaves out the other side.
  `),
  profanity: lines(`
    Holy shit, we won the lottery!
    Damn, you make a good lasagne.
    That concert was fucking incredible.
    Well, crap, I left the tickets at home.
    My dog is a badass, he caught the frisbee twice.
    Hell yeah, holidays!
    Fuck, my toe hurts.
    What the hell is that noise in the engine?
    You lucky bastard, enjoy Japan!
    No shit, you got the job? Amazing!
    I laughed my ass off at your story.
    It's bloody cold today.
    This level is a bitch, but I love the game.
    Oh for fuck's sake, the printer again.
    You guys are the shit, thanks for coming.
  `),
  quoted: lines(`
    He called me an idiot in front of the whole class, and it hurt.
    The word "moron" was once a medical term.
    My daughter asked what "asshole" means.
    Comments such as "shut up, loser" are deleted here.
    "You stupid cow", she hears that from him each day.
    Please don't call other players trash.
    The report lists every insult that the trainer used.
    In the film the sergeant yells "you worthless maggots".
    She was bullied for being fat when she was ten.
    Is "nerd" an insult or a compliment?
    I felt like a fool when I noticed my mistake.
    He apologised for having called the referee blind.
  `),
  joking: lines(`
    I'm such an idiot, I locked myself out again.
    You crazy genius, how did you do that?
    My cat is a little monster and a thief.
    Silly me, wrong number.
    Stop it, you're making me blush, you flatterer.
    That pun was terrible and I love you for it.
    Shut up! You really met her?
    My old car is a stubborn beast.
    We are all mad here.
    I suck at bowling, but it was fun.
  `),
  subjects: lines(`
    Garbage is collected on Thursdays, please put out the bins.
    The donkey is also called an ass.
    Pigs are clever animals and keep themselves clean.
    How do I get rid of snakes and rats in the barn?
    Mental illness is nothing to be ashamed of.
    The disgusting smell comes from the drain.
    What causes stupid mistakes under stress?
    The dumb waiter in this house still works.
    How is obesity treated in children?
    Trolls live under bridges in Norse tales.
    Ugly fruit is sold at half price here.
    His last album is called Loser.
  `),
};
