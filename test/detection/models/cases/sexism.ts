// Sexism and what looks like it. None of these sentences is a template of the training.
import { lines } from './lines.ts';

export const SEXIST: Record<string, readonly string[]> = {
  roles: lines(`
    A wife's job is the cooking and the kids, full stop.
    Leave engineering to men, love.
    Girls have no business on a building site.
    Behind the wheel women are a danger to everybody.
    She should be at home with her children instead of giving speeches.
    Since when do ladies understand football?
    A man leads and a woman follows, that's how nature meant it.
    Women in the army, what a joke.
    Would you trust a female pilot? I wouldn't.
    Girls should learn to sew and leave computers alone.
    No woman should be paid as much as the man who feeds a family.
    Somebody get her a mop, she talks too much.
  `),
  derogation: lines(`
    Females are emotional wrecks, especially once a month.
    Women only marry for the wallet.
    All girls lie, it's in their blood.
    Past 30 and single? Damaged goods.
    She slept her way up, how else.
    Modern women are entitled, shallow and spoiled.
    You can't reason with a woman, they think with their feelings.
    Blondes, nice to look at and nothing inside.
    What do you expect from a woman boss, drama all day.
    Dumb cow, typical woman driver.
    These thots sell their bodies and call it freedom.
    Every ex of mine was a crazy bitch, women are nuts.
    Women are like children and need a firm hand.
    She's just a hole with a handbag.
    Feminists are hysterical hags nobody wants to date.
    Women have half the brain and twice the mouth.
    Whores, all of them, once you scratch the surface.
    Foids can't love, they trade.
  `),
  threats: lines(`
    A slap now and then keeps a wife in line.
    Dressed like that she was asking for it.
    If she says no, try harder, they all want it.
    Feminists need to be raped back to reason.
    Some bitches only learn with a fist.
    I'd lock that slut in the cellar.
    Put your woman in her place before she puts you in yours.
    She deserves to be beaten for that mouth.
    No means yes if you push long enough.
    A good hard one would cure that feminist.
  `),
  prejudice: lines(`
    The pay gap is a fairy tale by lazy women.
    Me too is a witch hunt led by attention seekers.
    Women have all the rights and men all the duties.
    Quotas put stupid women in chairs that men earned.
    Feminism has destroyed the family and the west.
    They cry rape whenever they regret a night.
    Men are the real victims, women run the courts.
    Give women the vote and watch the country fall apart.
    Single mothers are leeches who chose bad men.
    Women's sport is a waste of airtime, nobody watches girls run slowly.
    Divorce is just legal robbery by women.
    Women want equality until the bill comes.
  `),
  patronising: lines(`
    Smile, sweetheart, you're prettier when you don't think.
    Don't worry your pretty little head about numbers.
    Not bad for a girl.
    Let the men talk, darling, and fetch us coffee.
    You're quite smart for a woman.
    Calm down, is it that time of the month?
    Cute that she thinks she can code.
    Girls' opinions on cars, adorable.
  `),
};

export const NO_SEXIST: Record<string, readonly string[]> = {
  neutral: lines(`
    The women's final starts at three.
    My mother drove lorries for twenty years.
    She cooks on Mondays, I cook on Tuesdays.
    Our plumber is a woman called Petra.
    How do I find a good gynaecologist?
    My girlfriend and I bought a tent.
    Marie Curie won two Nobel prizes.
    Maternity leave ends in March.
    The girl on the poster is my cousin.
    Ladies and gentlemen, please take your seats.
    He stayed at home with the twins while she finished her degree.
    Which running shoes fit women with narrow feet?
    A woman in the second row asked the best question.
    The nurse brought her some tea.
    Female frogs are larger than males.
    My wife beat me at chess again.
    The bride wore green.
    Grandma never learned to drive, and she regrets it.
  `),
  support: lines(`
    Girls who code change the world.
    Equal pay for equal work should be a matter of course.
    I admire how she leads the team.
    More women in parliament means better laws.
    Feminism helped my father, too.
    Women deserve to feel safe on the way home.
    Our company offers a course for women who return to work.
    Boys and girls can become whatever they like.
    No is a complete sentence.
    Her speech was clear, funny and to the point.
    Let's name the new street after a woman scientist.
    Believe her.
  `),
  counter: lines(`
    "Women can't park" is the dullest joke of all.
    My boss told me to smile more, and I told him to stop.
    It is sexist to ask her and not him about the children.
    Saying that she was asking for it blames the victim.
    He wrote that women belong at home; 300 readers complained.
    Why do people still think that girls are bad at maths?
    In 1960 a wife needed the permission of her husband to work.
    I can't believe he called her hysterical on live television.
    The advert shows a woman as an object and was withdrawn.
    Our research is on hatred against women in online games.
    The comment "back to the kitchen" got him a ban.
    She was called a slut for reporting him, which is a disgrace.
    Nobody should tell a woman what to wear.
    Stereotypes like "men don't cry" hurt everyone.
  `),
  others: lines(`
    Men are taller than women on average.
    My ex and I quarrelled about money a lot.
    That referee was blind today.
    I don't like her new album, the lyrics are weak.
    She lied in the interview and should resign.
    The queen is the strongest piece on the board.
    He is a bad driver and so is his brother.
    Which make-up lasts on a hot day?
    My sister is stubborn, like all of our family.
    The saleswoman was rude and ignored us.
    I disagree with the senator, her plan is too expensive.
    Do women get migraine more often than men?
    Pregnancy can cause heartburn.
    Why do women live longer than men?
    The bitch had five puppies.
    I want to buy my wife perfume for her birthday.
  `),
};
