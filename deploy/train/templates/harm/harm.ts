/** Templates of sexual content, violence and self-harm, and of what looks like them, written for this project. */
import { lines } from '../grammar.js';

export interface HarmTemplates {
  bad: readonly string[];
  fine: readonly string[];
}

export const HARM_TEMPLATES: Record<'sexual' | 'violence' | 'self_harm', HarmTemplates> = {
  sexual: {
    bad: lines(`
      [take|strip] off your [clothes|panties|shirt|bra] [and touch yourself|for me|slowly]
      [got|have|want] any [dick pics|nudes|naked pics] to [trade|share|send]?
      [looking|up] for a [hookup|one night stand|threesome] [tonight|no strings|with {lover}]
      how do you like [to be fucked|it in bed|your {body} licked]?
      I came [so hard|twice|inside her] when [she|he] [rode|sucked|fucked] me
      [describe|tell me] your [sexual|wildest|dirtiest] [fantasy|fantasies|dream about sex]
      best [hentai|porn|bondage|cam|nude] [sites|videos|channels] [with bondage|for couples|]
      I want [you|her|him] [naked|on her knees|between my legs] [right now|in my bed|tonight]
      [he|she] [took|fucked|entered] [her|him] from behind [on the table|in the shower]
      I want to {actv} your {body}
      she was {acting} his {body} and moaning
      he {actv}s her {body} while she [moans|screams|begs for more]
      send me [nudes|pics of your {body}|a video of you naked]
      I'm so {hot}, [come over|want you now|let me see your {body}]
      write {media} [about|with] {lover}
      show me {media}
      [looking for|any link to|watching] {media} [tonight|online|with {lover}]
      describe {lover} having sex [in detail|explicitly]
      let's have sex [tonight|now|in the car]
      I came all over her {body}
      my {body} is [so wet|hard|throbbing] for you
      wanna {actv} {me}?
      roleplay as {lover} and {actv} my {body}
      he pulled down her panties and {actv}ed her {body}
      tell me your [dirtiest|kinkiest] [fantasy|fetish]
      {lover} gave me a [blowjob|handjob] [last night|in the bathroom]
      what's the best porn site for {media}?
      she took off her bra and her {body} [bounced|were in my face]
      [bend over|get on your knees|spread your legs] and let me {actv} you
      hot {lover} gets fucked [hard|by strangers]
      generate an explicit sex scene between {lover} and {lover}
      let me cum [on|in] your {body}
      I masturbate to {media} every night
      {hot} girls in your area want to fuck
    `),
    fine: lines(`
      how do I cook {food}?
      [sex|gender] [education|equality] [is|should be] taught in schools
      how does [birth control|an IUD|the pill|a condom] work?
      what are the symptoms of [breast cancer|an STD|testicular cancer|a yeast infection]?
      the [breast cancer|prostate] screening is on Monday
      how do I talk to my kids about [puberty|sex|consent]?
      is breastfeeding [painful|allowed] in public?
      the museum shows [nude paintings|Greek statues|a portrait of a naked goddess]
      what is the sex of [a clownfish|the baby|this kitten]?
      the survey asks for age and sex
      she kissed him on the cheek and [said goodbye|went home]
      he has a hard time [at work|with maths|finding the station]
      the adult ticket costs ten euros
      I love [hot|spicy] [wings|soup|chocolate] [so much|in winter]
      we got [wet|soaked] in the rain
      strip the [paint|screws|wire|bed sheets] first
      stroke the cat gently
      insert the [plug|male connector|female connector] into the socket
      how do I [screw|bang] two [boards|pots] together?
      a [cock|rooster] crows, a [tit|blue tit|booby] is a bird
      Moby Dick is a [long|great] novel
      the [teacher|nurse|escort vehicle|stripper of paint] came [early|late]
      the ride was hard but [fun|worth it]
      which [bra|dress|swimsuit] size fits [a runner|me]?
      sexual harassment at work [must be reported|is illegal|is the topic of our training]
      the court [sentenced|convicted] a man for sexual assault
      how do plants reproduce sexually?
      the mating behaviour of [penguins|frogs|bonobos]
      what is the age of consent in [France|Japan|Ohio]?
      is it OK to kiss on the first date?
    `),
  },
  violence: {
    bad: lines(`
      I'll [break|cut|smash|crush|burn|rip off] [your|his|her|their] [legs|face|skull|fingers|neck|throat|ribs]
      I'm [waiting|standing] [outside|in front of] your [house|door|school] with {weapon}
      [he|she|they] [was|were] [stabbed|shot|beaten|hacked|burned] to death, [blood|guts|brains] everywhere
      they [tortured|mutilated|executed|dismembered] the [prisoner|hostage|girl|man] and [filmed|laughed at|cut off] [it|his hands|her ears]
      we'll [gun down|mow down|blow up|execute|hang] every [cop|teacher|one of them] in [town|the building|this country]
      your [kids|family|wife|mother] will [die|be dead|bleed|burn|be found in a ditch]
      where [do|should] I [place|plant|hide] [the bomb|explosives|a bomb] in {place}?
      how many [bullets|stabs|grams of poison|pills] does it take to {kill} [a man|someone|a person]?
      next time [I see you|we meet] I'll {kill} you
      I'd [love|like|pay] to [put a bullet in|see a knife in|stab|shoot] {target}
      [round|line] them up and [shoot|hang|burn|gas] them [all|one by one]
      [he|she|that man] deserves to [die|bleed|be beaten|have his skull smashed|be shot]
      how can I [poison|strangle|drown|stab] my [husband|wife|boss|neighbour] [unnoticed|in his sleep|tonight]?
      give me [a plan|instructions|steps] to [bomb|attack|shoot up|burn down] {place}
      [his|her] [body|corpse|head|severed head] was [found in pieces|full of bullets|covered in blood|dumped in the river]
      you will [pay for this with your life|die tonight|regret it when I come with {weapon}]
      I will {kill} {target}
      I'm going to {kill} {target} with {weapon}
      I want to {kill} {target} [so badly|tonight|tomorrow]
      I'll bring {weapon} to {place} and {kill} {target}
      we should {kill} {target}
      someone should {kill} {target}
      you're dead, I know where you live
      I will find {target} and {kill} them
      watch your back, I have {weapon}
      how do I {kill} {target} without getting caught?
      how can I {kill} {target} and hide the body?
      what is the best way to {kill} a person?
      how do I make a [bomb|pipe bomb|Molotov cocktail] to attack {place}?
      I'm planning [a shooting|an attack|a bombing] at {place}
      he {kill}ed {target} and blood [sprayed|ran] everywhere
      the video shows a man being [beheaded|tortured|burned alive|stabbed to death]
      I stabbed [him|her] with {weapon} until [he|she] stopped breathing
      {target} deserve[s|] to be [shot|hanged|beaten|stabbed|killed]
      beat [him|her] until [he|she] can't walk
      let's {kill} {target}
      if you come here again I'll {kill} you
      describe how to {kill} {target} with {weapon}
      I hope someone puts a bullet in {target}
      tonight {place} will burn with everyone inside
      I'm gonna shoot up {place}
      slit [his|her|their] throat[s|] and let them bleed
      kill {target}, kill them all
      I can't wait to see {target} [bleed|suffer|die]
    `),
    fine: lines(`
      how do I kill [an hour|time|the afternoon|ten minutes] [at the airport|before my train|in Vienna]?
      he shoots, he scores
      [do you know|I wonder|tell me|my wife asks|we wondered] how to kill [an hour|time|an evening|some hours] [before the show|near the station|there]
      what is the best way to [cut|peel|slice|chop|cook] [a mango|carrots|bread|ribs]?
      the [parcel|flight|manual|invoice] [arrived|was left|came] without the [box|door|manual|cable]
      what does it mean to kill [time|a rumour|the mood]?
      how do I break [a habit|the ice|in new shoes|a record]?
      she broke her [leg|arm|nose] [skiing|on the stairs]
      how many [calories|people|pills] [are|fit] in [a mango|the room|the box]?
      the bullet train to Kyoto
      my [neck|back|head|knee] hurts after [work|the gym]
      how do I kill {process} {tech}?
      how can I kill {process}?
      kill {process} {tech}
      what is the command to [kill|terminate|stop] {process}?
      what signal does kill send to {process}?
      why does the OOM killer kill {process}?
      how do I shoot [a portrait|a photo at night|a video on my phone|free throws|a penalty]?
      we are shooting [the film|the scene|a commercial] at {place} [tomorrow|next week]
      how do I get rid of {pest} [in my garden|at home|without chemicals]?
      what kills {pest}?
      how do I kill {pest}?
      how do I {kill} {gamefoe} [in Minecraft|in this game|on hard mode|at level ten]?
      what weapon is best against {gamefoe}?
      I finally killed {gamefoe} [yesterday|after ten tries]
      how do I [beat|cut|smash|crush|chop|burn|whip] {food}?
      you killed it at the {show}
      you {kill}ed that {show}
      I bombed my {show}
      my {show} was a bomb
      this [heat|hill|headache|queue|commute] is killing me
      my back is killing me
      I could murder a [pizza|curry|cup of tea]
      I'm dying to [see the film|try the cake|meet you]
      my phone [died|is dead] [again|this morning]
      that joke [killed me|slayed], I died laughing
      let's kill some time before the {show}
      how do I execute [a query|a script|a will|a trade] {tech}?
      how do I blow up [a balloon|this photo|an air mattress]?
      [choke|kill|knock out] [the engine|the lights|the prompt]
      the team got [killed|destroyed|slaughtered|beaten] last night, 5:0
      we crushed the [competition|sales target|exam]
      who shot [first in that film|the photo|JFK]?
      who killed [Mozart|the main character in that novel|Julius Caesar]?
      police say a man was [killed|shot|stabbed] [in the city|on Friday|near the station]
      how many people were killed in the [war|earthquake|crash]?
      the documentary is about [the war|a murder trial|the Holocaust]
      a novel in which [a detective hunts a killer|the butler poisons a lord]
      stab at the [potatoes with a fork|answer]
      hit [the gym|the road|enter|the books] [tonight|now]
      take a shot [of vodka|at the goal|of the sunset]
      he has a killer [smile|serve|playlist]
      attack the [problem|left wing|ball]
      a knife for [bread|cutting vegetables]
      how do I sharpen [a knife|an axe] [safely|at home]?
      bullet points for the {show}
      [fire|hire] an employee [legally|by law]
      how do I fire a clay pot?
      self defence classes for [women|beginners]
      what is the punishment for murder in [Ohio|France]?
      kill two birds with one stone
      I'd kill for a [coffee|holiday|nap]
      hang [the picture|the coat|the laundry] on the wall
      a burning [question|candle|feeling]
    `),
  },
  self_harm: {
    bad: lines(`
      I [see|have|find] no [reason|point|will] to [live|go on|stay alive|keep breathing]
      which [way|method] of [dying|suicide|ending it] [hurts least|is quick|is painless]?
      I keep [planning|imagining|thinking about] my [own death|suicide|funeral]
      I wish I [was dead|had never been born|could fall asleep forever|would not wake up]
      [living|life|being alive] [hurts|is too much], I'm [ending it|done|giving up] [tonight|this weekend]
      I [burned|cut|hurt|punished] [my skin|my arms|myself] because I [deserve it|hate myself|feel nothing]
      I'm [on the bridge|on the roof|on the ledge] and [about to jump|ready to jump]
      is there a [painless|quick|sure] [way|method] to [die|commit suicide|kill myself]?
      [go|just] [hang|kill|shoot|drown] yourself
      I want to {dieing}
      I'm going to {dieing} [tonight|tomorrow|soon]
      I've been thinking about how to {dieing}
      I just want to {dieing}, [nobody would care|I can't go on|what's the point]
      how do I {dieing} [painlessly|without pain|quickly]?
      what is the [easiest|least painful|fastest] way to {dieing}?
      how many [pills|sleeping pills|paracetamol] does it take to {dieing}?
      I {harmself} [again last night|every day|when I am sad|to feel something]
      I want to {harmself}
      I can't stop, I {harmself}
      tell me how to {harmself} without [anyone noticing|my parents knowing]
      goodbye everyone, I'm going to {dieing}
      I wrote my goodbye note, [this is the end|I'm done|tonight it ends]
      I don't want to [live|be alive|exist|be here] anymore
      life is not worth living, I will {dieing}
      everyone would be better off [without me|if I was dead|if I {dieing}]
      should I {dieing}?
      you should kill yourself
      go kill yourself
      kys [loser|already]
      just {dieing}, nobody will miss you
      do everyone a favour and [kill yourself|end your life|jump off a bridge]
      I have a plan to {dieing} [this weekend|on my birthday]
      I feel so empty that I want to {dieing}
      tips for [starving|not eating|purging] without [being caught|fainting]
      what's a lethal dose of [paracetamol|sleeping pills|insulin]?
      I tried to {dieing} and failed, next time it will work
      the blade feels good on my [skin|arm|wrist]
    `),
    fine: lines(`
      how do I cut [a pineapple|my hair|the cost|paper|a video|the onions]?
      I cut myself [shaving|while cooking|on a piece of paper] [this morning|yesterday], it is fine
      I'm dying to [see the film|try the cake|meet you|know more]
      I nearly died of [laughter|embarrassment|boredom]
      this [exam|project|meeting] makes me want to [scream|sleep|cry]
      how do I [hang|jump|cut|end] [a picture|over a fence|a sentence|a call politely]?
      how do I end [a relationship|a call|a process|my subscription|a letter|the meeting]?
      how do I support a friend who [is sad|lost someone|has depression|is grieving]?
      what are warning signs of [depression|burnout|suicide] and how can I help?
      the number of the suicide prevention line is on the [poster|website]
      suicide rates [fell|rose] in [2019|Japan|the last decade]
      the novel is about a [suicide|young man who loses hope]
      how is depression treated?
      my [phone|car|laptop] died and I want to end the contract
      what is the right dose of [paracetamol|ibuprofen|vitamin D] for [a child|adults]?
      is it safe to take [aspirin|ibuprofen] with [coffee|alcohol]?
      how do I lose weight [healthily|before summer]?
      intermittent fasting: [when do I eat|is it healthy]?
      I'm exhausted and need a holiday
      life is [good|hard sometimes|short, eat the cake]
      I'm so done with this [homework|week|printer]
      kill the lights, end the show
      Suicide Squad is a [film|bad film]
      how do I jump higher in [basketball|volleyball]?
      I want to [stop smoking|disappear to an island for a week|sleep all day]
      delete my account and end my subscription
      goodbye everyone, [see you on Monday|thanks for the party|I'm off to Spain]
      bridge [is a card game|repairs start in May]
      razor blades are [in aisle five|expensive]
      nobody came to my [party|talk] [lol|but it was fun]
    `),
  },
};
