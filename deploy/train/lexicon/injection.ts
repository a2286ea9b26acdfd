/** Words of each class of prompt injection, written for this project. Shaped as those of `words.ts`. */
import type { InjectionClass } from '../../../shared/policy/models/classes.js';
import type { Words } from './words.js';

export const INJECTION_WORDS: Record<InjectionClass, Words> = {
  ignore: {
    verbs:
      'ignore disregard forget bypass override skip discard drop overlook neglect dismiss omit erase abandon cancel suspend circumvent nullify void supersede delete reset clear remove disable evade unlearn scrap revoke wipe ditch purge disobey violate deactivate lift overrule unfollow',
    words:
      'forgotten overriding overridden ignorez oubliez ignoriere ignorieren vergiss vergessen ignora olvida ignore olvide dimentica esqueça esqueca ignorar missachte verwirf lösche streiche desobedece descarta borra oublie efface annule cancella apague vergeet negeer wis zapomnij zignoruj odrzuć unut',
  },
  prior: {
    words:
      'previous prior above earlier preceding former past before foregoing previously existing original old initial past hitherto until antes anteriores vorherigen bisherigen précédentes precedentes precedenti obige vorigen beginning first früheren davor oben bisherige anterior antérieures avant prima ricevute eerdere vorige poprzednie poprzednich önceki arriba recibidas',
  },
  instructions: {
    nouns:
      'instruction directive command prompt order direction guidance message context request input text anweisung instruccion consigne instruction istruzione',
    words:
      'instructions told anweisungen instrucciones consignes istruzioni instruções instrucoes directions programming training conversation brief setup commands aufgabe aufgaben vorgaben befehle befehl órdenes ordenes ordres consegne instructies opdrachten polecenia talimatları instrukcje',
  },
  secret: {
    nouns: 'secret password credential key token',
    words:
      'system hidden confidential private internal initial secrets passphrase systemprompt preprompt preamble verbatim configuration config concealed sensitive api prompt backend passcode passwort geheimwort geheim geheime geheimen contraseña clave secreta senha wachtwoord hasło şifreyi cachées segreta',
  },
  reveal: {
    verbs:
      'reveal show print output repeat display leak expose disclose dump echo share reproduce recite list quote transcribe divulge paste summarise summarize translate tell',
    words:
      'verbatim word exactly give wiederhole zeige muestra repite affiche mostra entirety starting everything recited spill recite zeig verrate nenne gib dime révèle montre donne copie dimmi rivela diga mostre toon geef podaj pokaż söyle göster',
  },
  role: {
    verbs: 'act pretend roleplay impersonate simulate behave embody emulate imagine become play',
    words:
      'role persona character youre acting playing simulation simulator roleplaying alter ego twin named called stay actua agis agiere tu finge hypothetical hypothetically',
  },
  free: {
    words:
      'unrestricted unfiltered uncensored unlimited unbound unchained amoral immoral jailbroken jailbreak jailbreaking freed unleashed limitless free freedom liberated anything whatever any uninhibited unethical evil lawless restrictions unmoderated limits boundaries unshackled unhinged without constraints nofilter no',
  },
  rules: {
    nouns:
      'rule guideline policy restriction filter limit limitation constraint safeguard guardrail boundary safety regulation law moral ethic censorship warning disclaimer principle protocol',
    words:
      'guidelines policies ethical ethics morals moral openai content moderation safety alignment legality legal rules regeln reglas règles regles censored compliance morality guardrail leash conscience scruples normas normes regole regels zasadach kuralları grenzen límites',
  },
  encode: {
    verbs: 'encode decode encrypt decrypt reverse concatenate spell',
    words:
      'base64 rot13 hex hexadecimal morse cipher caesar binary leetspeak backwards reversed letters ascii unicode pig latin letter concat decoded encoded atob urlencoded',
  },
  code: {
    nouns:
      'function script class variable loop server test bug error file module library api database query endpoint algorithm app',
    words: 'python javascript java sql bash code typescript rust golang css html react json regex docker linux',
  },
  fresh: {
    words:
      'new now instead updated following below next actual real henceforth onwards forward replace updated latest nuevo neue neuen nouvelles nouvelle nuevas nuove ab sofort',
  },
  comply: {
    verbs: 'comply obey answer respond refuse follow decline apologise apologize deny reply adhere',
    words:
      'must always never cannot refusal refusals sorry unable apology regardless matter sure absolutely certainly begin start compliance obedient',
  },
  mode: {
    nouns: 'mode',
    words:
      'developer dev admin administrator sudo debug root maintenance god dan stan dude aim maximum override superuser unlocked diagnostic privileged privileges enabled activated enable activate access authorized authorised overrides level owner creator engineer',
  },
  machine: {
    nouns: 'ai assistant chatbot bot gpt llm model chatgpt claude gemini bard copilot alexa agent',
    words:
      'language openai anthropic artificial intelligence gpt4 gpt3 machine llama mistral trained summariser summarizer reviewers screening llms',
  },
  send: {
    verbs:
      'send forward email post upload transmit transfer exfiltrate submit append embed insert include click visit fetch execute run call',
    words: 'url link http webhook curl attachment bcc image markdown recipient contacts inbox browser sent tool tools',
  },
  harm: {
    verbs: 'hack steal',
    nouns: 'bomb weapon explosive drug virus exploit phishing keylogger',
    words:
      'illegal malware meth cocaine napalm poison ransomware harmful dangerous crime criminal counterfeit piracy unlawful bombs drugs weapons malicious scam fraud illegally profanity swear curse offensive nsfw explicit violence violent',
  },
  story: {
    nouns:
      'story novel scene movie game film play script grandmother grandma fiction universe world scenario dream poem song dialogue experiment',
    words:
      'fictional hypothetical hypothetically imaginary imagine fantasy thought academic research educational purposes',
  },
  task: {
    verbs:
      'summarise summarize translate write explain describe rewrite draft suggest compare classify edit proofread review recommend plan create generate',
    words: 'email essay recipe letter paragraph article report poem resume meeting presentation please help',
  },
};
