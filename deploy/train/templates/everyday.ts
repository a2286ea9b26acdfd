import { lines } from './grammar.js';

/** Everyday talk and commerce. */
export const EVERYDAY: readonly string[] = lines(`
  where is my [order|parcel|refund|invoice]? the number is 48213
  I'd like to [return|exchange|cancel] [these shoes|my order|the jacket|the subscription]
  [can|could] I [book|reserve] a table for [two|four|six] [tonight|on Friday|at eight]?
  what time does the [store|museum|library|pool] [open|close]?
  do you have this [in black|in size 42|in stock|for women|for men|for kids]?
  the [delivery|package] arrived [late|damaged|on time, thank you]
  my [card|payment] was [declined|charged twice]
  how much is [shipping|the black one|the white shirt|a ticket for disabled visitors|the women's jacket]?
  thanks for your [help|quick reply|message], have a nice [day|weekend]
  please send the [invoice|tracking number|form] to my email
  is the [gluten free|vegan|kosher|halal] menu still [available|on]?
  [can|could] you [call|text] me [back|tomorrow|after lunch]?
  I forgot my password, how do I reset it?
  the [app|website|checkout] [crashes|is slow|shows an error] when I [log in|pay|upload a photo]
  does the hotel have [parking|a wheelchair ramp|a pool|family rooms]?
  [happy birthday|congratulations|good luck|well done] [to you|on the new job|with the exam|, we are proud]!
  let's meet at [noon|six|the station] [tomorrow|on Sunday]
  what did you [eat|watch|do] [yesterday|last night|at the weekend]?
  [the weather|the game|the party|dinner] was [great|nice|so much fun|a bit boring]
  I am [learning|teaching] [Spanish|guitar|chess|Chinese] this [year|summer]
  could you check whether my [appointment|flight|train] is [confirmed|on time]?
  two [coffees|teas|pizzas] please, [no sugar|extra cheese|to go]
  the [black|white|brown|yellow|Indian|Chinese|Mexican|Turkish] [shirt|bread|tea|dog|paint|restaurant|recipe|horse|car] is [nice|sold out|my favourite|on sale]
  how do I change the [address|size|colour|date] of my order?
  I work [as a nurse|in sales|from home|at a bank] and [like it|need new shoes]
  my [son|daughter|mother|husband|wife] [likes|needs|lost] [it|a new phone|the blue one|his keys]
  the [team|class|group] meets [every Tuesday|in room 4|online]
  do you [ship|deliver] to [Canada|Israel|Nigeria|India|Mexico|Poland]?
  I'm allergic to [nuts|milk|cats], is that OK?
  see you [soon|later|there], [drive safely|take care|bye]
  we [painted|cleaned|moved|renovated] the [kitchen|bathroom|garden shed|hall] [in light green|last week|together]
  [grandma|my aunt|my father|our dog] turns [ninety|forty|six] in [June|March]
  the [ramp|door|lift|room] is wide enough for [a wheelchair|a pram|the sofa]
  [our customers|my parents|some people|the kids] [often|sometimes] ask [how to get there|about the menu|for help]
  [could|can] you tell me how to [change|find|update|print] the [address|code|label|date]?
  what a [match|goal|game|save], [he scores|they won|two goals in a minute]
  [the cat|my bag|the parcel|the bike] was left at [the door|my neighbour's|the office|the station]
  a women's [42|medium|jacket|watch] in [US sizes|black|stock]
  [he|she|it] is [fine|late|on holiday|at the gym] and [sends regards|calls later|will be back]
`);
