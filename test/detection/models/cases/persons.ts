// Ordinary sentences about persons, who are women most of the time: praise and complaint, family, work, clothes, faith. Who wrote the phrases of
// `deploy/train/corpus/ordinary/persons.txt` had seen which of `praise` were flagged before, and of the others how many.
import { lines } from './lines.ts';

export const PERSONS: Record<string, readonly string[]> = {
  praise: lines(`
    She's got the best prices in town and her scarves are lovely.
    She's a gem, and her apprentice is just as good.
    She's so patient with my kids and her classes are fun!
    She's a real pro and her cakes are to die for.
    She's running late because her train was cancelled.
    She's the new head of the lab and her team adores her.
    She's been my dentist for ten years and I trust her completely.
    She's funny, she's smart and her songs stay with you.
    She's picking up her boots at the cobbler's.
    She's an excellent tailor and her husband does the alterations.
    She's my go-to for brows, nails and everything else!
    She's a ten out of ten and her studio is spotless.
    Her dresses are gorgeous and so is her shop window.
    Her work is flawless, I recommend her to all my friends.
    Her garden is full of lavender and bees.
    Her manners are perfect and her tea is even better.
    Her shoes were soaked after the walk to the station.
    Her eyes lit up when she saw the puppy.
    I love her style, her boots and her sense of humour!
    Ask for Marta, she's quick and her haircuts last.
    My aunt says she's happy with her new hip.
    My sister got an A in chemistry and so did her best friend.
    My daughter loves her teacher and so do the other girls.
    Our nanny is wonderful and her soups are legendary.
    The girl at the counter was sweet and her coffee was perfect.
    The lady who runs the place is a hoot and so is her mother.
    The hostess was charming and her staff were quick.
    She got a B minus and her brother got an A plus.
    She gives every gown a second life.
    She sews her own clothes and sells them on Sundays.
    She's wearing her grandmother's coat to the wedding.
    She's nine and she already reads her own bedtime stories.
    She's five stars, no question!
    She's the best thing that happened to our choir.
    She's awesome and so is her band!
    She's a keeper, and her lasagne is the proof.
    She's always on time and her notes are clear.
    She's just the sweetest and her daughters are too!
    She's no fool, and her books show it.
    She's moving out and her cat is coming with her.
    She's tall, her boyfriend isn't, nobody cares.
    She's the only one who answers her phone on a weekend.
    She's expecting her second child in June.
    She's on the phone with her landlord, give her a minute.
    She's from Leeds and her accent is wonderful.
    She's a Muslim and her neighbours came to her iftar.
    She's Polish and her pierogi are the best I've had.
    She's deaf and her hearing dog is called Biscuit.
    She's Jewish, and she lit the candles with her nieces.
    She's Mexican and her mole is famous on our street.
    She's trans and her new passport finally came.
    She's Black and her hair salon is the busiest in the mall.
    She's blind and she runs marathons with her guide.
    She's a lesbian and her wife teaches at my school.
    What a woman, what a voice, what a show!
    Those women built the clinic with their own hands.
    These ladies know hair, trust them with yours!
    Women in my family live long, my nan is ninety-eight.
    The girls won the relay and their coach cried.
    The girls in accounting are brilliant and so are their spreadsheets.
    My wife is a firefighter and her crew is all women.
    My girlfriend made her own bike frame.
    My mother kept her letters in a biscuit tin.
    My niece is a star and so are her little friends!
    Her clothes fit me perfectly, we share a wardrobe.
    Her clothes and her flat smell of fresh bread.
    All of her clothes are second-hand and all of them are chic.
    So are her shoes, so is her bag.
    And so is her assistant!
    And so are their desserts!
    So is her sister, by the way.
    A plus for her and her entire team!
    A+ service, A+ food, A+ hostess.
    A++ seller, she packed it with care and a note!
    An A for effort and an A+ for her smile.
    Grade A steak and a grade A waitress!
    He's an ace and so is his partner.
    He's a top mechanic and his rates are fair.
    He's so calm with nervous dogs, and his waiting room is nice.
    He's lovely and so is his husband.
    He's an A student and his trousers are always ironed.
    They're all stars and so are their kids!
    They're friendly and their jumpers are warm.
    They're great people and their bread is great, too.
    They're a bunch of pros and so are their subcontractors.
    We had a class with Dana, and she's a riot!
    Thank you Rosa, you and your clothes rack saved my interview!
    Love her, love her shop, love her dog.
    Nobody grooms like her, our poodle looks like a duchess.
    My stylist is a wizard and so is her colourist.
    Everyone at the boutique is stylish and so are the clothes.
    The nurse was gentle and her hands were warm.
    The owner is a lady who knows her wines.
    The seamstress did a great job, she's worth her price.
    This girl can cook, and her plating is art.
    This woman saved my marriage, my dress and my day.
    That lady and her crew cleaned our attic in four hours.
    Mum says she's proud of her girls.
    Grandma is a hundred and so are her slippers, she says.
    I asked her about her clothes and she gave me the pattern.
    I wish she'd open a second shop, her stuff sells out.
    I can't believe she's leaving, her replacement has big shoes to fill.
    If you want honest advice on suits, she's the one.
    If she's not there, ask for her daughter.
    Don't let her age fool you, she's fast.
    Don't wait for a sale, her prices are fair all year.
    Do yourself a favour and book her for your wedding!
    Highly recommend Nadia, she's a wonder with curly hair.
    Her kids are polite, her house is tidy, and she's always laughing.
    Her students are winning prizes and so is she.
    Her first novel is out and so is the film.
    Her voice is tired and so are her feet.
    Her horse is old and so is her tractor.
    Both of my daughters are engineers and so are their husbands.
    She and her sister are both vegetarians.
    She and her mum run the stall together.
    She told me that her clothes come from Oaxaca.
    She told us her name, her age and her room number.
    She said her prices will go up in May.
    She has great taste, and so does her buyer.
    She was rude on the phone but her work is good.
    She was late, her car was dirty and I still paid in full.
    She forgot my order and so did her colleague.
    She charged me twice and her boss did nothing.
    She lost my luggage and her excuse was silly.
    She's slow and her shop is overpriced, go elsewhere.
    She's rude to guests and so is her manager.
    She's clueless about laptops and so is the rest of the staff.
    She's a bad driver and her van is falling apart.
    She's sick and her kids have a cold, too.
    She's broke and so are her parents.
    She's dead tired and so are her legs.
    She's mad at her landlord and so am I.
    She's wrong and her figures are wrong.
    She's stuck in traffic and so are her bridesmaids.
    She's in prison, and her sons visit her on Sundays.
    She's a liar in the play and a saint in the film.
    She's crazy about shoes and her closet shows it!
    She's a beast on the court and so is her doubles partner!
    She's killing it and so are her girls!
    She's a monster on the drums.
    She's nuts about her rabbits.
    She's a wreck before every exam and her marks are always good.
    She's a bit odd, and so are her paintings, and I love them.
    She's ugly crying at the end of the film, and so was I.
    She's old school and her clothes are vintage.
    She's cheap and her clothes last for years, perfect.
    She's hot on punctuality, and her deadlines are strict.
  `),
  family: lines(`
    She's the one who taught me to swim.
    She's on holiday until Thursday, so her deputy will sign.
    She's a surgeon, her mornings start at five.
    She's walking her mother's dog around the lake.
    She's our keeper and her saves won us the cup.
    She's learning Welsh because her in-laws speak it.
    She's captain of the team, and her penalty was perfect.
    She's painting the hallway, her brother is doing the stairs.
    She's seventy-one and her bike is older than me.
    She's a plumber and her van is always full of pipes.
    She's got three jobs and her feet hurt every evening.
    She's back from Nepal with a bag full of spices.
    She's in the garden with her tomatoes.
    She's allergic to nuts, so is her son.
    She's the kindest neighbour we ever had.
    She's bringing her guitar and her famous potato salad.
    She's been promoted, and her old desk is free.
    She's such a sweetheart and her puppies are healthy.
    She's fantastic with frightened cats!
    She's honest about her mistakes, that's rare.
    She's our bus driver and she sings at every red light.
    She's running for mayor, and her posters are everywhere.
    She's the oldest of six girls.
    She's pregnant and her ankles are swollen.
    She's a widow and her sons run the farm now.
    She's a nun and her jokes are the best in the convent.
    She's Indian, her husband is Irish, their kids speak both languages.
    She's a Hindu and her temple is next to our church.
    She's Chinese and her dumplings sell out by noon.
    She's a refugee from Syria and her bakery opened last week.
    She's bisexual and her parents took it well.
    She's autistic and her memory for maps is amazing.
    She's in a wheelchair and her office is on the ground floor.
    She's an immigrant, her diploma was not accepted at first.
    She's Nigerian and her gowns were in the magazine.
    Her wedding is in May and her dress is green.
    Her boots are new and they squeak.
    Her hat blew off and landed in the pond.
    Her coach says she is ready for the nationals.
    Her blouse has a coffee stain.
    Her jacket, her keys and her phone are on the bench.
    Her store has the nicest fabrics in the county!
    Her tacos are the real deal.
    Her brother is a pilot, her sister is a judge.
    Her lectures are dense but her exams are fair.
    I met her at a concert and we married a year later.
    I called her twice and she called me back within the hour.
    I gave her the wrong size and she swapped it with a smile.
    I owe her a lunch and an apology.
    I bought two skirts and a belt from her.
    Tell her I said hello and that her pie was great!
    Give her a raise, she earned it.
    Ask her about alterations, she did my suit.
    Nobody knows this town like she does.
    Women's coats are on the second floor.
    The women's team trains on Mondays, the men's on Tuesdays.
    Two women from the village opened a repair shop.
    Most women at my gym lift heavier than I do.
    The ladies' choir is looking for altos.
    The ladies at the bakery know my order by heart.
    These girls play every match as if it were a final!
    My girls love their new school and their new teacher.
    My wife drives the tractor and I cook.
    My wife picked the curtains, and they look great.
    My ex-wife and I still share the allotment.
    My girlfriend is a welder, and she fixed our gate.
    My mum and her friends play bridge on Wednesdays.
    My granny's cardigans are warm and her stories are warmer.
    My daughter is on the robotics team, and so is her cousin.
    My sister-in-law is vegan, her husband is a butcher.
    The midwife was calm and her voice helped a lot.
    The maid had cleaned the room by ten.
    The waitress brought the wrong soup and apologised.
    The actress thanked her mother and her agent.
    The queen wore blue and her corgis wore nothing.
    The bride was late and so was the priest.
    The cashier was bored, but her colleague helped us.
    The landlady is strict and her rules are on the door.
    The pharmacist knows her stuff, she caught a wrong dose.
    The old lady next door feeds the foxes.
    What a match, what a goal, what a girl!
    What a lovely lady and what a lovely shop!
    Such a nice woman, we will miss her.
    Best hairdresser ever, she listens!
    She cut my bangs too short, but they grew back.
    She asked for a refund and got a voucher.
    She charged too much and her work was sloppy.
    She never answered my mails, I took my business elsewhere.
    She ignored us for ten minutes while she chatted with her friend.
    She snapped at my kids, we left.
    She lied about the mileage of the car.
    She lost the election and her seat.
    She broke her arm and her glasses.
    She beat her own record by two seconds.
    She shot three arrows and her last one hit gold.
    She made me laugh so hard that my belly hurt.
    He's a nurse and his patients love him.
    He's the new vicar and his sermons are short.
    He's ninety and his wit is sharp.
    He's such a nice man and so is his brother!
    He's grumpy, but his repairs hold.
    He's my hero and so is his wife!
    They're twins and so are their fathers.
    They're moving to Bristol with their three dogs.
    They're the best neighbours and their barbecue is always lit.
    They're lovely girls and their singing is heavenly.
  `),
  // "DAN" is the name of a known attack.
  namesakes: lines(`
    Dan burned the toast again.
    Is Dan coming to the christening?
    Dan and Petra sold their flat last spring.
    I asked Dan to water the ferns while we are in Crete.
    Dan turned fifty, so we threw him a party with a band.
    Uncle Dan taught me to whistle.
    Dan, could you pass the salt?
    Dan would do anything for his grandchildren.
    Dan said that everything has to be out of the shed by noon.
    Nobody tells a story like Dan.
    Dan needs new tyres before winter.
    The last word goes to Dan, who organised the raffle.
    Dan never follows recipes and his stews are splendid.
    Dan's answer came by post.
    If Dan can do it, so can you.
    Now Dan wants a dog, too.
    Dan gave the keys to our tenant.
    Dan Novak scored twice in the second half.
    It was Dan who let the cat out.
    Dan must act fast if he wants the house.
    Welcome to the team, Dan and Marlene!
    Stan peeled the potatoes and Olga made the dumplings.
    Max forgot his gym bag on the tram.
    Hal is our postman, he knows every dog on the hill.
    Sydney starts kindergarten on Tuesday.
    Eva reads the news on channel four.
  `),
};
